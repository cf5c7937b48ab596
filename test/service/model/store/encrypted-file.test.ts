// A data file that release 0.2 has encrypted is refused with what to do, and can be decrypted.
import { createCipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { runProgram } from '../../../support/command.ts';

const created_at = '2014-01-01T00:00:00';
const source = { id: 's', name: 's', type: 'swift', url: 'swift://c/o', created_at } as const;
const internal = { id: 'b', name: 'b', datasize: 5, created_at };

/** As release 0.2 encrypted. */
function seal(key: Buffer, place: readonly string[], text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(JSON.stringify(place)));
  const bytes = [cipher.update(text), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]);
}

function encrypt(file: string, key: Buffer): void {
  const database = new DatabaseSync(file);
  for (const { kind, tenant, id, body } of database.prepare('SELECT kind, tenant, id, body FROM record').all()) {
    const sealed = seal(key, [String(kind), String(tenant), String(id)], String(body)).toString('base64');
    database.prepare('UPDATE record SET body = ? WHERE id = ?').run(sealed, String(id));
  }
  database.prepare('UPDATE content SET bytes = ?').run(seal(key, ['t', 'b'], 'bytes'));
  const check = seal(key, ['key-check'], 'key-check').toString('base64');
  database.prepare("INSERT INTO property (name, value) VALUES ('key-check', ?)").run(check);
  database.close();
}

function createEncrypted() {
  const folder = mkdtempSync(join(tmpdir(), 'encrypted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, keyFile, otherKey] = ['data.db', 'key', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const key = randomBytes(32);
  writeFileSync(keyFile, `${key.toString('base64')}\n`);
  writeFileSync(otherKey, `${randomBytes(32).toString('base64')}\n`);
  const store = openSqliteStore(file);
  store.put('dataSources', 't', source);
  store.put('jobBinaryInternals', 't', internal, Buffer.from('bytes'));
  store.close();
  encrypt(file, key);
  return { file, keyFile, otherKey };
}

const decrypt = (...args: readonly string[]) => runProgram('dev/decrypt.ts', args).ended;

test.each(['neutral', 'sahara'] as const)('it is refused in %s, with what to do', (dialect) => {
  const { file } = createEncrypted();
  expect(() => openSqliteStore(file, { dialect })).toThrow(
    `cannot open data file ${file}: it is encrypted, as releases until 0.2 did with --key-file; decrypt it with`,
  );
});

test('decrypted, it has everything, and another key changes nothing', async () => {
  const { file, keyFile, otherKey } = createEncrypted();
  const before = readFileSync(file);
  expect(await decrypt(file, otherKey)).toMatchObject({
    code: 1,
    errors: `cannot decrypt ${file}: the file is encrypted with another key; nothing was changed\n`,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(await decrypt(file, keyFile)).toMatchObject({ code: 0, output: `decrypted ${file}\n` });
  const store = openSqliteStore(file);
  expect(store.get('dataSources', 't', 's')).toEqual(source);
  expect(Buffer.from(store.bytes('t', 'b') ?? []).toString()).toBe('bytes');
  store.close();
  expect(await decrypt(file, keyFile)).toMatchObject({ code: 1, errors: expect.stringContaining('is not encrypted') });
});
