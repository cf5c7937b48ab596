// Encryption of the data file, and the migration of a file that is not encrypted.
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, readProperty, writeProperty } from './format.ts';
import type { Seal } from './sealing.ts';

/** Encodes the bodies of rows and the bytes of binaries for the file. */
export interface Codec {
  encodeBody(place: readonly string[], body: string): string;
  decodeBody(place: readonly string[], stored: string): string;
  encodeBytes(place: readonly string[], bytes: Uint8Array): Uint8Array;
  decodeBytes(place: readonly string[], stored: Uint8Array): Uint8Array;
}

const plain: Codec = {
  encodeBody: (_place, body) => body,
  decodeBody: (_place, stored) => stored,
  encodeBytes: (_place, bytes) => bytes,
  decodeBytes: (_place, stored) => stored,
};

const sealed = (seal: Seal): Codec => ({
  encodeBody: (place, body) => Buffer.from(seal.close(JSON.stringify(place), Buffer.from(body))).toString('base64'),
  decodeBody: (place, stored) =>
    Buffer.from(seal.open(JSON.stringify(place), Buffer.from(stored, 'base64'))).toString(),
  encodeBytes: (place, bytes) => seal.close(JSON.stringify(place), bytes),
  decodeBytes: (place, stored) => seal.open(JSON.stringify(place), stored),
});

/** Property: a text that only the right key decrypts. */
const checkName = 'key-check';
/** Property: unused pages of the file can still contain plain text. */
const dirtyName = 'unclean';

function checkKey(codec: Codec, check: string): void {
  try {
    codec.decodeBody([checkName], check);
  } catch (cause) {
    throw new Error('it is encrypted with another key; name that one with --key-file', { cause });
  }
}

function encryptRows(database: DatabaseSync, codec: Codec): void {
  const read = database.prepare('SELECT kind, tenant, id, body FROM record WHERE position = ?');
  const write = database.prepare('UPDATE record SET body = ? WHERE position = ?');
  for (const { position = null } of database.prepare('SELECT position FROM record').all()) {
    const { kind, tenant, id, body } = read.get(position) ?? {};
    write.run(codec.encodeBody([String(kind), String(tenant), String(id)], String(body)), position);
  }
}

function encryptContent(database: DatabaseSync, codec: Codec): void {
  const read = database.prepare('SELECT tenant, id, bytes FROM content WHERE rowid = ?');
  const write = database.prepare('UPDATE content SET bytes = ? WHERE rowid = ?');
  for (const { row = null } of database.prepare('SELECT rowid AS row FROM content').all()) {
    const { tenant, id, bytes } = read.get(row) ?? {};
    write.run(codec.encodeBytes([String(tenant), String(id)], bytes as Uint8Array), row);
  }
}

/** Rewrites the file and empties its log, because both can contain plain text from before. An interrupted run is repeated. */
function clean(database: DatabaseSync): void {
  if (readProperty(database, dirtyName) === undefined) return;
  database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE);');
  writeProperty(database, dirtyName, undefined);
}

/** The codec of the file. With a key, a file that is not encrypted gets encrypted. Throws if the key is missing or wrong. */
export function unlock(database: DatabaseSync, seal: Seal | undefined): Codec {
  const check = readProperty(database, checkName);
  if (seal === undefined) {
    if (check !== undefined) throw new Error('it is encrypted; name the file with its key with --key-file');
    return plain;
  }
  const codec = sealed(seal);
  if (check !== undefined) checkKey(codec, check);
  else
    inTransaction(database, () => {
      encryptRows(database, codec);
      encryptContent(database, codec);
      writeProperty(database, checkName, codec.encodeBody([checkName], checkName));
      writeProperty(database, dirtyName, 'yes');
    });
  clean(database);
  return codec;
}
