// JSON at random: what a schema takes, the same with something wrong in it, and texts that are hardly JSON any more.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly pattern?: string;
}

type Arbitrary = fc.Arbitrary<unknown>;

/** Good values of fields, by name: what refers to something refers to what is there. */
export type Pool = Readonly<Record<string, readonly unknown[]>>;

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

function ofObject(schema: Schema, pool: Pool): Arbitrary {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, valid(field, pool, name)] as const);
  const record = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  return Object.keys(properties).length === 0 ? fc.constant({}) : record;
}

/** What the schema takes. */
export function valid(schema: Schema, pool: Pool, name = ''): Arbitrary {
  const known = Object.hasOwn(pool, name) ? pool[name] : undefined;
  if (known !== undefined && !typesOf(schema).includes('object')) return fc.constantFrom(...known);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valid(each, pool, name)));
  const types = typesOf(schema);
  if (types.includes('object')) return ofObject(schema, pool);
  if (types.includes('array'))
    return fc.array(valid(schema.items ?? {}, pool), { minLength: schema.minItems ?? 0, maxLength: 2 });
  if (types.includes('integer')) return fc.integer({ min: schema.minimum ?? 0, max: 3 });
  if (types.includes('boolean')) return fc.boolean();
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern), { size: 'small' });
  return fc.string({ minLength: 1, maxLength: 8 });
}

const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);

const odd: Arbitrary = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    1e308,
    -1e308,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\uD800',
    '\uDFFF x',
    '😀',
    'constructor',
    '__proto__',
    'x'.repeat(300),
    'é'.repeat(60),
    [],
    {},
    [null],
    [[]],
    { '': 1 },
    deep(100),
    '%RANDSTR(9999)%',
    'swift://',
    'internal-db://x',
    '../../etc/passwd',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
);

interface Mutation {
  /** Which of all places, as a share of their number. */
  readonly at: number;
  readonly does: 'replace' | 'remove' | 'add' | 'wrap' | 'double';
  readonly value: unknown;
  readonly key: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  does: fc.constantFrom('replace', 'replace', 'remove', 'add', 'wrap', 'double'),
  value: odd,
  key: fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'name', 'status', ''), fc.string()),
});

const countOf = (value: unknown): number =>
  1 +
  (typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 0)
    : 0);

/** Defines, and so can have any key. */
const withKey = (object: object, key: string, value: unknown): object =>
  Object.defineProperty({ ...object }, key, { value, enumerable: true, configurable: true, writable: true });

function change(value: unknown, { does, value: other, key }: Mutation): unknown {
  switch (does) {
    case 'replace':
      return other;
    case 'remove':
      return undefined;
    case 'add':
      return Array.isArray(value)
        ? [...(value as readonly unknown[]), other]
        : withKey(Object(value) as object, key, other);
    case 'wrap':
      return [value];
    case 'double':
      return Array.isArray(value) ? [...(value as readonly unknown[]), ...(value as readonly unknown[])] : value;
  }
}

/** The value with the place of this number changed; places are counted from outside in. */
function changeAt(value: unknown, index: number, how: Mutation): unknown {
  if (index === 0) return change(value, how);
  if (typeof value !== 'object' || value === null) return value;
  let left = index - 1;
  const inner = Object.entries(value).map(([key, each]) => {
    const here = left;
    left -= countOf(each);
    return [key, here >= 0 && left < 0 ? changeAt(each, here, how) : (each as unknown)] as const;
  });
  if (Array.isArray(value)) return inner.map(([, each]) => each);
  return inner.reduce<object>((rest, [key, each]) => withKey(rest, key, each), {});
}

/** A value with up to three things wrong. */
export const mutated = (value: Arbitrary): Arbitrary =>
  fc
    .tuple(value, fc.array(mutation, { maxLength: 3, size: 'max' }))
    .map(([whole, mutations]) =>
      mutations.reduce((rest, how) => changeAt(rest, Math.floor(how.at * countOf(rest)), how), whole),
    );

export interface Sent {
  readonly body: Buffer;
  readonly encoding?: string;
}

type Writing = (text: string) => Sent;
const plain: Writing = (text) => ({ body: Buffer.from(text) });
const afterBrace =
  (more: string): Writing =>
  (text) =>
    plain(text.replace('{', `{${more}`));

/** How a value gets to be bytes: mostly as JSON, but not always. */
const writings: readonly Writing[] = [
  (text) => plain(`\uFEFF${text}`),
  (text) => ({ body: Buffer.from(text, 'utf16le') }),
  (text) => ({ body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]) }),
  (text) => plain(text.slice(0, text.length / 2)),
  (text) => plain(`${text}${text}`),
  (text) => plain(`${text}\u0000`),
  (text) => ({
    body: Buffer.concat([Buffer.from(text.slice(0, 9)), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(text.slice(9))]),
  }),
  (text) => ({ body: gzipSync(text), encoding: 'gzip' }),
  (text) => ({ body: Buffer.from(text), encoding: 'gzip' }),
  afterBrace('"name": "twice", "name": "thrice", '),
  afterBrace('"__proto__": {"name": "x"}, '),
  afterBrace('"constructor": {"prototype": {"name": "x"}}, '),
  afterBrace('"name": "\\ud800", '),
  afterBrace('"count": 1e400, "volumes_size": -0, '),
  afterBrace(`"name": ${'1'.repeat(5000)}, `),
  (text) => plain('['.repeat(20_000) + text),
  (text) => plain('{"a":'.repeat(5000) + text + '}'.repeat(5000)),
  (text) => plain(text.replaceAll('"', "'")),
  (text) => plain(` \n\t${text}\r\n `),
  (text) => plain(''.padEnd(text.length)),
  () => plain(''),
];

/** Of each body that is taken for too large there are some, and of the others all. */
const huge: Writing = (text) => plain(text + ' '.repeat(1_048_577));

export const written = (value: Arbitrary): fc.Arbitrary<Sent> => {
  const writing = fc.oneof(
    { arbitrary: fc.constant(plain), weight: 70 },
    { arbitrary: fc.constantFrom(...writings), weight: 29 },
    { arbitrary: fc.constant(huge), weight: 1 },
  );
  return fc.tuple(value, writing).map(([of, write]) => write(JSON.stringify(of) ?? ''));
};
