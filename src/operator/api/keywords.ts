// What zod has no word for and the API server has: CEL rules, list types, sizes of maps; attached to zod schemas.
import { z } from 'zod';

/** One `x-kubernetes-validations` entry. With `oldSelf` in it, it is checked on updates only. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** CEL that makes a more exact message; evaluated only where the rule is broken. */
  readonly messageExpression?: string;
  /** The field to blame, relative to the schema that carries the rule: `.pluginName`. */
  readonly fieldPath?: string;
  /** The field whose schema gets the rule instead of the object that it is in: `self` and `oldSelf` are then its values. */
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
  /** A keyword that zod would write and a rule of ours replaces. */
  readonly pattern?: undefined;
}

/** Read by openapi.ts. A schema's copies (`.describe()`, `.optional()`) keep its keywords; `.extend()` does not. */
export const keywords = z.registry<Keywords>();

export function ruled<S extends z.ZodType>(schema: S, rules: readonly Rule[]): S {
  keywords.add(schema, { 'x-kubernetes-validations': rules });
  return schema;
}

// The API server counts code points, JavaScript pairs of surrogates.
const codePoints = (value: string): number => Array.from(value).length;

/**
 * Text of 1 to `max` characters, where given of a certain form. The API server refuses another one in the words of
 * `message`, not by quoting the expression.
 */
export function text(max: number, form?: { readonly pattern: RegExp; readonly message: string }) {
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
}

const distinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** A list without order and without doubles. */
export function setOf<S extends z.ZodType>(item: S, max: number) {
  const schema = z.array(item).max(max).refine(distinct, { error: 'holds a value twice' });
  keywords.add(schema, { 'x-kubernetes-list-type': 'set' });
  return schema;
}

/** A list whose entries are told apart by their field `key`; whoever applies one entry leaves the others alone. */
export function listBy<S extends z.ZodObject>(key: keyof z.output<S> & string, item: S, max: number) {
  const keys = (entries: readonly z.output<S>[]) => entries.map((entry) => entry[key]);
  const schema = z
    .array(item)
    .max(max)
    .refine((entries) => distinct(keys(entries)), { error: `holds two entries with the same ${key}` });
  keywords.add(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });
  return schema;
}

/** No key is `__proto__`: zod would drop it, and what the user set would be lost without a word. */
export function mapOf<S extends z.ZodType>(value: S, max: number) {
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
}

const same = (field: string): string =>
  `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`;

export interface Immutability {
  /** Fields that may change, or that have a rule of their own. */
  readonly but: readonly string[];
  /** The one field that CEL cannot name, where there is one: a map of configurations. */
  readonly unnamed?: string;
  /** How the message goes on after "pluginName cannot change". */
  readonly remedy: string;
}

/**
 * Refuses every change of the fields of an object after creation: another value, setting what was unset, taking it away.
 *
 * The API server evaluates all of it with every write, also of a status, and there naming a field of an object is what
 * costs. So values are compared by rules of the fields themselves; and what came or went is one rule of the object,
 * which ends with its first comparison while the object is the same, and names the first such field in its message.
 *
 * CEL cannot name a map of configurations, but comparing the whole object does see it: where all other fields are the
 * same, it must be what differs. An edit that changes such a map together with a field of `but` gets through here.
 */
export function immutable(shape: z.ZodRawShape, { but, unnamed, remedy }: Immutability): readonly Rule[] {
  const named = Object.keys(shape).filter((field) => field !== unnamed);
  const fixed = named.filter((field) => !but.includes(field));
  const otherValue = (field: string): Rule => ({
    rule: 'self == oldSelf',
    message: `${field} cannot change${remedy}`,
    reason: 'FieldValueForbidden',
    field,
  });
  return [cameOrWent({ fixed, named, unnamed, remedy }), ...fixed.map(otherValue)];
}

interface FieldNames {
  readonly fixed: readonly string[];
  readonly named: readonly string[];
  readonly unnamed: string | undefined;
  readonly remedy: string;
}

function cameOrWent({ fixed, named, unnamed, remedy }: FieldNames): Rule {
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
    message: `fields that cannot change came or went${remedy}`,
    messageExpression: `(${first}) + ' cannot change${remedy}'`,
    reason: 'FieldValueForbidden',
  };
}

/** At most one of two fields. */
export function notBoth(one: string, other: string): Rule {
  return {
    rule: `!(has(self.${one}) && has(self.${other}))`,
    message: `give either ${one} or ${other}, not both`,
    fieldPath: `.${other}`,
    reason: 'FieldValueForbidden',
  };
}
