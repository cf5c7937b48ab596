// The tables of the data file, and the migration of older formats.
import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, dialects } from '../../../wire/dialect.ts';

type StageNames = Readonly<Record<string, readonly string[]>>;

/** The stages of that release, independent of later changes. */
const upstreamStart = ['Validating', 'InfraUpdating', 'Spawning', 'Waiting', 'Preparing', 'Configuring', 'Starting'];
const lateRun = ['PENDING', 'PREP', 'RUNNING'];
const ended = { cancel: ['TOBEKILLED'], delete: ['TOBEKILLED'] };

const clusterStages: Readonly<Record<Dialect, StageNames>> = {
  neutral: {
    start: ['Waiting', 'Preparing', 'Configuring', 'Starting'],
    scale: ['Validating', 'Decommissioning', 'Scaling', 'Waiting', 'Configuring'],
    delete: ['Deleting'],
  },
  sahara: {
    start: upstreamStart,
    scale: [
      'Validating',
      'Decommissioning',
      'Scaling',
      'Scaling: Spawning',
      'Scaling: Waiting',
      'Scaling: Preparing',
      'Configuring',
    ],
    delete: ['Deleting'],
  },
  savanna: {
    start: upstreamStart,
    scale: ['Validating', 'Scaling', 'Decommissioning', 'Deleting Instances', 'Adding Instances', 'Configuring'],
    delete: ['Deleting'],
  },
};

const executionStages: Readonly<Record<Dialect, StageNames>> = {
  neutral: { run: lateRun, ...ended },
  sahara: { run: lateRun, ...ended, suspend: ['TOBESUSPENDED'] },
  savanna: { run: ['Pending', 'PREP', 'RUNNING'], cancel: ['KILLED'] },
};

const words = new Set(
  [clusterStages, executionStages].flatMap((of) => Object.values(of).flatMap(Object.values)).flat(),
);

/** A record with work of the first format. `status`: the status that it shows. */
interface NumberedWork {
  readonly kind: string;
  readonly operation: string;
  readonly stage: number;
  readonly status: string;
}

/** The name of the stage in a dialect. Undefined if the dialect has no stage of this number, or shows another status there. */
function stageName(dialect: Dialect, { kind, operation, stage, status }: NumberedWork): string | undefined {
  const stages = kind === 'jobExecutions' ? executionStages : clusterStages;
  const name = stages[dialect][operation]?.[stage];
  // A status that no dialect has comes from a wrapper that injects faults, so it does not identify the dialect.
  return name === status || !words.has(status) ? name : undefined;
}

/** The dialects that can have written all of these records. */
const writersOf = (works: readonly NumberedWork[]): readonly Dialect[] =>
  dialects.filter((dialect) => works.every((work) => stageName(dialect, work) !== undefined));

/** Stored in `user_version`. Format 1 has the bytes of internal binaries in their records as base64, stage numbers in work, and no dialect. */
const formatVersion = 2;

const tables = `
  CREATE TABLE IF NOT EXISTS record (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (kind, tenant, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS start (number INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS content (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS property (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

function readProperty(database: DatabaseSync, name: string): string | undefined {
  const row = database.prepare('SELECT value FROM property WHERE name = ?').get(name);
  return row === undefined ? undefined : String(row['value']);
}

/** Runs `work` in a transaction. A full disk can have ended the transaction already. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw cause;
  }
}

/** The message of the parser would quote the row, which can contain secrets. */
function parseBody(position: unknown, body: unknown): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(String(body)) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error(`row ${String(position)} is damaged: it is not JSON; restore the file from a backup`);
  }
}

/** Moves one binary at a time, because all of them together can exceed the memory. */
function moveBytes(database: DatabaseSync): void {
  const internal = "SELECT position FROM record WHERE kind = 'jobBinaryInternals'";
  const positions = database.prepare(internal).all();
  const read = database.prepare('SELECT tenant, id, body FROM record WHERE position = ?');
  const keep = database.prepare('INSERT INTO content (tenant, id, bytes) VALUES (?, ?, ?)');
  const write = database.prepare('UPDATE record SET body = ? WHERE position = ?');
  for (const { position = null } of positions) {
    const { tenant = null, id = null, body } = read.get(position) ?? {};
    const { data, ...record } = parseBody(position, body);
    keep.run(tenant, id, Buffer.from(String(data), 'base64'));
    write.run(JSON.stringify(record), position);
  }
}

interface UnfinishedRecord {
  readonly position: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly work: NumberedWork;
}

function unfinishedIn(database: DatabaseSync): readonly UnfinishedRecord[] {
  const rows = database.prepare("SELECT position, kind, body FROM record WHERE kind IN ('clusters', 'jobExecutions')");
  return [...rows.iterate()].flatMap((row) => {
    const body = parseBody(row['position'], row['body']);
    const { work, status, info } = body as {
      readonly work?: Pick<NumberedWork, 'operation' | 'stage'>;
      readonly status?: string;
      readonly info?: { readonly status?: string };
    };
    if (work === undefined) return [];
    const numbered = { ...work, kind: String(row['kind']), status: String(status ?? info?.status) };
    return [{ position: Number(row['position']), body, work: numbered }];
  });
}

/** Throws if the work in the file shows that it was written in another dialect. */
function nameStages(database: DatabaseSync, dialect: Dialect): void {
  const unfinished = unfinishedIn(database);
  const writers = writersOf(unfinished.map(({ work }) => work));
  if (!writers.includes(dialect)) throw otherDialect(writers, dialect);
  const write = database.prepare('UPDATE record SET body = ? WHERE position = ?');
  for (const { position, body, work } of unfinished) {
    const stage = stageName(dialect, work);
    write.run(JSON.stringify({ ...body, work: { ...(body['work'] as object), stage } }), position);
  }
}

function otherDialect(writers: readonly string[], dialect: Dialect): Error {
  const written = writers.length === 0 ? 'another dialect' : `--dialect ${writers.join(' or ')}`;
  return new Error(
    `it was written with ${written}, not ${dialect}; start with that dialect, or name another file with --data`,
  );
}

function checkDialect(database: DatabaseSync, dialect: Dialect): void {
  const writer = readProperty(database, 'dialect');
  if (writer === undefined) database.prepare("INSERT INTO property (name, value) VALUES ('dialect', ?)").run(dialect);
  else if (writer !== dialect) throw otherDialect([writer], dialect);
}

/** Release 0.2 could encrypt the bodies of rows and the bytes of binaries. Such a file has a text to check its key with. */
function refuseEncrypted(database: DatabaseSync): void {
  if (readProperty(database, 'key-check') === undefined) return;
  throw new Error(
    'it is encrypted, as releases until 0.2 did with --key-file; decrypt it with npm run decrypt -- FILE KEY-FILE, as docs/how-to/upgrade.md describes',
  );
}

/** Creates the tables of a new file, or migrates an older format. Throws if the file is encrypted, the format is later, or the dialect is another. */
export function bringUpToDate(database: DatabaseSync, dialect: Dialect): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version > formatVersion)
    throw new Error(
      `its format is ${version}, and this release knows ${formatVersion}; use the release that wrote it, or another file`,
    );
  if (version === formatVersion) refuseEncrypted(database);
  // A file that is up to date is not written to: its volume can be full.
  if (version === formatVersion && readProperty(database, 'dialect') === dialect) return;
  inTransaction(database, () => {
    database.exec(tables);
    if (version === 1) {
      nameStages(database, dialect);
      moveBytes(database);
    }
    checkDialect(database, dialect);
    database.exec(`PRAGMA user_version = ${formatVersion}`);
  });
}
