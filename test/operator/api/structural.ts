// A small reading of structural schemas for property tests: judges a value as the API server does, and makes values.
import fc from 'fast-check';
import type { Schema } from '../../../dev/generate/fields.ts';

/** The expressions of rules like `self.matches(r'...')`, which stand where a pattern could. */
function formsOf(schema: Schema): readonly RegExp[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap(({ rule }) => {
    const source = /^self\.matches\(r'(.*)'\)$/.exec(rule)?.[1];
    return source === undefined ? [] : [new RegExp(source)];
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the API server takes the value; of CEL rules only `matches` is known here. */
export function accepts(schema: Schema, value: unknown): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    return ['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value);
  }
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && acceptsText(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value) && within(Number(value), schema.minimum, schema.maximum);
    case 'array':
      return Array.isArray(value) && acceptsList(schema, value);
    default:
      return isObject(value) && acceptsObject(schema, value);
  }
}

const within = (value: number, least = -Infinity, most = Infinity): boolean => value >= least && value <= most;

function acceptsText(schema: Schema, value: string): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (!within(Array.from(value).length, schema.minLength, schema.maxLength)) return false;
  return formsOf(schema).every((form) => form.test(value));
}

function acceptsList(schema: Schema, values: readonly unknown[]): boolean {
  const { items = {}, 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (!within(values.length, schema.minItems, schema.maxItems)) return false;
  if (!values.every((value) => accepts(items, value))) return false;
  const marks = values.map((value) => (type === 'map' ? keys.map((key) => (value as never)[key]) : value));
  return type === undefined || new Set(marks.map((mark) => JSON.stringify(mark))).size === marks.length;
}

function acceptsObject(schema: Schema, value: Readonly<Record<string, unknown>>): boolean {
  const { properties = {}, required = [], additionalProperties: values } = schema;
  const entries = Object.entries(value);
  if (!required.every((field) => Object.hasOwn(value, field))) return false;
  if (!within(entries.length, 0, schema.maxProperties)) return false;
  if (values !== undefined) return entries.every(([, entry]) => accepts(values, entry));
  return entries.every(([field, entry]) => properties[field] === undefined || accepts(properties[field], entry));
}

/** Values near the border of what the schema takes: mostly fitting, now and then too long, too many, or of another type. */
export function values(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: fitting(schema) }, { weight: 1, arbitrary: strange });
}

const strange = fc.constantFrom<unknown>('', ' ', 'x\n', -1, 0, 1.5, 2 ** 31, true, [], {}, ['a', 'a'], {
  a: { b: [] },
});
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return scalar;
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 - 1 });
    case 'array':
      return lists(schema);
    default:
      return objects(schema);
  }
}

function texts(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const [form] = formsOf(schema);
  if (form !== undefined) return fc.stringMatching(form, { size: '-1' });
  const most = schema.maxLength ?? 10;
  const border = fc.constantFrom('a'.repeat(most), '🦀'.repeat(most), 'a'.repeat(most + 1));
  const some = fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(most, 12) });
  return fc.oneof({ weight: 20, arbitrary: some }, { weight: 1, arbitrary: border });
}

function lists(schema: Schema): fc.Arbitrary<unknown> {
  const item = values(schema.items ?? {});
  const few = fc.array(item, { minLength: schema.minItems ?? 0, maxLength: 4 });
  const [key] = schema['x-kubernetes-list-map-keys'] ?? [];
  if (key === undefined) return few;
  const distinct = fc.uniqueArray(item, { maxLength: 4, selector: (entry) => isObject(entry) && entry[key] });
  return fc.oneof({ weight: 5, arbitrary: distinct }, { weight: 1, arbitrary: few });
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.additionalProperties !== undefined) {
    return fc.dictionary(fc.string({ minLength: 1 }), values(schema.additionalProperties), { maxKeys: 4 });
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, values(field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}
