// No request makes the service make, keep or tell more than its length suggests.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Refusal } from '../../../../src/service/model/refusal.ts';
import { endpoints } from '../../../../src/service/resources/all-routes.ts';
import { bodySchemas, readBody, readExactBody } from '../../../../src/service/resources/bodies/bodies.ts';
import { jobSchemas } from '../../../../src/service/resources/bodies/job-bodies.ts';
import { boundedList, boundedMap, mostItems, mostVolumes } from '../../../../src/wire/bounds.ts';
import { dialects } from '../../../../src/wire/dialect.ts';

/** The parts of a schema, with their places. */
function* partsOf(schema: z.core.$ZodType, place: string): Generator<readonly [string, z.core.$ZodType]> {
  yield [place, schema];
  const inner: Readonly<Record<string, z.core.$ZodType | undefined>> =
    schema instanceof z.ZodObject
      ? schema.shape
      : schema instanceof z.ZodUnion
        ? Object.fromEntries(schema.options.entries())
        : schema instanceof z.ZodRecord
          ? { '*': schema.valueType }
          : schema instanceof z.ZodArray
            ? { '*': schema.element }
            : schema instanceof z.ZodPipe
              ? { in: schema.in, out: schema.out }
              : schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
                ? { '': schema.unwrap() }
                : {};
  for (const [name, part] of Object.entries(inner)) if (part) yield* partsOf(part, `${place}.${name}`);
}

/** Kinds of schemas that contain no others. A new kind needs a line here or above. */
const plain = [
  'string',
  'boolean',
  'number',
  'int',
  'enum',
  'literal',
  'unknown',
  'object',
  'union',
  'optional',
  'nullable',
  'pipe',
];

const isBounded = (schema: z.core.$ZodType): boolean => {
  if (schema instanceof z.ZodArray)
    return (schema.def.checks ?? []).some((check) => {
      const { def } = check._zod;
      return def.check === 'max_length' && (def as { maximum?: number }).maximum === mostItems;
    });
  if (schema instanceof z.ZodRecord) return z.globalRegistry.get(schema)?.['maxProperties'] === mostItems;
  return plain.includes(schema._zod.def.type);
};

const bodies = dialects.flatMap((dialect) =>
  endpoints.flatMap(({ method, path, about }) =>
    about.body === undefined ? [] : [[`${dialect} ${method} ${path}`, about.body.schema(dialect)] as const],
  ),
);

test.each(bodies)('%s: all lists and maps are bounded', (_, schema) => {
  const parts = [...partsOf(schema, 'body')];
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.filter(([, part]) => !isBounded(part)).map(([place]) => place)).toEqual([]);
});

/** Numbers of which nothing is made: counts of machines are bounded by the quota of a tenant, sizes and free values are passed on. */
const freeNumbers = /\.(?:count|volumes_size)\.*$|\.(?:\w+_configs|configs|extra|interface|params)\b.*\.1\.*$/;

test.each(bodies)('%s: what something is made of is no large number', (_, schema) => {
  const numbers = [...partsOf(schema, 'body')].filter(([, part]) => part instanceof z.ZodNumber);
  const free = numbers.filter(([, part]) => ((part as z.ZodNumber).maxValue ?? Infinity) > mostVolumes);
  expect(free.map(([place]) => place).filter((place) => !freeNumbers.test(place))).toEqual([]);
});

test('what is bounded has at most so many items', () => {
  const [list, map] = [boundedList(z.number()), boundedMap(z.number())];
  const items = (count: number) => Array.from({ length: count }, (_unused, index) => index);
  for (const [count, fits] of [
    [mostItems, true],
    [mostItems + 1, false],
  ] as const) {
    expect(list.safeParse(items(count)).success).toBe(fits);
    expect(map.safeParse(Object.fromEntries(items(count).entries())).success).toBe(fits);
  }
});

const template = { name: 'n', plugin_name: 'p', bigdata_version: '1', flavor_id: '1' };
const { nodeGroupTemplateCreate, clusterTemplateCreate } = bodySchemas('neutral');

function told(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return '';
}

const ones = Array.from({ length: 490_000 }, () => 1);

describe('a body with half a million wrong values', () => {
  test.each([
    ['node_processes', nodeGroupTemplateCreate, { ...template, node_processes: ones }],
    [
      'node_configs',
      nodeGroupTemplateCreate,
      { ...template, node_processes: ['a'], node_configs: Object.fromEntries(ones.entries()) },
    ],
    ['mains', jobSchemas('neutral').jobCreate, { name: 'j', type: 'Java', mains: ones }],
    ['libs', jobSchemas('neutral').jobCreate, { name: 'j', type: 'Java', libs: ones }],
    ['tags', bodySchemas('neutral').imageTags, { tags: ones }],
  ])('is refused for the number of its %s, without a look at each', (field, schema, body) => {
    const read = () => readExactBody('neutral', schema as z.ZodType, body);
    expect(told(read)).toBe(`${field}: has more than 4000 items`);
  });

  test('is refused if no list of it has many', () => {
    const groups = Array.from({ length: 200 }, () => ({ node_processes: ones.slice(0, 2000) }));
    const read = () => readBody('neutral', clusterTemplateCreate, { ...template, node_groups: groups });
    expect(told(read)).toBe('body: has more than 20000 values');
  });
});

test('arguments of a run are bounded by their place', () => {
  const body = { cluster_id: 'x', job_configs: { args: ones } };
  const read = () => readExactBody('neutral', jobSchemas('neutral').jobExecute, body);
  expect(told(read)).toBe('job_configs[args]: has more than 4000 items');
});

test('of many problems, the first ones are told', () => {
  const read = (count: number) => () =>
    readBody('neutral', nodeGroupTemplateCreate, { ...template, node_processes: ones.slice(0, count) });
  expect(told(read(20)).split('\n')).toHaveLength(20);
  const lines = told(read(3000)).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.slice(19)).toEqual([expect.stringContaining('node_processes[19]: '), 'and 2980 more']);
  const unknown = Object.fromEntries(ones.slice(0, 3000).map((_one, index) => [`x${index}`, 1]));
  expect(told(() => readBody('neutral', nodeGroupTemplateCreate, unknown)).split('\n')).toHaveLength(21);
});
