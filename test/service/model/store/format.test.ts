// Data files of older formats: what is in them is there once they are opened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';

const created_at = '2014-01-01T00:00:00';

/** A file as the first format had it, with these records of tenant t. */
function createFirst(records: readonly (readonly [kind: string, record: { readonly id: string }])[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'format-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'data.db');
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE record (position INTEGER PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT NOT NULL, id TEXT NOT NULL,
      body TEXT NOT NULL, UNIQUE (kind, tenant, id)) STRICT;
    CREATE TABLE start (number INTEGER PRIMARY KEY) STRICT;
    PRAGMA user_version = 1;
    INSERT INTO start DEFAULT VALUES;
  `);
  const insert = database.prepare("INSERT INTO record (kind, tenant, id, body) VALUES (?, 't', ?, ?)");
  for (const [kind, record] of records) insert.run(kind, record.id, JSON.stringify(record));
  database.close();
  return file;
}

test('bytes leave the records of the first format', () => {
  const data = Buffer.from([0, 1, 255]).toString('base64');
  const file = createFirst([['jobBinaryInternals', { id: 'a', name: 'b', datasize: 3, data, created_at } as never]]);
  for (const starts of [1, 2]) {
    const store = openSqliteStore(file);
    expect(store.starts).toBe(starts);
    expect(store.list('jobBinaryInternals', 't')).toEqual([{ id: 'a', name: 'b', datasize: 3, created_at }]);
    expect([...(store.bytes('t', 'a') ?? [])]).toEqual([0, 1, 255]);
    store.close();
  }
});

const cluster = (work: object | undefined, status: string, id = 'c') =>
  [
    'clusters',
    {
      id,
      name: id,
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      cluster_configs: {},
      anti_affinity: [],
      info: {},
      node_groups: [],
      created_at,
      updated_at: created_at,
      status,
      work,
    },
  ] as const;
const execution = (work: object, status: string) =>
  [
    'jobExecutions',
    {
      id: 'e',
      name: 'e',
      job_id: 'j',
      job_configs: {},
      interface: {},
      info: { status },
      data_source_urls: {},
      created_at,
      work,
    },
  ] as const;
const scale = { operation: 'scale', targets: { g: 1 }, grows: true, shrinks: false };

describe('stages of the first format', () => {
  test.each([
    ['neutral', { operation: 'start', stage: 0 }, 'Waiting'],
    ['neutral', { ...scale, stage: 4 }, 'Configuring'],
    ['sahara', { operation: 'start', stage: 2 }, 'Spawning'],
    ['sahara', { ...scale, stage: 4 }, 'Scaling: Waiting'],
    ['savanna', { ...scale, stage: 3 }, 'Deleting Instances'],
    ['savanna', { operation: 'delete', stage: 0 }, 'Deleting'],
  ] as const)('in %s %j has the name %s', (dialect, work, status) => {
    const store = openSqliteStore(createFirst([cluster(work, status)]), { dialect });
    expect(store.get('clusters', 't', 'c')?.work).toEqual({ ...work, stage: status });
    store.close();
  });

  test('those of executions, too', () => {
    const file = createFirst([execution({ operation: 'run', stage: 1 }, 'PREP')]);
    const store = openSqliteStore(file, { dialect: 'savanna' });
    expect(store.get('jobExecutions', 't', 'e')?.work).toEqual({ operation: 'run', stage: 'PREP' });
    store.close();
  });

  test('a status of a personality says nothing of the dialect', () => {
    const store = openSqliteStore(createFirst([cluster({ operation: 'start', stage: 1 }, 'Humming')]));
    expect(store.get('clusters', 't', 'c')?.work).toEqual({ operation: 'start', stage: 'Preparing' });
    store.close();
  });

  test.each([
    ['neutral', cluster({ operation: 'start', stage: 2 }, 'Spawning'), 'sahara or savanna'],
    ['neutral', cluster({ operation: 'start', stage: 5 }, 'Configuring'), 'sahara or savanna'],
    ['sahara', cluster({ operation: 'start', stage: 0 }, 'Waiting'), 'neutral'],
    ['savanna', execution({ operation: 'run', stage: 0 }, 'PENDING'), 'neutral or sahara'],
  ] as const)('%s does not go on with %j', (dialect, record, writers) => {
    const file = createFirst([record]);
    expect(() => openSqliteStore(file, { dialect })).toThrow(
      `cannot open data file ${file}: it was written with --dialect ${writers}, not ${dialect}; start with that dialect, or name another file with --data`,
    );
    // Nothing has changed: the right one still can.
    openSqliteStore(file, { dialect: writers.split(' ').at(-1) as 'neutral' }).close();
  });
});

test('a file keeps its dialect, also without work', () => {
  const file = createFirst([]);
  openSqliteStore(file, { dialect: 'sahara' }).close();
  expect(() => openSqliteStore(file)).toThrow('it was written with --dialect sahara, not neutral');
  openSqliteStore(file, { dialect: 'sahara' }).close();
});

test('a damaged row of the first format is named, and not quoted', () => {
  const file = createFirst([cluster(undefined, 'Active')]);
  const database = new DatabaseSync(file);
  database.exec("UPDATE record SET body = 'swordfish'");
  database.close();
  expect(() => openSqliteStore(file)).toThrow(
    `cannot open data file ${file}: row 1 is damaged: it is not JSON; restore the file from a backup`,
  );
});
