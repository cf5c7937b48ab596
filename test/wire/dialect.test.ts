// Renaming between vocabularies: what it must change, what it must never touch, and that it can be undone.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  apiPrefix,
  capabilities,
  type Dialect,
  dialects,
  fromWire,
  internalUrl,
  renameField,
  toWire,
} from '../../src/wire/dialect.ts';

const words = ['bigdata_version', 'hadoop_version', 'network_management_network', 'neutron_management_network'];
const containers = [
  'node_groups',
  'cluster',
  'clusters',
  'metadata',
  'node_configs',
  'cluster_configs',
  'info',
  'configs',
];
const key = fc.oneof(
  fc.constantFrom(...words, ...containers),
  fc.constantFrom('url', 'engine_job_id', 'oozie_job_id', 'job_configs'),
  fc.constantFrom('_svc_tag_a', '_sahara_tag_a', '_savanna_username', '_svc_', '__proto__', 'constructor'),
  fc.string({ maxLength: 6 }),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom('internal-db://1', 'savanna-db://1'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('body'), { maxLength: 4 }),
    fc.dictionary(key, tie('body'), { maxKeys: 6 }),
  ),
}));
const configs = fc.dictionary(key, fc.dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.boolean())));
const dialect = fc.constantFrom(...dialects);
const branded = ['sahara', 'savanna'] as const satisfies readonly Dialect[];

describe('properties of renaming', () => {
  test('what was written can be read back, whatever it was', () => {
    fc.assert(
      fc.property(dialect, body, (spoken, value) => {
        expect(fromWire(spoken, toWire(spoken, value))).toEqual(value);
      }),
    );
  });

  test('what was read can be written back', () => {
    fc.assert(
      fc.property(dialect, body, (spoken, value) => {
        expect(toWire(spoken, fromWire(spoken, value))).toEqual(value);
      }),
    );
  });

  test('keys inside user data stay as they are, at every place where it occurs', () => {
    fc.assert(
      fc.property(dialect, configs, (spoken, data) => {
        const group = { name: 'g', node_configs: data };
        const cluster = { cluster_configs: data, info: data, node_groups: [group] };
        const wire = toWire(spoken, { clusters: [cluster], plugin: { configs: data } });
        expect(wire).toEqual({ clusters: [cluster], plugin: { configs: data } });
      }),
    );
  });

  test('the input is not changed', () => {
    fc.assert(
      fc.property(dialect, body, (spoken, value) => {
        const before = JSON.stringify(value);
        toWire(spoken, value);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  test('renaming a field twice gives the field', () => {
    fc.assert(fc.property(dialect, key, (spoken, field) => renameField(spoken, renameField(spoken, field)) === field));
  });

  test('a value never becomes a prototype', () => {
    const hostile = JSON.parse('{"cluster": {"__proto__": {"polluted": true}}}') as unknown;
    const read = fromWire('sahara', hostile) as { cluster: object };
    expect(Object.hasOwn(read.cluster, '__proto__')).toBe(true);
    expect('polluted' in read.cluster).toBe(false);
  });
});

describe('words', () => {
  test('neutral bodies go out as they are', () => {
    const value = { bigdata_version: '1', metadata: { _svc_username: 'u' } };
    expect(toWire('neutral', value)).toBe(value);
    expect(fromWire('neutral', value)).toBe(value);
  });

  test.each(branded)('%s has its own words at the top, in rows and in groups', (spoken) => {
    const row = { bigdata_version: '1', network_management_network: 'n', node_groups: [{ bigdata_version: '2' }] };
    const wire = { hadoop_version: '1', neutron_management_network: 'n', node_groups: [{ hadoop_version: '2' }] };
    expect(toWire(spoken, row)).toEqual(wire);
    expect(toWire(spoken, { cluster: row })).toEqual({ cluster: wire });
    expect(toWire(spoken, { clusters: [row, row] })).toEqual({ clusters: [wire, wire] });
    expect(fromWire(spoken, { clusters: [wire] })).toEqual({ clusters: [row] });
  });

  test.each([
    ['sahara', '_sahara_'],
    ['savanna', '_savanna_'],
  ] as const)('%s metadata keys begin with %s', (spoken, prefix) => {
    const metadata = { [`${prefix}username`]: 'u', [`${prefix}tag_a`]: 'True', other: 'x' };
    expect(fromWire(spoken, { image: { metadata } })).toEqual({
      image: { metadata: { _svc_username: 'u', _svc_tag_a: 'True', other: 'x' } },
    });
  });

  test('early releases have their own scheme for the binaries that the service keeps, and another word for the engine', () => {
    const rows = { jobs: [{ mains: [{ url: 'internal-db://1' }] }], job_execution: { engine_job_id: 'e' } };
    expect(toWire('savanna', rows)).toEqual({
      jobs: [{ mains: [{ url: 'savanna-db://1' }] }],
      job_execution: { oozie_job_id: 'e' },
    });
    expect(toWire('sahara', rows)).toEqual(rows);
    expect(fromWire('savanna', { url: 'internal-db://1' })).toEqual({ url: 'savanna-db://1' });
    expect(toWire('savanna', { url: 'swift://internal-db://1' })).toEqual({ url: 'swift://internal-db://1' });
    expect(['neutral', 'sahara', 'savanna'].map((spoken) => internalUrl(spoken as Dialect))).toEqual([
      'internal-db://',
      'internal-db://',
      'savanna-db://',
    ]);
  });

  test.each(branded)('what users say in jobs is not renamed: %s', (spoken) => {
    const data = { bigdata_version: '1', engine_job_id: 'x', url: 'internal-db://1' };
    const body = { job_configs: { configs: data, params: data }, interface: data, credentials: data, extra: data };
    expect(toWire(spoken, { ...body, data_source_urls: data })).toEqual({ ...body, data_source_urls: data });
  });

  test.each(branded)('a neutral word from a %s peer stays recognisable as foreign', (spoken) => {
    expect(fromWire(spoken, { bigdata_version: '1' })).toEqual({ hadoop_version: '1' });
  });
});

describe('what a dialect can carry', () => {
  test('neutral is the interface as written', () => {
    expect(apiPrefix('neutral')).toBe('v1.0');
    expect(Object.entries(capabilities('neutral')).filter(([, can]) => can)).toEqual([['startNeedsKeypair', true]]);
  });

  test('upstream takes more; its late release under v1.1', () => {
    expect([apiPrefix('sahara'), apiPrefix('savanna')]).toEqual(['v1.1', 'v1.0']);
    for (const spoken of branded) {
      const no = Object.entries(capabilities(spoken)).filter(([, can]) => !can);
      expect(no).toEqual([['startNeedsKeypair', false]]);
    }
  });
});
