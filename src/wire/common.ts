// Parts that the wire schemas share: lenient ones for answers, exact ones for requests.
import { z } from 'zod';
import { boundedList, boundedMap } from './bounds.ts';

/** Values that are read from or sent to the service are never changed in place. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes null properties at every depth, because some services write null for "not set" and others omit the field. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
};

/** A resource as the service answers it, after `prepare`. Null means absent, and unknown fields are ignored. */
export const answer = <Shape extends z.ZodRawShape>(shape: Shape, prepare?: (row: unknown) => unknown) =>
  z.preprocess((row) => withoutNulls(prepare ? prepare(row) : row), z.object(shape));

/** When a resource was made and last changed, in answers. */
export const stamps = { created_at: z.string().optional(), updated_at: z.string().optional() };

/** The fields that most answered resources have. */
export const resourceFields = { id: z.string(), name: z.string(), description: z.string().optional(), ...stamps };

/** A list in answers that may have 100,000 items. Reports only the first wrong one, because each problem takes more memory than its item. */
export const longList = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).transform((items, context): z.output<Item>[] => {
    const read: z.output<Item>[] = [];
    for (const [index, one] of items.entries()) {
      const { success, data, error } = item.safeParse(one);
      if (success) read.push(data);
      else {
        for (const { message, path } of error.issues)
          context.addIssue({ code: 'custom', message, path: [index, ...path] });
        return z.NEVER;
      }
    }
    return read;
  });

/** Counts and sizes in answers: a number, or a number as text. */
export const lenientInteger = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);

/** An identifier that some clouds write as a number. */
export const lenientId = z.union([z.string(), z.number().transform(String)]);

/** Configurations in answers: target to name to value. Values are only compared, so any value is accepted. */
export const lenientConfigs = z.record(z.string(), z.record(z.string(), z.unknown()));

/** One configuration value in requests. Section 2 shows strings and booleans, and real services also accept integers. */
const configValue = z.union([z.string(), z.int(), z.boolean()], {
  error: 'is not a string, an integer or a boolean',
});

/** Configurations in requests: target to name to value. */
export const configs = boundedMap(boundedMap(configValue));
export type Configs = Immutable<z.infer<typeof configs>>;

/** Configurations in requests without targets: name to value. */
export const flatConfigs = boundedMap(configValue);
export type FlatConfigs = Immutable<z.infer<typeof flatConfigs>>;

// The length is checked first, so that a huge name never reaches the pattern.
const bounded = (max: number) => z.string().min(1).max(max, { abort: true });

/** Names of templates, clusters and their groups: dot-separated labels of letters, digits and inner hyphens. */
export const resourceName = bounded(50).regex(
  /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/,
  {
    error: 'is not a valid name: 1 to 50 letters, digits and hyphens in dot-separated labels that begin with a letter',
  },
);

/** Names of templates and their groups in early releases, which also allow inner underscores. */
export const earlyResourceName = bounded(50).regex(
  /^[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/,
  {
    error:
      'is not a valid name: 1 to 50 letters, digits, hyphens and underscores in dot-separated labels that begin with a letter',
  },
);

/** Names of data sources, job binaries and jobs. Names of internal binaries have the same characters and no maximum length. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
export const isPlainName = (name: string): boolean => plainName.test(name);
export const jobResourceName = bounded(50).regex(plainName, {
  error:
    'is not a valid name: 1 to 50 letters, digits, hyphens, underscores and dots, beginning with a letter or digit',
});

/** Compute key pairs: letters, digits, hyphen, underscore, space. */
export const keypairName = bounded(255).regex(/^[A-Za-z0-9_ -]+$/, { error: 'is not a valid key pair name' });

const hex = '[0-9a-fA-F]';
/** The form of an identifier, with or without hyphens, as part of a regular expression. */
export const uuidForm = `${hex}{8}-?${hex}{4}-?${hex}{4}-?${hex}{4}-?${hex}{12}`;
const uuid = new RegExp(`^${uuidForm}$`);
export const isUuid = (text: string): boolean => uuid.test(text);

/** Identifiers of records in UUID form, with or without hyphens. */
export const recordId = bounded(36).regex(uuid, { error: 'is not an identifier in UUID form' });

const noAccess = (error: string) => z.literal(false, { error }).optional();

/** The access fields of late releases, which their client always sends. The service has neither public nor protected resources. */
export const access = {
  is_public: noAccess('must be false: tenants see only their own resources'),
  is_protected: noAccess('must be false: nothing is protected from changes and deletion'),
};

/** The path below which each node has one directory for each volume. */
export const mountPrefix = bounded(255).regex(/^(\/[A-Za-z0-9_-]+)+$/, { error: 'is not an absolute path' });

/** Processes of a group: at least one. The service checks for duplicates. */
export const nodeProcesses = boundedList(z.string().min(1)).min(1);

/**
 * The members that identify an object, with its status and owner. They come first, so that an object that is otherwise unreadable can be found and
 * deleted.
 */
export const identifying = ['id', 'name', 'status', 'cluster_template_id'] as const;
export type Identified = { readonly [Key in (typeof identifying)[number]]?: string };

const spelled = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** Services and clouds spell UUIDs in lower case with hyphens; specs may have upper case, and none of the hyphens. Any other text stays as it is. */
export const serviceID = (id: string): string => {
  const [, ...parts] = spelled.exec(id.toLowerCase()) ?? [];
  return parts.length > 0 ? parts.join('-') : id;
};
