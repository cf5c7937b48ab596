// Reads the rows of the data file as records, and reports a damaged row with a remedy.
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../lib/errors.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { titles } from '../records/checks.ts';
import type { Kind, Records } from '../records/records.ts';
import type { Codec } from './encryption.ts';
import { isKind, readRecord } from './record-schemas.ts';

interface StoredRecord {
  readonly kind: Kind;
  readonly tenant: string;
  readonly record: Records[Kind];
}

interface StoredRow {
  readonly position: number;
  readonly kind: string;
  readonly tenant: string;
  readonly id: string;
  readonly body: string;
}

/** Describes the damaged row, the problem and the remedy. */
function damaged(database: DatabaseSync, { position, kind, tenant, id }: StoredRow, why: string): string {
  const what = isKind(kind) ? titles[kind] : kind;
  const remedy = `give the row up with sqlite3 ${database.location()} "DELETE FROM record WHERE position = ${position}"`;
  return `row ${position}, ${what} ${id} of tenant ${tenant}, is damaged: ${why}; restore the file from a backup, or ${remedy}`;
}

function open({ kind, tenant, id, body }: StoredRow, codec: Codec): string {
  try {
    return codec.decodeBody([kind, tenant, id], body);
  } catch (cause) {
    throw new Error('the key does not open it', { cause });
  }
}

function readRow(row: StoredRow, dialect: Dialect, codec: Codec): StoredRecord {
  const { kind, tenant, id } = row;
  if (!isKind(kind)) throw new Error('there are no such resources');
  const record = readRecord(dialect, kind, open(row, codec));
  if (record.id !== id) throw new Error('id: it is not that of the row');
  return { kind, tenant, record };
}

const everything = 'SELECT position, kind, tenant, id, body FROM record';
const withoutBytes = `${everything} WHERE kind = 'jobBinaryInternals' AND NOT EXISTS (
  SELECT 1 FROM content WHERE content.tenant = record.tenant AND content.id = record.id)`;

/** The records in order of creation. Throws at the first damaged row. */
export function* readRows(database: DatabaseSync, dialect: Dialect, codec: Codec): Generator<StoredRecord> {
  // The table is STRICT, so SQLite has checked the types of its columns.
  const [lost] = database.prepare(withoutBytes).all() as unknown as readonly StoredRow[];
  if (lost !== undefined) throw new Error(damaged(database, lost, 'its bytes are missing'));
  for (const each of database.prepare(`${everything} ORDER BY position`).iterate()) {
    const row = each as unknown as StoredRow;
    let stored: StoredRecord;
    try {
      stored = readRow(row, dialect, codec);
    } catch (cause) {
      throw new Error(damaged(database, row, messageOf(cause)), { cause });
    }
    yield stored;
  }
}
