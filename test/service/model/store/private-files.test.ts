// Files with secrets: nobody but the owner may open the data file, and tokens may come from a file.
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readTokens } from '../../../../src/service/api/authentication/authentication.ts';
import { openSqliteStore } from '../../../../src/service/model/store/sqlite-store.ts';
import { connect } from '../../../contract/support.ts';
import { runService, startService } from '../../support/process.ts';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function createLog() {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} };
  return { log, warnings };
}

const modes = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

function write(text: string, mode = 0o600): string {
  const file = join(createFolder(), 'tokens');
  writeFileSync(file, text, { mode });
  return file;
}

describe('the data file', () => {
  test('it and what stands beside it are for the owner alone, whatever the umask', async () => {
    const folder = createFolder();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { log, warnings } = createLog();
    const store = openSqliteStore(join(folder, 'data.db'), { log });
    const files = { 'data.db': '600', 'data.db-reserve': '600', 'data.db-wal': '600' };
    expect(modes(folder)).toEqual({ ...files, 'data.db-reserve-files': '700' });
    store.close();
    expect(warnings).toEqual([]);
  });

  test('one that others may open is opened, with a warning for each part of it', () => {
    const folder = createFolder();
    const file = join(folder, 'data.db');
    openSqliteStore(file).close();
    writeFileSync(`${file}-wal`, '', { mode: 0o644 });
    chmodSync(file, 0o640);
    const { log, warnings } = createLog();
    openSqliteStore(file, { log }).close();
    expect(warnings).toEqual([
      `data file ${file} holds secrets, and its mode 640 lets others open it; run chmod 600 ${file}`,
      `data file ${file}-wal holds secrets, and its mode 644 lets others open it; run chmod 600 ${file}-wal`,
    ]);
  });
});

describe('tokens from a file', () => {
  test('one a line, for all tenants or for one', () => {
    const { log, warnings } = createLog();
    expect(readTokens(write('one\n\n two=t \r\nthree=u=v'), log)).toEqual([
      { token: 'one' },
      { token: 'two', tenant: 't' },
      { token: 'three', tenant: 'u=v' },
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['\n \n', 'it has no token; write TOKEN or TOKEN=TENANT, a line each'],
    ['one\n=secret', 'line 2 has no token; write TOKEN or TOKEN=TENANT'],
  ])('%j cannot be used', (text, why) => {
    const file = write(text);
    expect(() => readTokens(file, createLog().log)).toThrow(`cannot read token file ${file}: ${why}`);
  });

  test('a file that others may open is told', () => {
    const file = write('one', 0o604);
    const { log, warnings } = createLog();
    readTokens(file, log);
    expect(warnings).toEqual([
      `token file ${file} holds secrets, and its mode 604 lets others open it; run chmod 600 ${file}`,
    ]);
  });

  test.each([
    [0o440, []],
    [0o604, ['its mode 604 lets others open it']],
  ])('a file of another user with the mode %o, as in a volume of Kubernetes', (mode, told) => {
    const file = write('one', mode);
    const { uid } = statSync(file);
    vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
    const { log, warnings } = createLog();
    readTokens(file, log);
    expect(warnings).toEqual(told.map((what) => expect.stringContaining(what)));
  });

  test('they let in, beside those of the command line, and nobody else', async () => {
    const service = await startService('--token-file', write('from-file=t\n'), '--token', 'from-flag');
    const peer = connect(service.url);
    const ask = async (token: string, tenant = 't') =>
      (await peer.send('GET', `/v1.0/${tenant}/clusters`, undefined, { 'x-auth-token': token })).status;
    expect(await Promise.all([ask('from-file'), ask('from-flag'), ask('other'), ask('from-file', 'u')])).toEqual([
      200, 200, 401, 401,
    ]);
    await service.kill('SIGTERM');
    expect(service.errors()).not.toContain('from-f');
  });

  test('a file that is not there is one line on standard error, and no service', async () => {
    const { code, errors } = await runService('--port', '0', '--token-file', '/nowhere/at/all');
    expect(code).toBe(1);
    expect(errors).toMatch(/^cannot read token file \/nowhere\/at\/all: ENOENT.*\n$/);
  });
});
