// With a key, nothing that was stored can be read from the data file without it, and nothing of a clear file stays behind.
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSeal } from '../../../../src/service/model/store/sealing.ts';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { connect } from '../../../contract/support.ts';
import { runService, startService } from '../../support/process.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const secret = 'correct horse battery staple';
const created_at = '2014-01-01T00:00:00';
const source = (id: string, password = secret) =>
  ({ id, name: id, type: 'swift', url: 'swift://c/o', credentials: { user: 'me', password }, created_at }) as const;
const internal = { id: 'b', name: 'b', datasize: 100, created_at };

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'encryption-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function createKey(): string {
  const file = join(createFolder(), 'key');
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return file;
}

/** Everything on the disk. */
const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`].filter((part) => existsSync(part)).map((part) => readFileSync(part)));

const open = (file: string, key?: string) =>
  openSqliteStore(file, { log, seal: key === undefined ? undefined : readSeal(key, log, randomBytes) });

/** With passwords in rows that are there, that were replaced, and that are gone, and in the bytes of a binary. */
function fill(file: string, key?: string): void {
  const store = open(file, key);
  for (let index = 0; index < 50; index += 1) store.put('dataSources', 't', source(`d${index}`));
  for (let index = 0; index < 50; index += 2) store.remove('dataSources', 't', `d${index}`);
  store.put('dataSources', 't', source('d1', 'other'));
  store.put('jobBinaryInternals', 't', internal, Buffer.from(`password=${secret}\n`.repeat(2000)));
  store.close();
}

function check(file: string, key?: string): void {
  const store = open(file, key);
  expect(store.list('dataSources', 't')).toHaveLength(25);
  expect(store.get('dataSources', 't', 'd1')).toEqual(source('d1', 'other'));
  expect(store.get('dataSources', 't', 'd3')).toEqual(source('d3'));
  expect(Buffer.from(store.bytes('t', 'b') ?? []).toString()).toContain(`password=${secret}\n`);
  store.close();
}

describe('what is on the disk', () => {
  test('without a key: the passwords, which is why there is one', () => {
    const file = join(createFolder(), 'data.db');
    fill(file);
    check(file);
    expect(bytesOf(file).includes(secret)).toBe(true);
  });

  test('with a key: none, while the file is open and after', () => {
    const [file, key] = [join(createFolder(), 'data.db'), createKey()];
    const store = open(file, key);
    store.put('dataSources', 't', source('a'));
    expect(bytesOf(file).includes(secret)).toBe(false);
    store.close();
    fill(file, key);
    expect(bytesOf(file).includes(secret)).toBe(false);
  });

  test('a clear file that gets a key keeps everything but the clear text, in no page of it', () => {
    const [file, key] = [join(createFolder(), 'data.db'), createKey()];
    fill(file);
    expect(bytesOf(file).includes(secret)).toBe(true);
    check(file, key);
    expect(bytesOf(file).includes(secret)).toBe(false);
    check(file, key);
  });

  test('a clear file whose writer was killed, too', async () => {
    const [file, key] = [join(createFolder(), 'data.db'), createKey()];
    const first = await startService('--data', file);
    const { id: _, created_at: __, ...body } = source('d');
    expect((await connect(first.url).post('/v1.1/t/data-sources', body)).status).toBe(202);
    await first.kill('SIGKILL');
    expect(bytesOf(file).includes(secret)).toBe(true);
    const second = await startService('--data', file, '--key-file', key);
    expect((await connect(second.url).get('/v1.1/t/data-sources')).body.data_sources).toHaveLength(1);
    expect(bytesOf(file).includes(secret)).toBe(false);
    await second.kill('SIGKILL');
    expect(bytesOf(file).includes(secret)).toBe(false);
  });

  test('cleaning up that was interrupted is done at the next start', () => {
    const [file, key] = [join(createFolder(), 'data.db'), createKey()];
    fill(file);
    open(file, key).close();
    const database = new DatabaseSync(file);
    database.exec(`
      CREATE TABLE scrap (text TEXT);
      INSERT INTO scrap VALUES ('${secret}');
      DROP TABLE scrap;
      INSERT INTO property VALUES ('unclean', 'yes');
    `);
    database.close();
    expect(bytesOf(file).includes(secret)).toBe(true);
    check(file, key);
    expect(bytesOf(file).includes(secret)).toBe(false);
  });
});

describe('keys', () => {
  test('the wrong one and none are refused, with what to do, and change nothing', () => {
    const [file, key, other] = [join(createFolder(), 'data.db'), createKey(), createKey()];
    fill(file, key);
    expect(() => open(file)).toThrow(
      `cannot open data file ${file}: it is encrypted; name the file with its key with --key-file`,
    );
    expect(() => open(file, other)).toThrow(
      `cannot open data file ${file}: it is encrypted with another key; name that one with --key-file`,
    );
    check(file, key);
  });

  test.each([
    ['', 'empty'],
    ['c2hvcnQ=', 'short'],
    [randomBytes(32).toString('hex'), 'hexadecimal'],
    [`${'!'.repeat(43)}=`, 'no base64'],
  ])('%j is none: %s', async (text) => {
    const folder = createFolder();
    const file = join(folder, 'key');
    writeFileSync(file, text, { mode: 0o600 });
    const flags = ['--port', '0', '--data', join(folder, 'data.db'), '--key-file', file];
    expect(await runService(...flags)).toEqual({
      code: 1,
      signal: null,
      output: '',
      errors: `cannot read key file ${file}: it does not hold 32 bytes in base64; make one with openssl rand -base64 32\n`,
    });
  });

  test('rows and bytes that change places do not open', () => {
    const [file, key] = [join(createFolder(), 'data.db'), createKey()];
    fill(file, key);
    const [rows, content] = [`${file}.rows`, `${file}.content`];
    for (const copy of [rows, content]) cpSync(file, copy);
    const change = (at: string, sql: string) => {
      const database = new DatabaseSync(at);
      database.exec(sql);
      database.close();
    };
    change(rows, "UPDATE record SET id = 'd2' WHERE id = 'd1'");
    expect(() => open(rows, key)).toThrow('data source d2 of tenant t, is damaged: the key does not open it;');
    const two = open(content, key);
    two.put('jobBinaryInternals', 't', { ...internal, id: 'c', name: 'c' }, Buffer.from('other'));
    two.close();
    change(content, "UPDATE content SET bytes = (SELECT bytes FROM content WHERE id = 'c') WHERE id = 'b'");
    const store = open(content, key);
    expect(Buffer.from(store.bytes('t', 'c') ?? []).toString()).toBe('other');
    expect(() => store.bytes('t', 'b')).toThrow('unable to authenticate data');
    store.close();
  });
});
