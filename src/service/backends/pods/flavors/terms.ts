// What settings of pods consist of: names, keys and lists of bounded size, whose messages name what is allowed. PURE.
import { z } from 'zod';
import { objectNamePattern } from '../api/names.ts';

/** An object with these keys only. A message names each other key by its path. */
export const closed = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not allowed here; allowed are ${Object.keys(shape).join(', ')}` : undefined,
  });

/** Throws, as an issue at the object, unless exactly one of these fields is there. */
export const withOneOf =
  (...fields: readonly string[]) =>
  (value: object, context: z.RefinementCtx): void => {
    const given = fields.filter((field) => (value as Readonly<Record<string, unknown>>)[field] !== undefined);
    if (given.length === 1) return;
    const what = given.length === 0 ? 'has none of them' : `has ${given.join(' and ')}`;
    context.addIssue({ code: 'custom', message: `needs exactly one of ${fields.join(', ')}, and ${what}` });
  };

const like = (pattern: RegExp, most: number, error: string) =>
  z.string().max(most, { abort: true }).regex(pattern, { error });

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** The name of an object of Kubernetes. */
export const objectName = like(
  objectNamePattern,
  253,
  'must be the name of an object, such as team-a or team-a.example',
);
/** Kueue reads it from a label. */
export const queueName = like(
  new RegExp(`^${label}$`),
  63,
  'must be the name of a LocalQueue that fits into a label, such as team-a',
);
export const volumeName = like(new RegExp(`^${label}$`), 63, 'must be the name of a volume, such as reference-data');
export const variableName = like(/^[A-Za-z_]\w*$/, 256, 'must be the name of a variable, such as DB_PASSWORD');
export const dataKey = like(/^[-._a-zA-Z0-9]+$/, 253, 'must be a key of a Secret or a ConfigMap, such as password');

const keyPattern = new RegExp(`^(${label}(\\.${label})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`);
const keyError = 'must be a name such as team or example.com/team';
/** The key of a label, of an annotation, of a taint or of a resource. */
export const key = like(keyPattern, 317, keyError);
export const labelValue = like(
  /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
  63,
  'must be the value of a label: at most 63 letters, digits, dots, hyphens and underscores',
);
/** Kubernetes takes no NUL characters. */
export const plainText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\0]*$/, { error: 'has a NUL character' });

/** A list that a person writes. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(32);

/**
 * Values by keys such as `example.com/team`. `problemOf` returns why a key cannot be used, or undefined.
 */
export const keyed = <Value extends z.ZodType>(
  value: Value,
  problemOf: (key: string) => string | undefined = () => undefined,
) =>
  z.record(z.string(), value).superRefine((values, context) => {
    const names = Object.keys(values);
    if (names.length > 32) context.addIssue({ code: 'custom', message: 'has more than 32 keys; remove some' });
    for (const name of names.slice(0, 32)) {
      const problem = key.safeParse(name).success ? problemOf(name) : `its key ${keyError}`;
      if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: problem });
    }
  });
