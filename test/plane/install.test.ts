// The script before all scripts installs exactly when it must; a pretended npm tells when that is.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { cleanEnvironment, temporaryFolder } from './support.ts';

let root: string;
let modules: string;

const packages = (yaml = '2.0.0') => ({
  'node_modules/yaml': { version: yaml, integrity: `sha512-${yaml}` },
  'node_modules/node': { version: '24.21.0', integrity: 'sha512-n' },
});
const lock = (content: object): string => JSON.stringify({ packages: { '': { name: 'project' }, ...content } });

/** What npm ci leaves behind, written by a shell script that stands in for it. */
const npm = `#!/bin/sh
echo "$@" >> "$(pwd)/calls"
[ -f fail ] && exit "$(cat fail)"
mkdir -p node_modules/.bin node_modules/node
cp package-lock.json node_modules/.package-lock.json
sed -i.bak 's/"":{"name":"project"},//' node_modules/.package-lock.json
[ -f no-node ] || echo > node_modules/.bin/node
echo '{"version":"24.21.0"}' > node_modules/node/package.json
`;

beforeEach(async () => {
  root = await temporaryFolder();
  modules = join(root, 'node_modules');
  await mkdir(join(root, 'dev'));
  await mkdir(join(root, 'bin'));
  await copyFile(join(import.meta.dirname, '../../dev/install.mjs'), join(root, 'dev/install.mjs'));
  await writeFile(join(root, 'bin/npm'), npm);
  await chmod(join(root, 'bin/npm'), 0o755);
  const optional = { 'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true } };
  await writeFile(join(root, 'package-lock.json'), lock({ ...packages(), ...optional }));
});

async function install(): Promise<{ code: number | null; output: string; calls: number }> {
  const env = cleanEnvironment({ PATH: `${modules}/.bin:${root}/bin:/usr/bin:/bin`, TMPDIR: root });
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; output: string }>();
  const child = execFile(process.execPath, [join(root, 'dev/install.mjs')], { env }, (_error, stdout, stderr) =>
    resolve({ code: child.exitCode, output: stdout + stderr }),
  );
  const { code, output } = await promise;
  const calls = await readFile(join(root, 'calls'), 'utf8').catch(() => '');
  return { code, output, calls: calls.split('\n').length - 1 };
}

it('installs once, and is silent from then on', async () => {
  expect(await install()).toEqual({
    code: 0,
    output: 'installing the dependencies with npm ci: node_modules is missing\n',
    calls: 1,
  });
  expect(await install()).toEqual({ code: 0, output: '', calls: 1 });
});

it('does not mind that a checkout gives the lock file a new date', async () => {
  await install();
  const future = Date.now() / 1000 + 3600;
  await utimes(join(root, 'package-lock.json'), future, future);
  expect(await install()).toMatchObject({ output: '', calls: 1 });
});

it('installs when the lock file names another version', async () => {
  await install();
  await writeFile(join(root, 'package-lock.json'), lock(packages('2.1.0')));
  expect(await install()).toMatchObject({ code: 0, output: expect.stringContaining('yaml is not as in'), calls: 2 });
});

it('installs when a package was removed from the lock file', async () => {
  await install();
  const { 'node_modules/node': node } = packages();
  await writeFile(join(root, 'package-lock.json'), lock({ 'node_modules/node': node }));
  expect(await install()).toMatchObject({ output: expect.stringContaining('yaml is not as in'), calls: 2 });
});

it('installs when Node is missing or too old', async () => {
  await install();
  await rm(join(modules, '.bin/node'));
  expect(await install()).toMatchObject({ code: 0, output: expect.stringContaining('Node is missing'), calls: 2 });
  await writeFile(join(modules, 'node/package.json'), '{"version":"22.1.0"}');
  expect(await install()).toMatchObject({
    output: expect.stringContaining('Node in node_modules is 22.1.0'),
    calls: 3,
  });
});

it('passes the exit code of npm on', async () => {
  await writeFile(join(root, 'fail'), '7');
  expect(await install()).toMatchObject({ code: 7, calls: 1 });
});

it('says what is wrong when npm was not allowed to install Node', async () => {
  await writeFile(join(root, 'no-node'), '');
  expect(await install()).toMatchObject({ code: 1, output: expect.stringContaining('ignore-scripts'), calls: 1 });
});

it('installs once when two scripts start together', async () => {
  const both = await Promise.all([install(), install()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await install()).toMatchObject({ output: '', calls: 1 });
});

it('is not stopped by the lock of a process that is gone', async () => {
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const path = join(root, `install-${digest}.lock`);
  await writeFile(path, '999999999 somebody');
  expect(await install()).toMatchObject({ code: 0, calls: 1 });
  expect(existsSync(path)).toBe(false);
});
