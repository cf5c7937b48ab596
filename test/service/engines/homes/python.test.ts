// Which Python runs the programs of jobs.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPython, isNoOlder } from '../../../../src/service/engines/homes/python.ts';
import { temporaryFolder } from '../../../plane/support.ts';

/** A folder with a python3 that does this. */
async function putPython(script: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'python3'), 0o755);
  return folder;
}

test('is the interpreter behind the python3 of PATH', async () => {
  const PATH = `/nowhere:${await putPython("echo 3.12.1; echo '/opt/python 3/bin/python3.12'")}:/usr/bin`;
  expect(findPython({ PATH })).toEqual({ file: '/opt/python 3/bin/python3.12', version: '3.12.1' });
});

test.each([
  ['does not run', 'exit 1'],
  ['says something else', 'echo hello'],
])('is none if that %s', async (_, script) => {
  expect(findPython({ PATH: await putPython(script) })).toBeUndefined();
});

test('is new enough or not', () => {
  const fits = (version: string) => ['2.7', '3.8', '3.10', '3.11'].map((oldest) => isNoOlder(version, oldest));
  expect(['2.7.18', '3.9.18', '3.11.0', '4.0.1'].map(fits)).toEqual([
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, true],
    [true, true, true, true],
  ]);
});

test('is none if there is none', () => {
  expect(findPython({ PATH: '/nowhere' })).toBeUndefined();
});
