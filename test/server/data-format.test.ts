// Data files of older formats: what is in them is there once they are opened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/server/sqlite-store.ts';

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
