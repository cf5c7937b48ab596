// The causes of refusals: the status, name and origin of each answer, and its documentation. PURE.
import { manyValues } from '../../lib/http/bounded.ts';
import { mostItems, mostValuesOfRequest } from '../../wire/bounds.ts';
import { type Dialect, dialects } from '../../wire/dialect.ts';

/** The component that refuses. Upstream has a different body for each. The neutral dialect has the body of section 7 for all. */
export const origins = ['service', 'framework', 'identity', 'tenant', 'proxy'] as const;
export type Origin = (typeof origins)[number];

export interface RefusalCause {
  readonly status: number;
  /** Upstream uses a number for some errors. */
  readonly name: string | number;
  readonly origin: Origin;
  /** When it happens, as a sentence without the final period. */
  readonly when: string;
  readonly in?: readonly Dialect[];
}

type More = Pick<RefusalCause, 'in'>;
const branded: More = { in: dialects.filter((dialect) => dialect !== 'neutral') };
const [late, notEarly]: readonly [More, More] = [{ in: ['sahara'] }, { in: ['neutral', 'sahara'] }];

const by =
  (origin: Origin) =>
  (status: number, name: string | number, when: string, more: More = {}): RefusalCause => ({
    status,
    name,
    origin,
    when,
    ...more,
  });
const [own, framework, identity, tenant] = [by('service'), by('framework'), by('identity'), by('tenant')];

const onEveryRoute = {
  unreadable: framework(400, 'BAD_REQUEST', 'the path, a header or the length of the body cannot be read'),
  otherSite: framework(403, 'FORBIDDEN', 'a page of another site sends it, or `Host` is not a name of the service'),
  tooSlow: framework(408, 'REQUEST_TIMEOUT', 'the request did not arrive within a minute (`--request-timeout-ms`)'),
  tooMuchHead: framework(431, 'REQUEST_HEADER_FIELDS_TOO_LARGE', 'the headers are larger than 16 KiB'),
  tooLong: framework(
    414,
    'URI_TOO_LONG',
    'a part of the path has more than 100 characters, or the query more than 4096',
  ),
};

const withLogIn = {
  noToken: identity(401, 'UNAUTHORIZED', '`X-Auth-Token` is missing, invalid or expired'),
  foreignTenant: tenant(401, 'UNAUTHORIZED', 'the token is for another tenant than that of the path'),
};

const withKeystone = {
  unscoped: tenant(503, 'SERVICE_UNAVAILABLE', 'the token has no project'),
  noKeystone: tenant(503, 'SERVICE_UNAVAILABLE', 'Keystone cannot validate the token'),
};

const ofBodies = {
  notJson: own(
    400,
    'MALFORMED_REQUEST_BODY',
    `the body is not JSON, is nested more than 100 deep, or has ${manyValues}`,
  ),
  otherType: own(415, 'UNSUPPORTED_MEDIA_TYPE', 'the body is not labeled as `application/json`'),
  noType: own(415, 'UNSUPPORTED_MEDIA_TYPE', '`Content-Type` is not the name of a type'),
  form: own(400, 'INVALID_DATA', 'the body is labeled as a form'),
  invalid: own(
    400,
    'VALIDATION_ERROR',
    `fields are missing, unknown or invalid, a list or a map has more than ${mostItems} items, or the body more than ${mostValuesOfRequest} values; one line for each of the first 20 problems`,
  ),
  tooLarge: own(413, 'REQUEST_ENTITY_TOO_LARGE', 'the body is larger than 1 MiB'),
  tooManyBodies: own(
    503,
    'SERVICE_UNAVAILABLE',
    'the bodies of other requests take the memory that there is for them; `Retry-After` is the time to wait',
  ),
  tooBig: own(400, 'DATA_TOO_BIG', 'there are more than 5120 KiB'),
  badBinary: own(400, 'BAD_JOB_BINARY', 'there are no bytes, or the name is invalid'),
};

const ofReads = {
  tooManyAnswers: own(
    503,
    'SERVICE_UNAVAILABLE',
    'answers that clients have not taken yet fill the memory that there is for them, and nothing was done; `Retry-After` is the time to wait',
  ),
};

const ofVolumes = {
  noRoom: own(507, 'INSUFFICIENT_STORAGE', 'the volume of the data is full; deletions and cancellations still work'),
};

