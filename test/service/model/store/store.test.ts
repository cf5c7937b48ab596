// Both stores keep records alike; the one on disk still has them, in order, when it is opened again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NodeGroupTemplateRecord } from '../../../../src/service/model/records/records.ts';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { createMemoryStore, type Store } from '../../../../src/service/model/store/store.ts';

const record = (id: string, name = id): NodeGroupTemplateRecord => ({
  id,
  name,
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  created_at: '2014-01-01T00:00:00',
  flavor_id: '1',
  node_processes: ['datanode'],
  node_configs: {},
  volumes_per_node: 0,
  volumes_size: 10,
  volume_mount_prefix: '/volumes/disk',
});

function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

const list = (store: Store, tenant = 't') =>
  store.list('nodeGroupTemplates', tenant).map(({ id, name }) => `${id} ${name}`);

test('on disk, either all of many records are replaced, or none', () => {
  const store = openSqliteStore(createFile());
  onTestFinished(() => store.close());
  const records = ['a', 'b'].map((id) => ({ tenant: 't', record: record(id) }));
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const broken = { tenant: 't', record: { ...record('c'), node_configs: circular as never } };
  expect(() => store.putAll('nodeGroupTemplates', [...records, broken])).toThrow('cannot write to the data file');
  expect(list(store)).toEqual([]);
  store.putAll('nodeGroupTemplates', records);
  expect(list(store)).toEqual(['a a', 'b b']);
});

describe.each([
  ['in memory', () => createMemoryStore()],
  ['on disk', () => openSqliteStore(createFile())],
])('%s', (_where, open) => {
  function openStore(): Store {
    const store = open();
    onTestFinished(() => store.close());
    return store;
  }

  test('an empty one has nothing', () => {
    const store = openStore();
    expect(store.starts).toBe(0);
    expect(store.tenants()).toEqual([]);
    expect(store.list('clusters', 't')).toEqual([]);
    expect(store.get('clusters', 't', 'x')).toBeUndefined();
  });

  test('records are kept in order of creation, also when they are replaced', () => {
    const store = openStore();
    for (const id of ['c', 'a', 'b']) store.put('nodeGroupTemplates', 't', record(id));
    store.put('nodeGroupTemplates', 't', record('c', 'new'));
    expect(list(store)).toEqual(['c new', 'a a', 'b b']);
  });

  test('a tenant whose last row is removed is none any more', () => {
    const store = openStore();
    for (const tenant of ['t', 'u']) for (const id of ['a', 'b']) store.put('nodeGroupTemplates', tenant, record(id));
    store.remove('nodeGroupTemplates', 't', 'a');
    store.remove('jobs', 't', 'b');
    expect(store.tenants()).toEqual(['t', 'u']);
    store.remove('nodeGroupTemplates', 't', 'b');
    store.remove('nodeGroupTemplates', 'x', 'b');
    expect([store.tenants(), store.size('t')]).toEqual([['u'], 0]);
    store.put('nodeGroupTemplates', 't', record('c'));
    expect([store.tenants(), list(store)]).toEqual([['u', 't'], ['c c']]);
  });

  test('many records are replaced at once', () => {
    const store = openStore();
    for (const id of ['a', 'b']) store.put('nodeGroupTemplates', 't', record(id));
    store.putAll('nodeGroupTemplates', [
      { tenant: 't', record: record('b', 'new') },
      { tenant: 'u', record: record('c') },
    ]);
    expect([list(store), list(store, 'u')]).toEqual([['a a', 'b new'], ['c c']]);
  });

  test('tenants and kinds are apart', () => {
    const store = openStore();
    store.put('nodeGroupTemplates', 't', record('a'));
    store.put('nodeGroupTemplates', 'u', record('a', 'other'));
    expect(store.get('nodeGroupTemplates', 't', 'a')?.name).toBe('a');
    expect(store.get('nodeGroupTemplates', 'u', 'a')?.name).toBe('other');
    expect(store.get('clusterTemplates', 't', 'a')).toBeUndefined();
    expect(store.tenants().toSorted()).toEqual(['t', 'u']);
  });

  test('what is removed is gone, and only that', () => {
    const store = openStore();
    for (const id of ['a', 'b']) store.put('nodeGroupTemplates', 't', record(id));
    store.remove('nodeGroupTemplates', 't', 'a');
    store.remove('nodeGroupTemplates', 't', 'none');
    store.remove('nodeGroupTemplates', 'none', 'b');
    expect(list(store)).toEqual(['b b']);
  });

  test('bytes are kept beside their record, stay when it changes, and go with it', () => {
    const store = openStore();
    const upload = { id: 'a', name: 'a', datasize: 3, created_at: '2014-01-01T00:00:00' };
    store.put('jobBinaryInternals', 't', upload, new Uint8Array([0, 1, 255]));
    store.put('jobBinaryInternals', 't', { ...upload, name: 'new' });
    expect([...(store.bytes('t', 'a') ?? [])]).toEqual([0, 1, 255]);
    expect(store.bytes('u', 'a')).toBeUndefined();
    store.remove('jobBinaryInternals', 't', 'a');
    expect(store.bytes('t', 'a')).toBeUndefined();
    expect(store.count('jobBinaryInternals', 't')).toBe(0);
  });

  test('names of tenants are only names', () => {
    const store = openStore();
    for (const tenant of ['__proto__', 'constructor', "'; DROP TABLE record; --", '']) {
      store.put('nodeGroupTemplates', tenant, record('a'));
      expect(list(store, tenant)).toEqual(['a a']);
    }
  });
});

describe('on disk', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ put: id, name: fc.string() }),
    fc.record({ remove: id }),
    fc.constant('reopen' as const),
  );

  test('whatever happens, it holds what memory would hold', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const folder = mkdtempSync(join(tmpdir(), 'store-'));
        const file = join(folder, 'data.db');
        const memory = createMemoryStore();
        let store = openSqliteStore(file);
        for (const item of steps) {
          if (item === 'reopen') {
            store.close();
            store = openSqliteStore(file);
          } else if ('put' in item) {
            for (const each of [memory, store]) each.put('nodeGroupTemplates', 't', record(item.put, item.name));
          } else for (const each of [memory, store]) each.remove('nodeGroupTemplates', 't', item.remove);
          expect(list(store)).toEqual(list(memory));
        }
        store.close();
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });

  test('it counts how often it was opened', () => {
    const file = createFile();
    for (const starts of [0, 1, 2]) {
      const store = openSqliteStore(file);
      expect(store.starts).toBe(starts);
      store.close();
    }
  });

  test('a second service is kept off', () => {
    const file = createFile();
    const store = openSqliteStore(file);
    expect(() => openSqliteStore(file)).toThrow(
      `cannot open data file ${file}: database is locked; another service uses it: end that one, or run a single replica`,
    );
    store.close();
    openSqliteStore(file).close();
  });

  test('a file of something else is refused, and left as it is', () => {
    const file = createFile();
    writeFileSync(file, 'this is a letter to my aunt, and no database at all'.repeat(100));
    expect(() => openSqliteStore(file)).toThrow(/^cannot open data file .*: file is not a database$/);
  });

  test('a file of a later format is refused', () => {
    const file = createFile();
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 9');
    database.close();
    expect(() => openSqliteStore(file)).toThrow(
      `cannot open data file ${file}: its format is 9, and this release knows 2; use the release that wrote it`,
    );
  });

  test('a folder that is not there is told', () => {
    expect(() => openSqliteStore('/nowhere/at/all/data.db')).toThrow(/^cannot open data file \/nowhere/);
  });
});
