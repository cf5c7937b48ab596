// Keywords of CRD schemas that zod does not have, attached to zod schemas: CEL rules, list types and sizes of maps.
import { z } from 'zod';

/** An entry of `x-kubernetes-validations`. A rule with `oldSelf` applies to updates only. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** A CEL expression for a more exact message. */
  readonly messageExpression?: string;
  /** The invalid field, relative to the schema of the rule: `.pluginName`. */
  readonly fieldPath?: string;
  /** Moves the rule from the object to the schema of this field, so that `self` and `oldSelf` are its values. */
  readonly field?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
}

export interface Keywords {
  readonly 'x-kubernetes-validations'?: readonly Rule[];
  readonly 'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly maxProperties?: number;
  readonly maxLength?: number;
  /** Removes the keyword of zod, which a CEL rule replaces. */
  readonly pattern?: undefined;
}

/** `.describe()` and `.optional()` keep the keywords of a schema; `.extend()` does not. */
export const keywords = z.registry<Keywords>();

export const ruled = <S extends z.ZodType>(schema: S, rules: readonly Rule[]): S => {
  keywords.add(schema, { 'x-kubernetes-validations': rules });
  return schema;
};

// The API server counts code points, JavaScript UTF-16 code units.
const codePoints = (value: string): number => Array.from(value).length;

/**
 * A string of 1 to `max` characters that matches `form.pattern`. The pattern becomes a CEL rule, so that the API server reports `message`
 * instead of the regular expression.
 */
export const text = (max: number, form?: { readonly pattern: RegExp; readonly message: string }) => {
  const bounded = z
    .string()
    .min(1)
    .refine((value) => codePoints(value) <= max, { error: `is longer than ${max} characters`, abort: true });
  keywords.add(bounded, { maxLength: max });
  if (form === undefined) return bounded;
  const rule: Rule = { rule: `self.matches(r'${form.pattern.source}')`, message: form.message };
  const schema = bounded.regex(form.pattern, { error: form.message });
  keywords.add(schema, { 'x-kubernetes-validations': [rule], pattern: undefined });
  return schema;
};

const distinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** A list whose order does not matter, without duplicates. */
export const setOf = <S extends z.ZodType>(item: S, max: number) => {
  const schema = z.array(item).max(max).refine(distinct, { error: 'holds a value twice' });
  keywords.add(schema, { 'x-kubernetes-list-type': 'set' });
  return schema;
};

/** A list whose entries are identified by `key`, so that server-side apply merges them. */
export const listBy = <S extends z.ZodObject>(key: keyof z.output<S> & string, item: S, max: number) => {
  const keys = (entries: readonly z.output<S>[]) => entries.map((entry) => entry[key]);
  const schema = z
    .array(item)
    .max(max)
    .refine((entries) => distinct(keys(entries)), { error: `holds two entries with the same ${key}` });
  keywords.add(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
  return schema;
};

/** Rejects the key `__proto__`, which zod would silently drop. */
export const mapOf = <S extends z.ZodType>(value: S, max: number) => {
  const entries = z.record(z.string(), value).refine((map) => Object.keys(map).length <= max, {
    error: `has more than ${max} entries`,
  });
  const schema = z.preprocess((map, context) => {
    if (typeof map === 'object' && map !== null && Object.hasOwn(map, '__proto__'))
      context.addIssue({ code: 'custom', message: '__proto__ cannot be a key: remove it', input: map });
    return map;
  }, entries);
  for (const one of [entries, schema]) keywords.add(one, { maxProperties: max });
  return schema;
};

/** Bounds a list of texts, or a map of texts with their names, in characters. `remedy`: the end of the message. */
export const totalLength = <S extends z.ZodType<readonly string[] | Readonly<Record<string, string>>>>(
  schema: S,
  max: number,
  remedy: string,
): S => {
  const message = `is longer than ${max} characters together: ${remedy}`;
  const lengthOf = (values: z.output<S>): number =>
    Object.entries(values).reduce(
      (sum, [name, value]) => sum + codePoints(value) + (Array.isArray(values) ? 0 : codePoints(name)),
      0,
    );
  const bounded = schema.refine((values) => lengthOf(values) <= max, { error: message });
  const each = schema instanceof z.ZodArray ? 'size(each)' : 'size(each) + size(self[each])';
  const rule: Rule = { rule: `self.map(each, ${each}).sum() <= ${max}`, message };
  const { 'x-kubernetes-validations': rules = [], ...kept } = keywords.get(schema) ?? {};
  keywords.add(bounded, { ...kept, 'x-kubernetes-validations': [...rules, rule] });
  return bounded;
};

const same = (field: string): string =>
  `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;

interface Immutability {
  /** Fields that are mutable or have a rule of their own. */
  readonly but: readonly string[];
  /** A map of configurations, which CEL cannot access. */
  readonly unnamed?: string;
  /** The end of the message after "pluginName is immutable". */
  readonly remedy: string;
}

/**
 * Rejects every change of these fields after creation: changing, setting and removing them.
 *
 * The API server evaluates the rules with every write, including those of the status, and accessing a field is what costs. Values are
 * therefore compared by rules of the fields themselves. One rule of the object detects fields that were set or removed: it ends after
 * the first comparison if the object is unchanged, and its message names the first such field.
 *
 * CEL cannot access a map of configurations, but a comparison of the whole object includes it: if all other fields are equal, the map has
 * changed. An edit that changes such a map together with a field of `but` is not rejected here.
 */
export const immutable = (shape: z.ZodRawShape, { but, unnamed, remedy }: Immutability): readonly Rule[] => {
  const named = Object.keys(shape).filter((field) => field !== unnamed);
  const fixed = named.filter((field) => !but.includes(field));
  const otherValue = (field: string): Rule => ({
    rule: 'self == oldSelf',
    message: `${field} is immutable${remedy}`,
    reason: 'FieldValueForbidden',
    field,
  });
  return [setOrRemoved({ fixed, named, unnamed, remedy }), ...fixed.map(otherValue)];
};

interface FieldNames {
  readonly fixed: readonly string[];
  readonly named: readonly string[];
  readonly unnamed: string | undefined;
  readonly remedy: string;
}

const setOrRemoved = ({ fixed, named, unnamed, remedy }: FieldNames): Rule => {
  const present = fixed.map((field) => `has(self.${field}) == has(oldSelf.${field})`);
  const others = unnamed === undefined ? [] : [`!(${named.map(same).join(' && ')})`];
  const suspects = unnamed === undefined ? fixed : [...fixed, unnamed];
  const first = suspects.reduceRight(
    (rest, field) =>
      rest === '' ? `'${field}'` : `has(self.${field}) != has(oldSelf.${field}) ? '${field}' : ${rest}`,
    '',
  );
  return {
    rule: `self == oldSelf || (${[...present, ...others].join(' && ')})`,
    message: `immutable fields were set or removed${remedy}`,
    messageExpression: `(${first}) + ' is immutable${remedy}'`,
    reason: 'FieldValueForbidden',
  };
};

/** At most one of two fields. */
export const notBoth = (one: string, other: string): Rule => ({
  rule: `!(has(self.${one}) && has(self.${other}))`,
  message: `set either ${one} or ${other}, not both`,
  fieldPath: `.${other}`,
  reason: 'FieldValueForbidden',
});
