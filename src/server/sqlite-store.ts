// The store that survives: every change is in the file, and the file on the disk, before the call returns.
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '../ports.ts';
import { bringUpToDate, inTransaction } from './data-format.ts';
import { createPrivate, warnIfShared } from './private-files.ts';
import type { Kind, Records } from './records.ts';
import { createMemoryStore, type Store } from './store.ts';

// synchronous=FULL makes each commit wait for the disk. The exclusive lock keeps a second service off the same file.
export interface StoreOptions {
  readonly log: Log;
}

const silence: Log = { debug() {}, info() {}, warn() {}, error() {} };

const setup = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
`;

/** Reads all records into memory; reads are served from there. */
function load(database: DatabaseSync): Store {
  const before = Number(database.prepare('SELECT count(*) AS starts FROM start').get()?.starts ?? 0);
  const memory = createMemoryStore(before);
  for (const row of database.prepare('SELECT kind, tenant, body FROM record ORDER BY position').iterate()) {
    // Written by put below, hence of this shape.
    memory.put(row.kind as Kind, String(row.tenant), JSON.parse(String(row.body)) as Records[Kind]);
  }
  database.exec('INSERT INTO start DEFAULT VALUES');
  return memory;
}

function open(file: string, { log }: StoreOptions): { readonly database: DatabaseSync; readonly memory: Store } {
  let database: DatabaseSync | undefined;
  try {
    // Before SQLite makes it, which would let everybody read it. What it puts beside the file gets the mode of the file.
    createPrivate(file);
    for (const part of ['', '-wal', '-shm', '-journal']) warnIfShared('data file', `${file}${part}`, log);
    database = new DatabaseSync(file);
    database.exec(setup);
    bringUpToDate(database);
    return { database, memory: load(database) };
  } catch (cause) {
    database?.close();
    throw new Error(`cannot open data file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Opens or creates the data file. Throws `cannot open data file ...` when it is in use, damaged or of a later format. */
export function openSqliteStore(name: string, options: Partial<StoreOptions> = {}): Store {
  const { database, memory } = open(resolve(name), { log: silence, ...options });
  const write = database.prepare(
    'INSERT INTO record (kind, tenant, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (kind, tenant, id) DO UPDATE SET body = excluded.body',
  );
  const erase = database.prepare('DELETE FROM record WHERE kind = ? AND tenant = ? AND id = ?');
  const keep = database.prepare('INSERT OR REPLACE INTO content (tenant, id, bytes) VALUES (?, ?, ?)');
  const read = database.prepare('SELECT bytes FROM content WHERE tenant = ? AND id = ?');
  const drop = database.prepare('DELETE FROM content WHERE tenant = ? AND id = ?');
  return {
    ...memory,
    bytes: (tenant, id) => read.get(tenant, id)?.bytes as Uint8Array | undefined,
    // The file first: what a reader can see has been made durable.
    put(kind, tenant, record, bytes) {
      const writeRecord = () => write.run(kind, tenant, record.id, JSON.stringify(record));
      if (bytes === undefined) writeRecord();
      else
        inTransaction(database, () => {
          keep.run(tenant, record.id, bytes);
          writeRecord();
        });
      memory.put(kind, tenant, record);
    },
    remove(kind, tenant, id) {
      const eraseRecord = () => erase.run(kind, tenant, id);
      if (kind !== 'jobBinaryInternals') eraseRecord();
      else
        inTransaction(database, () => {
          drop.run(tenant, id);
          eraseRecord();
        });
      memory.remove(kind, tenant, id);
    },
    close: () => database.close(),
  };
}
