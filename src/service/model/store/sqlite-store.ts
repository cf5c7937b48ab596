// The durable store. Every change is on the disk before the call returns.
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { isNoSpace } from '../disk/space.ts';
import { fullMessage, noRoom, Volume } from '../disk/volume.ts';
import type { Kind, Records } from '../records/records.ts';
import { bringUpToDate, inTransaction } from './format.ts';
import { createPrivate, warnIfShared } from './private-files.ts';
import { readRows } from './read-rows.ts';
import { insistOn, Shrinking } from './shrinking.ts';
import { createMemoryStore, NotStored, type Store } from './store.ts';

export interface StoreOptions {
  readonly dialect: Dialect;
  readonly log: Log;
}

const defaults: StoreOptions = {
  dialect: 'neutral',
  log: { debug() {}, info() {}, warn() {}, error() {} },
};

// synchronous=FULL makes each commit wait for the disk. The exclusive lock prevents a second service on the same file. secure_delete overwrites
// deleted and replaced content, which can contain passwords. auto_vacuum lets a new file become smaller again.
const lock = 'PRAGMA locking_mode = EXCLUSIVE;';
const setup = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;';
const setupNew = 'PRAGMA auto_vacuum = INCREMENTAL;';

/** Writes only to a new file, so that one on a volume without any room can be read. */
function setUp(database: DatabaseSync): void {
  database.exec(lock);
  if (database.prepare('PRAGMA page_count').get()?.['page_count'] === 0) database.exec(setupNew);
  database.exec(setup);
}

/** The last room of a full volume is for deletions. */
function countStart(database: DatabaseSync, { isFull }: Volume): void {
  if (!isFull) database.exec('INSERT INTO start DEFAULT VALUES');
}

/** Loads all records into memory, from where reads are served. */
function load({ database, volume }: Omit<Opened, 'memory'>, dialect: Dialect): Store {
  const before = Number(database.prepare('SELECT count(*) AS starts FROM start').get()?.starts ?? 0);
  const memory = createMemoryStore(before);
  for (const { kind, tenant, record } of readRows(database, dialect)) memory.put(kind, tenant, record);
  countStart(database, volume);
  return memory;
}

/** What to do about the messages of SQLite for a file with damaged pages, and for one that another process has open. */
const remedies = new Map([
  ['database disk image is malformed', 'restore the file from a backup'],
  ['database is locked', 'another service uses it: end that one, or run a single replica'],
]);

function explain(cause: unknown): string {
  if (isNoSpace(cause)) return fullMessage;
  const why = messageOf(cause);
  const remedy = remedies.get(why);
  return remedy === undefined ? why : `${why}; ${remedy}`;
}

interface Opened {
  readonly database: DatabaseSync;
  readonly volume: Volume;
  readonly memory: Store;
}

function open(file: string, { dialect, log }: StoreOptions): Opened {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would create a file that everybody can read. The files that it adds get the mode of this file.
    createPrivate(file);
    for (const part of ['', '-wal', '-shm', '-journal']) warnIfShared('data file', `${file}${part}`, log);
    const opening = (database = new DatabaseSync(file));
    const volume = new Volume({ reserve: `${file}-reserve`, log });
    volume.insist(() => {
      setUp(opening);
      bringUpToDate(opening, dialect);
    });
    const opened = { database, volume };
    return { ...opened, memory: load(opened, dialect) };
  } catch (cause) {
    database?.close();
    throw new Error(`cannot open data file ${file}: ${explain(cause)}`, { cause });
  }
}

function contentOf({ database }: Opened) {
  const keep = database.prepare('INSERT OR REPLACE INTO content (tenant, id, bytes) VALUES (?, ?, ?)');
  const read = database.prepare('SELECT bytes FROM content WHERE tenant = ? AND id = ?');
  const drop = database.prepare('DELETE FROM content WHERE tenant = ? AND id = ?');
  return {
    keep: (tenant: string, id: string, bytes: Uint8Array) => keep.run(tenant, id, bytes),
    read: (tenant: string, id: string) => read.get(tenant, id)?.bytes as Uint8Array | undefined,
    drop: (tenant: string, id: string) => drop.run(tenant, id),
  };
}

