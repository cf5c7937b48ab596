// Job: what is sent, literally, what its content is, and what status tells of it.
import { describe, expect, test } from 'vitest';
import { jobKind } from '../../../../src/operator/kinds/job/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { objectDifference, wantedOf } from '../../../../src/operator/reconcile/observe/object-difference.ts';
import { dialects, toWire } from '../../../../src/wire/dialect.ts';
import { jobCreate } from '../../../../src/wire/jobs.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf, masterId, workerId } from '../support/mapping.ts';

const kind = jobKind;
const shortest = { type: 'Spark', mains: [{ jobBinaryRef: { name: 'worker' } }] };
const text = { name: 'text', mappingType: 'args', location: '0', required: true };
const limit = { name: 'limit', mappingType: 'configs', location: 'x.limit', required: false, default: '7' };
const full = {
  ...shortest,
  name: 'words',
  description: 'counts words',
  libs: [{ jobBinaryID: masterId }],
  interface: [{ ...text, valueType: 'data_source', description: 'to count' }, limit],
};
const specOf = (spec: unknown) => kind.definition.spec.parse(spec);
const bodyOf = (spec: unknown) => kind.desired(specOf(spec), givenOf()).body;
const contentOf = (spec: unknown, hash = 'h') => kind.content(specOf(spec), ({ name }) => `${hash} of ${name}`);

describe('what is sent', () => {
  test('the shortest', () => {
    expect(bodyOf(shortest)).toStrictEqual({ name: 'etl-name', type: 'Spark', mains: [workerId] });
  });

  test('the longest', () => {
    expect(bodyOf(full)).toStrictEqual({
      name: 'etl-name',
      type: 'Spark',
      description: 'counts words',
      mains: [workerId],
      libs: [masterId],
      interface: [
        {
          name: 'text',
          description: 'to count',
          mapping_type: 'args',
          location: '0',
          required: true,
          value_type: 'data_source',
        },
        { name: 'limit', mapping_type: 'configs', location: 'x.limit', required: false, default: '7' },
      ],
    });
  });

  test('an empty list is not sent', () => {
    expect(bodyOf({ ...shortest, libs: [], interface: [] })).toStrictEqual(bodyOf(shortest));
  });

  test('an empty list is compared with an object that is to be adopted', () => {
    const spec = specOf({ ...shortest, libs: [], interface: [] });
    const found = { type: 'Spark', mains: [{ id: workerId }] };
    const differing = (more: object) =>
      objectDifference(wantedOf(spec, bodyOf(spec) as object), { ...found, ...more }).map(({ path }) => path);
    expect(differing({})).toEqual([]);
    expect(differing({ libs: [], interface: [] })).toEqual([]);
    expect(differing({ libs: [{ id: masterId }], interface: [{ name: 'text' }] })).toEqual([
      'spec.libs',
      'spec.interface',
    ]);
  });

  test('is the same in all dialects, and passes the request schema of the interface', () => {
    for (const dialect of dialects) expect(toWire(dialect, bodyOf(full))).toStrictEqual(bodyOf(full));
    for (const spec of [shortest, full]) expect(jobCreate.safeParse(bodyOf(spec)).error).toBeUndefined();
  });
});

describe('the content', () => {
  test('has nothing for people but the words of the interface, and empty lists are none', () => {
    expect(contentOf({ ...full, description: 'other' })).toStrictEqual(contentOf(full));
    expect(contentOf({ ...shortest, libs: [], interface: [] })).toEqual(contentOf(shortest));
  });

  test('is another one when a binary has another revision, or another place', () => {
    expect(contentOf(full, 'other')).not.toEqual(contentOf(full));
    const [one, other] = [{ jobBinaryID: masterId }, { jobBinaryID: workerId }];
    expect(contentOf({ ...full, libs: [one, other] })).not.toEqual(contentOf({ ...full, libs: [other, one] }));
  });

  test.each([
    ['type', { ...full, type: 'Shell' }],
    ['an argument', { ...full, interface: [text] }],
    ['a default', { ...full, interface: [full.interface[0], { ...limit, default: '9' }] }],
  ])('is another one with another %s', (_what, other) => {
    expect(contentOf(other)).not.toEqual(contentOf(full));
  });

  test('an interface in another order is the same', () => {
    expect(contentOf({ ...full, interface: full.interface.toReversed() })).toStrictEqual(contentOf(full));
  });
});

describe('the kind', () => {
  const row: RemoteObject = { id: 'x', name: 'y' };

  test('refers to the binaries, each by its field', () => {
    expect(kind.references(specOf({ ...full, libs: [...full.libs, { jobBinaryRef: { name: 'small' } }] }), '')).toEqual(
      [
        { field: 'spec.mains[0].jobBinaryRef', kind: 'JobBinary', name: 'worker' },
        { field: 'spec.libs[1].jobBinaryRef', kind: 'JobBinary', name: 'small' },
      ],
    );
  });

  test('its binaries must not be deleted before it', () => {
    const remote = { ...row, mains: [{ id: 'm', name: 'a' }], libs: [{ id: 'l', name: 'b' }] };
    expect(kind.referencesIn.routes).toEqual(['jobBinaries']);
    expect(kind.referencesIn.of(remote)).toEqual([
      { route: 'jobBinaries', id: 'm' },
      { route: 'jobBinaries', id: 'l' },
    ]);
    expect(kind.referencesIn.of(row)).toEqual([]);
  });

  test('is never changed', () => {
    expect(kind.health(row)).toEqual({ state: 'ready' });
    expect('change' in kind).toBe(false);
  });

  test('status tells what the service has, cleaned and bounded', () => {
    const told = (remote: object) => kind.report({ ...row, ...remote }, specOf(full), ledgerOf(), '');
    const many = Array.from({ length: 99 }, (_, n) => ({ id: `l\u0007${n}`, name: 'b' }));
    const { libs, ...rest } = told({ type: 'Spark', mains: [{ id: 'm', name: 'a' }], libs: many });
    expect(rest).toStrictEqual({ type: 'Spark', mains: ['m'] });
    expect(libs).toHaveLength(50);
    expect(libs).toContain('l 7');
    expect(told({})).toStrictEqual({});
  });
});
