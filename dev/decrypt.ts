// Decrypts a data file of the bundled service that release 0.2 has encrypted with --key-file.
import { createDecipheriv } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../src/lib/errors.ts';

type Decrypt = (place: readonly string[], sealed: Uint8Array) => Buffer;

const [nonceBytes, tagBytes] = [12, 16];

/** AES-256-GCM: a nonce, a tag and the ciphertext, which is bound to its place in the file. */
function createDecrypt(keyFile: string): Decrypt {
  const key = Buffer.from(readFileSync(keyFile, 'utf8'), 'base64');
  return (place, sealed) => {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(JSON.stringify(place)));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  };
}

function checkKey(database: DatabaseSync, decrypt: Decrypt): void {
  const check = database.prepare("SELECT value FROM property WHERE name = 'key-check'").get();
  if (check === undefined) throw new Error('the file is not encrypted');
  try {
    decrypt(['key-check'], Buffer.from(String(check['value']), 'base64'));
  } catch (cause) {
    throw new Error('the file is encrypted with another key', { cause });
  }
}

function decryptRows(database: DatabaseSync, decrypt: Decrypt): void {
  const read = database.prepare('SELECT kind, tenant, id, body FROM record WHERE position = ?');
  const write = database.prepare('UPDATE record SET body = ? WHERE position = ?');
  for (const { position = null } of database.prepare('SELECT position FROM record').all()) {
    const { kind, tenant, id, body } = read.get(position) ?? {};
    const place = [String(kind), String(tenant), String(id)];
    write.run(decrypt(place, Buffer.from(String(body), 'base64')).toString(), position);
  }
}

function decryptContent(database: DatabaseSync, decrypt: Decrypt): void {
  const read = database.prepare('SELECT tenant, id, bytes FROM content WHERE rowid = ?');
  const write = database.prepare('UPDATE content SET bytes = ? WHERE rowid = ?');
  for (const { row = null } of database.prepare('SELECT rowid AS row FROM content').all()) {
    const { tenant, id, bytes } = read.get(row) ?? {};
    write.run(decrypt([String(tenant), String(id)], bytes as Uint8Array), row);
  }
}

/** Decrypts everything in one transaction, so that a failure or an interruption leaves the file as it was. */
function decryptFile(file: string, keyFile: string): void {
  if (!existsSync(file)) throw new Error('there is no such file');
  const decrypt = createDecrypt(keyFile);
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN IMMEDIATE;');
    checkKey(database, decrypt);
    decryptRows(database, decrypt);
    decryptContent(database, decrypt);
    database.exec("DELETE FROM property WHERE name IN ('key-check', 'unclean'); COMMIT;");
  } finally {
    database.close();
  }
}

const [file, keyFile, ...rest] = process.argv.slice(2);
if (file === undefined || keyFile === undefined || rest.length > 0) {
  process.stderr.write('Usage: npm run decrypt -- FILE KEY-FILE\n\nStop the service before.\n');
  process.exitCode = 1;
} else {
  try {
    decryptFile(file, keyFile);
    process.stdout.write(`decrypted ${file}\n`);
  } catch (error) {
    process.stderr.write(`cannot decrypt ${file}: ${messageOf(error)}; nothing was changed\n`);
    process.exitCode = 1;
  }
}