function rowsOf({ database }: Opened) {
  const write = database.prepare(
    'INSERT INTO record (kind, tenant, id, body) VALUES (?, ?, ?, ?) ON CONFLICT (kind, tenant, id) DO UPDATE SET body = excluded.body',
  );
  const erase = database.prepare('DELETE FROM record WHERE kind = ? AND tenant = ? AND id = ?');
  return {
    write: (kind: Kind, tenant: string, record: Records[Kind]) =>
      write.run(kind, tenant, record.id, JSON.stringify(record)),
    erase: (kind: Kind, tenant: string, id: string) => erase.run(kind, tenant, id),
  };
}

/** Throws `NotStored` if the file cannot be written. Reads continue from memory, and the next change tries again. */
function writing(write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new NotStored(`cannot write to the data file: ${explain(cause)}; nothing was changed`, { cause });
  }
}

function checkRoom(volume: Volume): void {
  if (!volume.isFull) return;
  volume.refresh();
  throw noRoom();
}

/** In characters. */
const mostGrowth = 4096;

/** Whether the record of a cluster or a run changes, as it does by itself, without becoming much larger. */
function isStateChange(kind: Kind, before: Records[Kind] | undefined, after: Records[Kind]): boolean {
  if (before === undefined || (kind !== 'clusters' && kind !== 'jobExecutions')) return false;
  return JSON.stringify(after).length <= JSON.stringify(before).length + mostGrowth;
}

const putAllOf =
  ({ database, volume, memory }: Opened, write: ReturnType<typeof rowsOf>['write']): Store['putAll'] =>
  (kind, records) => {
    const isChange = records.every(({ tenant, record }) =>
      isStateChange(kind, memory.get(kind, tenant, record.id), record),
    );
    const writeAll = () => records.forEach(({ tenant, record }) => write(kind, tenant, record));
    writing(() => {
      if (!isChange) checkRoom(volume);
      insistOn({ database, volume }, () => inTransaction(database, writeAll));
    });
    memory.putAll(kind, records);
  };

/** Removes a row with its content. */
const eraserOf =
  ({ database }: Opened, rows: ReturnType<typeof rowsOf>, content: ReturnType<typeof contentOf>) =>
  (kind: Kind, tenant: string, id: string): void => {
    if (kind !== 'jobBinaryInternals') return void rows.erase(kind, tenant, id);
    inTransaction(database, () => {
      content.drop(tenant, id);
      rows.erase(kind, tenant, id);
    });
  };

/**
 * Opens or creates the data file. Throws `cannot open data file ...` if it is in use, damaged, encrypted, or of a later format or another dialect.
 */
export function openSqliteStore(file: string, options: Partial<StoreOptions> = {}): Store {
  const settings = { ...defaults, ...options };
  const opened = open(resolve(file), settings);
  const { database, memory, volume } = opened;
  const [rows, content] = [rowsOf(opened), contentOf(opened)];
  const erase = eraserOf(opened, rows, content);
  const shrinking = new Shrinking({ database, volume, log: settings.log });
  return {
    ...memory,
    volume,
    bytes: content.read,
    // The file comes first, so that readers see only durable changes.
    put(kind, tenant, record, bytes) {
      writing(() => {
        if (isStateChange(kind, memory.get(kind, tenant, record.id), record))
          return insistOn(opened, () => void rows.write(kind, tenant, record));
        checkRoom(volume);
        if (bytes === undefined) return void rows.write(kind, tenant, record);
        inTransaction(database, () => {
          content.keep(tenant, record.id, bytes);
          rows.write(kind, tenant, record);
        });
      });
      memory.put(kind, tenant, record);
    },
    putAll: putAllOf(opened, rows.write),
    remove(kind, tenant, id) {
      writing(() => insistOn(opened, () => erase(kind, tenant, id)));
      memory.remove(kind, tenant, id);
      shrinking.begin();
    },
    close() {
      shrinking.close();
      database.close();
    },
  };
}
