// What of a job a dialect cannot express, and what its interface must be: the checks of the operator against those of the bundled service.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobKind } from '../../../../src/operator/kinds/job/index.ts';
import { type Dialect, dialects, toWire } from '../../../../src/wire/dialect.ts';
import { binaryRules } from '../../../../src/wire/job-rules.ts';
import type { JobType } from '../../../../src/wire/jobs.ts';
import { type Backend, openBackend, tenant } from '../support/backend.ts';
import type { Json } from '../support/sample.ts';

const kind = jobKind;
const uuid = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
const check = (spec: Json, dialect: Dialect = 'neutral') => kind.check(kind.definition.spec.parse(spec), dialect);
const types = Object.keys(binaryRules) as readonly JobType[];
const binaries = [{ jobBinaryRef: { name: 'a' } }];
const jobOf = (type: JobType, more: Json = {}): Json => {
  const { mains } = binaryRules[type];
  return { type, ...(mains === 'none' ? { libs: binaries } : { mains: binaries }), ...more };
};

describe.each(dialects)('in the dialect %s', (dialect) => {
  let backend: Backend;
  let number = 0;
  let binary = '';
  const post = async (path: string, body: unknown) => {
    const text = JSON.stringify(toWire(dialect, body));
    return backend.answer({ method: 'POST', url: `/v1.1/${tenant}/${path}`, body: text });
  };
  beforeAll(async () => {
    backend = openBackend(1, { dialect });
    const { body } = await post('job-binaries', { name: 'a', url: `manila://${uuid}/a` });
    binary = (JSON.parse(body) as { job_binary: { id: string } }).job_binary.id;
  });
  afterAll(async () => backend.close());

  /** Whether the service makes such a job. */
  async function isTaken(spec: Json): Promise<boolean> {
    number += 1;
    const given = { externalName: `job-${number}`, dialect, idOf: () => binary } as never;
    const { status } = await post('jobs', kind.desired(kind.definition.spec.parse(spec), given).body);
    expect([202, 400]).toContain(status);
    return status === 202;
  }

  test.each(types)('jobs of type %s, with and without an interface', async (type) => {
    const argument = { name: 'x', location: '0', required: true };
    const described = ['args', 'configs', 'params'].map((mappingType) => ({
      interface: [{ ...argument, mappingType }],
    }));
    for (const more of [{}, ...described]) {
      const spec = jobOf(type, more);
      expect(check(spec, dialect) === undefined, JSON.stringify(spec)).toBe(await isTaken(spec));
    }
  });

  const argument = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c', '__proto__'),
      mappingType: fc.constantFrom('args', 'configs', 'params'),
      location: fc.constantFrom('0', '1', '2', 'x', '__proto__'),
      required: fc.boolean(),
      valueType: fc.constantFrom('string', 'number', 'data_source'),
      default: fc.constantFrom('7', '-7', 'x', 'hdfs://host/a', '/a'),
    },
    { requiredKeys: ['name', 'mappingType', 'location', 'required'] },
  );
  const spec = fc.record({
    type: fc.constantFrom(...types),
    interface: fc.uniqueArray(argument, { maxLength: 3, selector: ({ name }) => name }),
  });

  test('any interface', async () => {
    await fc.assert(
      fc.asyncProperty(spec, async ({ type, interface: described }) => {
        const one = jobOf(type, { interface: described });
        expect(check(one, dialect) === undefined).toBe(await isTaken(one));
      }),
      { numRuns: 300 },
    );
  });
});

const text = { name: 'text', mappingType: 'args', location: '0', required: true };
const limit = { name: 'limit', mappingType: 'configs', location: 'x', required: false };
const described = (...list: readonly Json[]) => jobOf('Spark', { interface: list });
const ref = (name: string) => ({ jobBinaryRef: { name } });
const byId = (jobBinaryID: string) => ({ jobBinaryID });

test.each<readonly [what: string, spec: Json, dialect: Dialect, says: string]>([
  [
    'a type of late releases',
    jobOf('Spark'),
    'savanna',
    'spec.type: a service of the dialect Savanna has no jobs of type Spark: use Pig, Hive, Jar, or a Connection to a service of another dialect',
  ],
  [
    'a type of early releases',
    jobOf('Jar'),
    'sahara',
    'spec.type: a service of the dialect Sahara has no jobs of type Jar: use Hive, Java, MapReduce, MapReduce.Streaming, Pig, Shell, Spark, Storm, Storm.Pyleus, or a Connection to a service of another dialect',
  ],
  [
    'an interface for an early release',
    jobOf('Pig', { interface: [text] }),
    'savanna',
    'spec.interface: jobs of a service of the dialect Savanna have none: remove it, and give configs, params and args to each execution',
  ],
  [
    'a binary that is both main and lib',
    { type: 'Pig', mains: [ref('a')], libs: [ref('b'), ref('a')] },
    'neutral',
    'spec.libs[1]: names the same binary as spec.mains[0]: remove one of them',
  ],
  [
    'an identifier in two spellings',
    { type: 'Pig', mains: [byId(uuid), byId(uuid.toUpperCase().replaceAll('-', ''))] },
    'neutral',
    'spec.mains[1]: names the same binary as spec.mains[0]: remove one of them',
  ],
  [
    'an argument that the type does not have',
    described({ ...text, mappingType: 'params' }),
    'neutral',
    'spec.interface[text].mappingType: a job of type Spark has no params: use configs or args',
  ],
  [
    'arguments where there are none',
    jobOf('Storm.Pyleus', { interface: [text] }),
    'neutral',
    'spec.interface: a job of type Storm.Pyleus has no arguments: remove it',
  ],
  [
    'a place that is taken',
    described(limit, { ...limit, name: 'other' }),
    'neutral',
    'spec.interface[other].location: limit has it already: give each argument its own',
  ],
  [
    'a place that no configuration can have',
    described({ ...limit, location: '__proto__' }),
    'neutral',
    'spec.interface[limit].location: __proto__ is the key of no value: choose another word',
  ],
  [
    'a name that no value can have',
    described({ ...limit, name: '__proto__' }),
    'neutral',
    'spec.interface[__proto__].name: __proto__ is the key of no value: choose another word',
  ],
  [
    'a gap',
    described({ ...text, location: '1' }),
    'neutral',
    'spec.interface[text].location: the locations of args must be 0, 1, 2 and so on, without a gap: use one from 0 to 0',
  ],
  [
    'a place that may be left empty',
    described({ ...text, required: false }),
    'neutral',
    'spec.interface[text].default: set it, because args that follow keep their places when this one is left out',
  ],
  [
    'a default of another type',
    described({ ...limit, valueType: 'number', default: 'many' }),
    'neutral',
    'spec.interface[limit].default: must be a number of digits only, in quotes',
  ],
])('%s is refused with the field and the remedy', (_what, spec, dialect, says) => {
  expect(check(spec, dialect)).toBe(says);
});
