// The dialects of the interface: their vocabularies on the wire, and what each of them supports.
import { isRecord } from './common.ts';

/** `neutral`: the interface as written. `sahara` and `savanna`: the brands of late and early upstream releases. */
export type Dialect = 'neutral' | 'sahara' | 'savanna';
export const dialects = ['neutral', 'sahara', 'savanna'] as const satisfies readonly Dialect[];

/** The name in `spec.dialect` of a Connection. */
export const dialectName = (dialect: Dialect): string => dialect.charAt(0).toUpperCase() + dialect.slice(1);

/** Limits of a dialect that a client must respect. Section 4.5 lists the start and scale fields of the neutral one. */
interface Capabilities {
  /** The start request accepts `description` and `network_management_network`. */
  readonly startDescription: boolean;
  readonly startNetwork: boolean;
  /** The start request accepts `cluster_template_id` together with `node_groups`, which then replace those of the template. */
  readonly startTemplateWithGroups: boolean;
  /** The start request must have `user_keypair_id`. `default_image_id` can come from the template if templates have one. */
  readonly startNeedsKeypair: boolean;
  /** A cluster template accepts `default_image_id`. */
  readonly templateImage: boolean;
  /** A group that is added to a running cluster can have its own flavor and processes instead of a template. */
  readonly scaleInlineGroup: boolean;
  /** A group without a template accepts `floating_ip_pool`. */
  readonly inlineFloatingIPPool: boolean;
  /** A group with a template can override fields of its template. */
  readonly groupOverrides: boolean;
}

interface Vocabulary {
  readonly prefix: 'v1.0' | 'v1.1';
  readonly fields: Readonly<Record<string, string>>;
  readonly metadata: string;
  /** The beginning of the URL of an internal job binary. An identifier follows. */
  readonly internalUrl: string;
  readonly capabilities: Capabilities;
}

const branded: Capabilities = {
  startDescription: true,
  startNetwork: true,
  startTemplateWithGroups: true,
  startNeedsKeypair: false,
  templateImage: true,
  scaleInlineGroup: true,
  inlineFloatingIPPool: true,
  groupOverrides: true,
};

// Each renaming swaps two words, so applying it twice changes nothing, and a foreign word stays recognizable.
const brandedFields = {
  bigdata_version: 'hadoop_version',
  hadoop_version: 'bigdata_version',
  network_management_network: 'neutron_management_network',
  neutron_management_network: 'network_management_network',
};

// Late releases write the engine's identifier of an execution under both names.
const earlyFields = { ...brandedFields, engine_job_id: 'oozie_job_id', oozie_job_id: 'engine_job_id' };

const vocabularies: Readonly<Record<Dialect, Vocabulary>> = {
  neutral: {
    prefix: 'v1.0',
    fields: {},
    metadata: '_svc_',
    internalUrl: 'internal-db://',
    capabilities: {
      startDescription: false,
      startNetwork: false,
      startTemplateWithGroups: false,
      startNeedsKeypair: true,
      templateImage: false,
      scaleInlineGroup: false,
      inlineFloatingIPPool: false,
      groupOverrides: false,
    },
  },
  sahara: {
    prefix: 'v1.1',
    fields: brandedFields,
    metadata: '_sahara_',
    internalUrl: 'internal-db://',
    capabilities: branded,
  },
  savanna: {
    prefix: 'v1.0',
    fields: earlyFields,
    metadata: '_savanna_',
    internalUrl: 'savanna-db://',
    capabilities: branded,
  },
};

/** The keys below these fields belong to users and plugins, so they are never renamed. */
const userData: ReadonlySet<string> = new Set([
  'node_configs',
  'cluster_configs',
  'configs',
  'info',
  'job_configs',
  'interface',
  'credentials',
  'extra',
  'data_source_urls',
]);

/** The capabilities of a service with this dialect. */
export const capabilities = (dialect: Dialect): Capabilities => vocabularies[dialect].capabilities;

/** The first path segment for clusters, templates, plugins and images (section 9). Late upstream also serves them under v1.1. */
export const apiPrefix = (dialect: Dialect): 'v1.0' | 'v1.1' => vocabularies[dialect].prefix;

/** Translates one field name, in either direction. */
export const renameField = (dialect: Dialect, field: string): string => {
  const { fields } = vocabularies[dialect];
  return Object.hasOwn(fields, field) ? (fields[field] ?? field) : field;
};

const swapPrefix = (key: string, prefixes: readonly [string, string]): string => {
  const [one, other] = prefixes;
  if (key.startsWith(one)) return other + key.slice(one.length);
  return key.startsWith(other) ? one + key.slice(other.length) : key;
};

const renameMetadata = (dialect: Dialect, metadata: unknown): unknown => {
  if (!isRecord(metadata)) return metadata;
  const prefixes = [vocabularies.neutral.metadata, vocabularies[dialect].metadata] as const;
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [swapPrefix(key, prefixes), value]));
};

const renameValue = (dialect: Dialect, key: string, value: unknown): unknown => {
  if (userData.has(key)) return value;
  if (key === 'url' && typeof value === 'string')
    return swapPrefix(value, [vocabularies.neutral.internalUrl, vocabularies[dialect].internalUrl]);
  return key === 'metadata' ? renameMetadata(dialect, value) : rename(dialect, value);
};

const rename = (dialect: Dialect, body: unknown): unknown => {
  if (Array.isArray(body)) return body.map((item) => rename(dialect, item));
  if (!isRecord(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [renameField(dialect, key), renameValue(dialect, key, value)]),
  );
};

/** Translates a body from neutral words to this dialect. User data keeps its keys. */
export const toWire = (dialect: Dialect, body: unknown): unknown =>
  dialect === 'neutral' ? body : rename(dialect, body);

/** Translates a body of this dialect to neutral words. Each renaming is its own inverse. */
export const fromWire = toWire;

/** The beginning of the URL of an internal job binary. Records and neutral bodies have that of `neutral`. */
export const internalUrl = (dialect: Dialect): string => vocabularies[dialect].internalUrl;