const ofNames = {
  missing: own(404, 'NOT_FOUND', 'no object of the tenant has the name or identifier in the path'),
  nameTaken: own(400, 'NAME_ALREADY_EXISTS', 'the name is in use'),
  clusterNameTaken: own(400, 'CLUSTER_NAME_ALREADY_EXISTS', 'the name is in use', { in: ['neutral'] }),
  clusterNameTakenUpstream: own(400, 'NAME_ALREADY_EXISTS', 'the name is in use', branded),
  duplicate: own(400, 'DB_DUPLICATE_ENTRY', 'the name is in use'),
  inUse: own(400, 'INVALID_REFERENCE', 'something still refers to it; the message names it'),
  undeletable: own(400, 'DELETION_FAILED', 'something still refers to it; the message names it'),
};

const ofPaths = {
  shortPath: tenant(404, 'NOT_FOUND', 'the path is too short to have a tenant', branded),
  unknownPath: framework(404, 'NOT_FOUND', 'there is no such path'),
  unknownMethod: framework(
    405,
    'METHOD_NOT_ALLOWED',
    'the path does not have the method; the message names those that it has',
  ),
};

const ofClusters = {
  unknownFlavor: own(400, 'NOT_FOUND', 'the flavor does not exist'),
  unknownTemplate: own(400, 'NOT_FOUND', 'a template that the body refers to does not exist'),
  unknownImage: own(400, 'NOT_FOUND', 'the image does not exist', { in: ['neutral'] }),
  twice: own(400, 'INVALID_DATA', 'a process is named twice'),
  noImage: own(400, 'NOT_FOUND', 'neither the request nor the template names an image', branded),
  noNetwork: own(400, 'NOT_FOUND', 'neither the request nor the template names a network', late),
  unsupported: own(400, 'INVALID_REFERENCE', 'the plugin, its version, a process or a configuration is unknown'),
  foreignTemplate: own(400, 'INVALID_REFERENCE', 'a node group template is for another plugin or version', {
    in: ['neutral'],
  }),
  unusableImage: own(400, 'INVALID_REFERENCE', 'the image is not registered, or lacks tags that the plugin requires'),
  badGroups: own(400, 'INVALID_DATA', 'two groups have one name'),
  tooLongParts: own(400, 'INVALID_DATA', 'with what it gets from others, the object is longer than a request can be'),
  noSize: own(400, 'INVALID_REFERENCE', 'there are volumes without a size', branded),
  badShares: own(400, 'INVALID_DATA', 'two shares have one path, or a path is not absolute', late),
  longHostNames: own(400, 'INVALID_DATA', 'host names, made of the names of cluster and group, are too long'),
  quota: own(400, 'QUOTA_ERROR', 'the machines exceed the quota (`--quota`)'),
  tooManyRows: own(
    400,
    'QUOTA_ERROR',
    'the resources of the tenant exceed the quota in number or memory (`--quota-rows`, `--quota-row-bytes`), or those of all tenants take half of the heap',
  ),
  tooLargeRows: own(
    400,
    'QUOTA_ERROR',
    'the body is large, and the resources of the tenant exceed the quota (`--quota-row-bytes`)',
  ),
  unplaceable: own(400, 'INVALID_DATA', 'the provisioner cannot make such a cluster; the message has the remedy'),
  notActive: own(400, 'INVALID_REFERENCE', 'the cluster is not Active'),
  badScale: own(400, 'INVALID_REFERENCE', 'a group to resize does not exist, or a group to add already exists'),
};

const ofPlugins = {
  otherTarget: own(400, 'INVALID_DATA', 'the file is for another plugin or version than the path', {
    in: ['neutral', 'savanna'],
  }),
  noConversion: own(400, 'INVALID_REFERENCE', 'always: no plugin converts files any more', late),
  unnamed: framework(404, 'NOT_FOUND', 'always: the path has to name the template', branded),
  notRegistered: own(400, 'IMAGE_NOT_REGISTERED', 'the image is not registered', late),
};

