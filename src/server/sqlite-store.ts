// The store that survives: every change is in the file, and the file on the disk, before the call returns.
import { DatabaseSync } from 'node:sqlite';
import type { Kind, Records } from './records.ts';
import { createMemoryStore, type Store } from './store.ts';

const schemaVersion = 1;

// synchronous=FULL makes each commit wait for the disk. The exclusive lock keeps a second service off the same file.
const setup = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS record (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (kind, tenant, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS start (number INTEGER PRIMARY KEY) STRICT;
`;

function prepareDatabase(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version !== 0 && version !== schemaVersion) throw new Error(`its format is ${version}, not ${schemaVersion}`);
  database.exec(`${setup} PRAGMA user_version = ${schemaVersion}; INSERT INTO start DEFAULT VALUES;`);
}

function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    prepareDatabase(database);
    return database;
  } catch (cause) {
    database?.close();
    throw new Error(`cannot open data file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Reads all records into memory; reads are served from there. */
function load(database: DatabaseSync): Store {
  const before = Number(database.prepare('SELECT count(*) AS starts FROM start').get()?.starts ?? 1) - 1;
  const memory = createMemoryStore(before);
  for (const row of database.prepare('SELECT kind, tenant, body FROM record ORDER BY position').iterate()) {
    // Written by put below, hence of this shape.
    memory.put(row.kind as Kind, String(row.tenant), JSON.parse(String(row.body)) as Records[Kind]);
  }
  return memory;
}

/** Opens or creates the data file. Throws `cannot open data file ...` when it is in use, damaged or of another format. */
export function openSqliteStore(file: string): Store {
  const database = openDatabase(file);
  const memory = load(database);
  const write = database.prepare(
    'INSERT INTO record (kind, tenant, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (kind, tenant, id) DO UPDATE SET body = excluded.body',
  );
  const erase = database.prepare('DELETE FROM record WHERE kind = ? AND tenant = ? AND id = ?');
  return {
    ...memory,
    // The file first: what a reader can see has been made durable.
    put(kind, tenant, record) {
      write.run(kind, tenant, record.id, JSON.stringify(record));
      memory.put(kind, tenant, record);
    },
    remove(kind, tenant, id) {
      erase.run(kind, tenant, id);
      memory.remove(kind, tenant, id);
    },
    close: () => database.close(),
  };
}
