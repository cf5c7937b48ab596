// What a zod schema becomes in a CRD, and that everything without an equal there is refused at generation.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toStructural } from '../../dev/generate/structural-schema.ts';
import { keywords, listBy, mapOf, ruled, setOf, text } from '../../src/operator/api/keywords.ts';

const field = (schema: z.ZodType) =>
  (toStructural(z.object({ field: schema })) as { properties: Record<string, unknown> }).properties['field'];

const scalar = () => {
  const schema = z.union([z.string(), z.int(), z.boolean()]);
  keywords.add(schema, { 'x-kubernetes-preserve-unknown-fields': true });
  return schema;
};

describe('what has an equal', () => {
  test.each<[string, z.ZodType, object]>([
    ['text', z.string().min(1).max(5), { type: 'string', minLength: 1, maxLength: 5 }],
    ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    ['a choice', z.enum(['A', 'B']), { type: 'string', enum: ['A', 'B'] }],
    ['one word', z.literal('A'), { type: 'string', enum: ['A'] }],
    ['yes or no', z.boolean(), { type: 'boolean' }],
    ['any integer', z.int(), { type: 'integer', format: 'int64' }],
    ['an integer from 0', z.int().min(0), { type: 'integer', format: 'int64', minimum: 0 }],
    ['a small integer', z.int32().min(1), { type: 'integer', format: 'int32', minimum: 1, maximum: 2147483647 }],
    ['a range', z.int().min(1).max(9), { type: 'integer', format: 'int32', minimum: 1, maximum: 9 }],
    ['a number', z.number().min(0), { type: 'number', minimum: 0 }],
    ['above zero', z.number().gt(0), { type: 'number', minimum: 0, exclusiveMinimum: true }],
    ['a list', z.array(z.boolean()).max(3), { type: 'array', maxItems: 3, items: { type: 'boolean' } }],
    ['an empty value', z.string().nullable(), { type: 'string', nullable: true }],
    ['a description', z.string().describe('why'), { type: 'string', description: 'why' }],
    ['a map', z.record(z.string(), z.boolean()), { type: 'object', additionalProperties: { type: 'boolean' } }],
    [
      'an object',
      z.object({ a: z.boolean(), b: z.boolean().optional() }),
      { type: 'object', required: ['a'], properties: { a: { type: 'boolean' }, b: { type: 'boolean' } } },
    ],
    [
      'two objects in one',
      z.intersection(z.object({ a: z.boolean() }), z.object({ b: z.boolean() })),
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'boolean' }, b: { type: 'boolean' } } },
    ],
    [
      'a set',
      setOf(z.boolean(), 2).min(1),
      { type: 'array', minItems: 1, maxItems: 2, 'x-kubernetes-list-type': 'set', items: { type: 'boolean' } },
    ],
    [
      'a list by key',
      listBy('name', z.object({ name: z.string() }), 2),
      {
        type: 'array',
        maxItems: 2,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
    ],
    [
      'configurations',
      mapOf(scalar(), 7),
      {
        type: 'object',
        maxProperties: 7,
        additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 0, maxItems: 0 },
      },
    ],
    [
      'text of a form: a rule with a message in place of the pattern',
      text(9, { pattern: /^\d+$/, message: 'must be digits' }),
      {
        type: 'string',
        minLength: 1,
        maxLength: 9,
        'x-kubernetes-validations': [{ rule: "self.matches(r'^\\d+$')", message: 'must be digits' }],
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  test('a rule of an object for one of its fields goes to the schema of that field, after its own', () => {
    const name = text(5, { pattern: /^a/, message: 'must begin with a' });
    const rules = [
      { rule: 'has(self.name)', message: 'needs a name' },
      { rule: 'self == oldSelf', message: 'name cannot change', field: 'name' },
    ];
    const { properties, ...object } = toStructural(ruled(z.object({ name: name.optional() }), rules));
    expect(object['x-kubernetes-validations']).toEqual([rules[0]]);
    expect((properties as { name: object }).name).toMatchObject({
      'x-kubernetes-validations': [
        { rule: "self.matches(r'^a')", message: 'must begin with a' },
        { rule: 'self == oldSelf', message: 'name cannot change' },
      ],
    });
  });

  test('keywords and descriptions survive what is built on the schema', () => {
    const rules = [{ rule: 'self.a', message: 'a' }];
    const schema = ruled(z.object({ a: z.boolean() }), rules)
      .describe('d')
      .optional();
    expect(field(schema)).toEqual({
      type: 'object',
      description: 'd',
      required: ['a'],
      properties: { a: { type: 'boolean' } },
      'x-kubernetes-validations': rules,
    });
  });

  test('a later description wins, and the earlier schema keeps its own', () => {
    const first = text(3).describe('first');
    expect(field(first.optional().describe('second'))).toMatchObject({ description: 'second', maxLength: 3 });
    expect(field(first)).toMatchObject({ description: 'first' });
  });

  test('a schema used in many places is written out in each of them', () => {
    const shared = z.object({ name: text(3) });
    const { properties } = toStructural(z.object({ a: shared, b: shared, c: shared.optional() })) as {
      properties: Record<string, unknown>;
    };
    expect(properties['a']).toEqual(properties['b']);
    expect(properties['c']).toEqual(properties['b']);
    expect(JSON.stringify(properties)).not.toContain('$ref');
  });

  test('the answer holds no undefined: YAML would print it', () => {
    const walk = (node: unknown): void => {
      expect(node).not.toBeUndefined();
      if (typeof node === 'object' && node !== null) Object.values(node).forEach(walk);
    };
    walk(JSON.parse(JSON.stringify(field(text(9, { pattern: /^a$/, message: 'm' })))));
    walk(field(z.int()));
    walk(field(text(9, { pattern: /^a$/, message: 'm' })));
  });
});

const recursive = z.object({
  get self() {
    return recursive.optional();
  },
});

describe('what has none is refused, with the path', () => {
  test.each<[string, z.ZodType, RegExp]>([
    ['a union', z.union([z.string(), z.int()]), /field: .*union/],
    ['int or string', z.union([z.int(), z.string()]), /union/],
    [
      'a union by discriminator',
      z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
      /oneOf|union/,
    ],
    ['anything', z.unknown(), /may be anything/],
    ['any', z.any(), /may be anything/],
    ['a map of anything', z.record(z.string(), z.unknown()), /field\.values: it may be anything/],
    ['a list of anything', z.array(z.unknown()), /field\.items: it may be anything/],
    ['a tuple', z.tuple([z.string(), z.int()]), /field/],
    ['a strict object', z.strictObject({ a: z.string() }), /unknown fields/],
    ['a loose object', z.looseObject({ a: z.string() }), /both an object and a map|unknown fields/],
    ['null', z.null(), /null is no value/],
    ['json', z.json(), /.+/],
    ['a recursion', recursive, /[Cc]ycle|recursi/],
    ['an id', z.string().meta({ id: 'shared' }), /keyword (\$ref|allOf|definitions|id)|may be anything/],
    ['bigint', z.bigint(), /BigInt/],
    ['a date', z.date(), /Date/],
    ['a Set', z.set(z.string()), /Set/],
    ['a Map', z.map(z.string(), z.string()), /Map/],
    ['lookahead', z.string().regex(/^(?=a)b/), /lookaround/],
    ['lookbehind', z.string().regex(/(?<!a)b/), /lookaround/],
    ['two patterns', z.string().regex(/a/).regex(/b/), /keyword allOf/],
    ['a format that the API server ignores', z.email(), /keyword format/],
    ['a default', z.string().default('a'), /keyword default/],
    ['a prefault', z.string().prefault('a'), /keyword default/],
    ['a transformation', z.string().transform((value) => value.length), /changes no values/],
    ['a pipe', z.string().pipe(z.string()), /changes no values/],
    ['text read as yes or no', z.stringbool(), /changes no values/],
    ['trimming', z.string().trim(), /changes no values/],
    ['a check in code', z.string().refine(() => true), /refinement/],
    ['a check in code of an object', z.object({ a: z.string() }).refine(() => true), /refinement/],
    ['checked keys', z.record(z.string().regex(/a/), z.string()), /keys of a map/],
    ['a closed set of keys', z.record(z.enum(['a', 'b']), z.string()), /keys of a map/],
    ['read only', z.string().readonly(), /keyword readOnly/],
    ['examples', z.string().meta({ examples: ['a'] }), /keyword examples/],
    ['base64', z.base64(), /keyword (contentEncoding|format)/],
  ])('%s', (_, schema, why) => {
    expect(() => field(schema)).toThrow(why);
  });

  test('the message names the place', () => {
    const schema = z.object({ groups: z.array(z.object({ value: z.union([z.string(), z.int()]) })) });
    expect(() => toStructural(schema)).toThrow('cannot make a CRD schema of groups.items.value: a union has no type');
  });

  test('the root itself', () => {
    expect(() => toStructural(z.unknown())).toThrow('cannot make a CRD schema of the root: it may be anything');
  });
});
