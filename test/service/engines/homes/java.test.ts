// Which Java runs the engines, and what is reported if there is none.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findJava } from '../../../../src/service/engines/homes/java.ts';
import { temporaryFolder } from '../../../plane/support.ts';

/** A folder with a Java that reports this version. */
async function putJava(version: string): Promise<string> {
  const bin = join(await temporaryFolder(), 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'java'), `#!/bin/sh\necho 'openjdk version "${version}" 2025-04-15' >&2\n`);
  await chmod(join(bin, 'java'), 0o755);
  return join(bin, '..');
}

test('the flag comes first, then JAVA_HOME, then PATH', async () => {
  const [given, home, path] = [await putJava('21.0.1'), await putJava('17.0.15'), await putJava('25')];
  const environment = { JAVA_HOME: home, PATH: `/nowhere:${join(path, 'bin')}` };
  expect(findJava({ given: join(given, 'bin', 'java'), environment }).version).toBe('21.0.1');
  expect(findJava({ given: 'java', environment })).toEqual({ file: join(path, 'bin', 'java'), version: '25' });
  expect(findJava({ environment })).toEqual({ file: join(home, 'bin', 'java'), version: '17.0.15' });
  expect(findJava({ environment: { PATH: environment.PATH } }).version).toBe('25');
});

test('one that is too old is passed over', async () => {
  const [home, path] = [await putJava('1.8.0_392'), await putJava('17.0.15')];
  expect(findJava({ environment: { JAVA_HOME: home, PATH: join(path, 'bin') } }).version).toBe('17.0.15');
});

test('without any, the message tells what was tried, and the remedy', async () => {
  const old = await putJava('11.0.2');
  const remedy = 'Java 17 or newer is needed to run engines: install it, or name it with --java or in JAVA_HOME';
  expect(() => findJava({ environment: {} })).toThrow(
    `${remedy} (tried JAVA_HOME: it is not set; PATH: it has no java)`,
  );
  expect(() => findJava({ environment: { JAVA_HOME: old } })).toThrow(
    `(tried JAVA_HOME: ${join(old, 'bin', 'java')} is Java 11.0.2; PATH: it has no java)`,
  );
  expect(() => findJava({ given: '/no/java', environment: {} })).toThrow('(tried --java: /no/java does not run)');
});
