// Python packages are installed once for each list, with what pip is told, and within bounds.
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PythonEnvironments } from '../../../../src/service/engines/packages/python-environments.ts';
import { mayPass } from '../../../../src/service/model/disk/transient.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { createSearch } from '../homes/tiny-source.ts';

const going = () => new AbortController().signal;
const digest = 'b'.repeat(64);

/** A Python whose pip does this with the folder `$to` of packages. */
async function open(script: string, index = 'https://python.example/simple') {
  const [programs, cache] = [await temporaryFolder(), await temporaryFolder()];
  const file = join(programs, 'python3');
  const pip = `last=; for each; do case "$last" in --target) to="$each";; --requirement) cp "$each" ${programs}/list;; esac; last="$each"; done
echo "$PIP_CONFIG_FILE $@" >> ${programs}/calls; mkdir -p "$to"; ${script}`;
  await writeFile(file, `#!/bin/sh\nif [ "$1" = -I ]; then echo packed > "$4.zip"; exit; fi\n${pip}\n`);
  await chmod(file, 0o755);
  const { search } = await createSearch();
  const environments = new PythonEnvironments({ ...search, cache, index, python: { file, version: '3.11.7' } });
  const calls = async () => (await readFile(join(programs, 'calls'), 'utf8')).trim().split('\n');
  return { environments, cache, calls, list: () => readFile(join(programs, 'list'), 'utf8') };
}

const one = 'echo x > "$to/six.py"';

test('packages come from the index alone, as wheels only, and are kept for the next run', async () => {
  const { environments, calls, list, cache } = await open(one);
  const found = await Promise.all([environments.make('six==1\n', going()), environments.make('# a\nsix==1', going())]);
  expect(found[0]).toBe(found[1]);
  expect(await readFile(found[0], 'utf8')).toBe('packed\n');
  const [call = '', ...others] = await calls();
  expect(others).toEqual([]);
  expect(call).toMatch(/^\/dev\/null -m pip install --isolated .*--index-url https:\/\/python.example\/simple /);
  expect(call).toContain(' --only-binary :all: ');
  expect(call).not.toContain('--trusted-host');
  expect(await list()).toBe('six==1\n');
  expect((await readdir(cache)).filter((name) => name !== 'lock')).toHaveLength(1);
});

test('another list, and digests, are others', async () => {
  const { environments, calls } = await open(one, 'http://127.0.0.1:8080/simple');
  const plain = await environments.make('six==1', going());
  expect(await environments.make(`six==1 --hash=sha256:${digest}`, going())).not.toBe(plain);
  const [first, second] = await calls();
  expect(first).toContain(' --trusted-host 127.0.0.1:8080 ');
  expect(first).not.toContain('--require-hashes');
  expect(second).toContain(' --require-hashes ');
});

test('for the Python of a cluster, pip gets wheels for that one, and they are others', async () => {
  const { environments, calls } = await open(one);
  const own = await environments.make('six==1', going());
  const target = { version: '3.10.12', machine: 'x86_64', glibc: 35 };
  const made = await environments.make('six==1', going(), target);
  expect(made).not.toBe(own);
  expect(await environments.make('six==1', going(), { ...target })).toBe(made);
  expect(await environments.make('six==1', going(), { ...target, glibc: 31 })).not.toBe(made);
  const text = (await calls()).join('\n');
  expect(
    text.match(/--python-version 3\.10\.12 --implementation cp --abi cp310 --platform manylinux_2_3[51]_/g),
  ).toHaveLength(2);
  expect(text).toContain(' -m pip install ');
  expect(text).toMatch(/3\.10\.12 x86_64 install --isolated /);
});

test.each([
  ['echo "ERROR: no matching distribution" >&2; exit 1', /python3 ended with 1: ERROR: no matching distribution/],
  ['truncate -s 1100M "$to/a.so"', /they take more than 1073741824 bytes or 50000 files: name fewer/],
  ['truncate -s 2200M "$to/a.so"; exec sleep 600', /they take more than 1073741824 bytes or 50000 files: name fewer/],
])('packages that pip does not get, or that are too large, are refused, and nothing is left', async (script, why) => {
  const { environments, cache } = await open(script);
  await expect(environments.make('six', going())).rejects.toThrow(why);
  expect((await readdir(cache)).filter((name) => name !== 'lock')).toEqual([]);
});

test('a full disk that pip meets is no fault of the list: it can be tried again', async () => {
  const text = 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device';
  const { environments, cache } = await open(`echo "${text}" >&2; exit 1`);
  const failure = await environments.make('six', going()).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^cannot install Python packages: .* ended with 1: ERROR: /),
  });
  expect(mayPass(failure)).toBe(true);
  expect((await readdir(cache)).filter((name) => name !== 'lock')).toEqual([]);
});

test('an archive that was changed is made again', async () => {
  const { environments, calls } = await open(one);
  const archive = await environments.make('six', going());
  await writeFile(archive, 'something else');
  expect(await environments.make('six', going())).toBe(archive);
  expect(await readFile(archive, 'utf8')).toBe('packed\n');
  expect(await calls()).toHaveLength(2);
});