const ofJobs = {
  badSource: own(400, 'INVALID_DATA', 'URL or credentials do not match the type of the data source'),
  noCredentials: own(400, 'INVALID_CREDENTIALS', 'a URL of Swift comes without user or password'),
  badLocation: own(400, 'INVALID_DATA', 'URL or `extra` are invalid'),
  noInternal: own(400, 'INVALID_REFERENCE', 'the internal binary of the URL does not exist'),
  noSwiftUser: own(400, 'BAD_JOB_BINARY', 'a URL of Swift comes without user or password in `extra`'),
  badBinaries: own(400, 'INVALID_DATA', 'mains or libs do not match the type of the job'),
  unknownBinary: own(400, 'NOT_FOUND', 'a job binary that the body refers to does not exist'),
  badInterface: own(400, 'INVALID_DATA', 'the interface, or a value for it, cannot be used', notEarly),
  unknownDefault: own(400, 'INVALID_REFERENCE', 'a data source that the interface refers to does not exist', notEarly),
  unknownSource: own(400, 'INVALID_REFERENCE', 'a data source that the body refers to does not exist'),
  unknownCluster: own(400, 'INVALID_REFERENCE', 'the cluster does not exist'),
  otherPlugin: own(400, 'INVALID_REFERENCE', 'the plugin of the cluster runs no jobs of this type'),
  badRun: own(
    400,
    'INVALID_DATA',
    'data sources or configurations that a job of this type needs are missing or alike',
    notEarly,
  ),
  unusable: own(400, 'INVALID_DATA', 'the job engine cannot use or run it; the message has the remedy'),
  tooManyRunBytes: own(
    400,
    'QUOTA_ERROR',
    'the files and outputs of real runs have reached the quota (`--quota-run-bytes`)',
  ),
  tooManyBytes: own(400, 'QUOTA_ERROR', 'the bytes exceed the quota (`--quota-bytes`)'),
  badLogRange: own(400, 'INVALID_DATA', 'a parameter is invalid, or contradicts another one'),
  noLogs: own(404, 'NOT_FOUND', 'the run has no output, because it has not started or is simulated'),
  bytesElsewhere: own(400, 'NOT_FOUND', 'the bytes are elsewhere, because the service has no object store'),
  bytesLost: own(400, 'NOT_FOUND', 'the internal binary has been deleted', { in: ['neutral'] }),
  bytesLostUpstream: own(500, 'INTERNAL_SERVER_ERROR', 'the internal binary has been deleted', branded),
};

const ofLists = {
  badParameter: own(400, 400, 'the lists of this kind have no such filter', late),
};

export const causes = {
  ...onEveryRoute,
  ...withLogIn,
  ...withKeystone,
  ...ofBodies,
  ...ofReads,
  ...ofVolumes,
  ...ofPaths,
  ...ofNames,
  ...ofClusters,
  ...ofPlugins,
  ...ofJobs,
  ...ofLists,
} satisfies Readonly<Record<string, RefusalCause>>;

export type CauseKey = keyof typeof causes;

/** Causes that concern groups, in templates and clusters. */
export const groupCauses = [
  'twice',
  'unsupported',
  'unknownFlavor',
  'badGroups',
  'tooLongParts',
  'noSize',
] as const satisfies readonly CauseKey[];

/** Causes that prevent the start of a cluster. */
export const startCauses = [
  'clusterNameTaken',
  'clusterNameTakenUpstream',
  ...groupCauses,
  'unknownTemplate',
  'foreignTemplate',
  'unknownImage',
  'noImage',
  'noNetwork',
  'unusableImage',
  'longHostNames',
  'unplaceable',
  'quota',
  'tooManyRows',
] as const satisfies readonly CauseKey[];

const keysOf = <Part extends Partial<Record<CauseKey, RefusalCause>>>(part: Part) => Object.keys(part) as CauseKey[];

/** The causes of paths and methods that no route has. */
export const pathCauses: readonly CauseKey[] = keysOf(ofPaths);

/** The causes that all routes of a service with this authentication have in common. */
export const commonCauses = (logIn: 'none' | 'tokens' | 'keystone'): readonly CauseKey[] => [
  ...keysOf(onEveryRoute),
  ...(logIn === 'none' ? [] : keysOf(withLogIn)),
  ...(logIn === 'keystone' ? keysOf(withKeystone) : []),
];

export const causeOf = (key: CauseKey): RefusalCause => causes[key];

/** The causes of the list that this dialect has. */
export const causesIn = (dialect: Dialect, keys: readonly CauseKey[]): readonly RefusalCause[] =>
  [...new Set(keys)].map(causeOf).filter((cause) => cause.in?.includes(dialect) ?? true);
