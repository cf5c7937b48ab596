// The Python packages of a Spark job: where they are for driver and executors, and what is refused.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineRun } from '../../../../src/service/engines/engine.ts';
import { sparkJob } from '../../../../src/service/engines/spark/jobs/jobs.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { run } from '../run-of-a-job.ts';
import { sparkWith } from './spark-folder.ts';

const home = { java: '/bin/echo', python: '/usr/bin/python3' };
const work = '/runs/run-1/work';
const requirements = 'edp.python.requirements';

const programOf = (given: Partial<EngineRun> = {}) =>
  sparkJob({ ...home, folder: sparkWith('python/lib/pyspark.zip') }).program(
    run({
      mains: [`${work}/main.py`],
      libs: [`${work}/words.py`, `${work}/more.jar`, `${work}/requirements.txt`],
      ...given,
      configs: { [requirements]: 'requirements.txt', ...given.configs },
    }),
  );

test('packages are an archive of the run, which executors unpack, and are neither jars nor modules', () => {
  const { environment, env, files } = programOf({ configs: { 'spark.archives': 'a.zip' } });
  const archive = '.packages/python-environment.zip';
  expect(environment).toEqual({ from: 'requirements.txt', archive });
  expect(env['PYTHONPATH']).toBe(`${work}/.packages/python-environment`);
  expect(files?.['.spark/run.conf']?.split('\n')).toEqual(
    expect.arrayContaining([
      `spark.jars=${work}/more.jar`,
      `spark.submit.pyFiles=${work}/words.py`,
      `spark.archives=a.zip,${work}/${archive}#python-environment`,
      'spark.executorEnv.PYTHONPATH=python-environment',
    ]),
  );
});

test('a driver finds what is in the archive', async () => {
  const folder = await temporaryFolder();
  const { file, args } = programOf({
    folder,
    mains: [join(folder, 'main.py')],
    libs: [join(folder, 'all.whl')],
    configs: { [requirements]: 'all.whl' },
  });
  mkdirSync(join(folder, '.packages'));
  writeFileSync(join(folder, 'six.py'), '');
  const archive = join(folder, '.packages', 'python-environment.zip');
  execFileSync('/usr/bin/env', ['python3', '-m', 'zipfile', '-c', archive, join(folder, 'six.py')]);
  expect(
    execFileSync(
      file,
      args.map((each) => (each === home.python ? 'python3' : each)),
    ).toString(),
  ).toContain('SparkSubmit');
  expect(execFileSync('ls', [join(folder, '.packages', 'python-environment')]).toString()).toBe('six.py\n');
});

/** With a package in a folder, another one in a wheel, two parts of a third one, and a module. */
const pexProgram = `import sys, zipfile
with zipfile.ZipFile('inner.whl', 'w') as wheel:
    wheel.writestr('inner/__init__.py', '')
    wheel.writestr('shared/inner.py', '')
with open(sys.argv[1], 'wb') as file:
    file.write(b'#!/usr/bin/env python3\\n')
with zipfile.ZipFile(sys.argv[1], 'a') as pex:
    pex.writestr('PEX-INFO', '{}')
    pex.writestr('own.py', '')
    pex.writestr('.deps/outer-1.0-py3-none-any.whl/outer/__init__.py', '')
    pex.writestr('.deps/outer-1.0-py3-none-any.whl/shared/outer.py', '')
    pex.write('inner.whl', '.deps/inner-1.0-py3-none-any.whl')
`;

test('all packages of a pex are where driver and executors find them', async () => {
  const folder = await temporaryFolder();
  const { file, args, files, environment } = programOf({
    folder,
    mains: [join(folder, 'main.py')],
    libs: [join(folder, 'all.pex')],
    configs: { [requirements]: 'all.pex' },
  });
  expect(environment?.from).toBe('all.pex');
  const packages = join(folder, '.packages');
  mkdirSync(packages);
  const archive = join(packages, 'python-environment.zip');
  execFileSync('/usr/bin/env', ['python3', '-c', pexProgram, archive], { cwd: folder });
  const command = args.map((each) => (each === home.python ? 'python3' : each));
  expect(execFileSync(file, command).toString()).toContain('SparkSubmit');
  const found = ['inner/__init__.py', 'outer/__init__.py', 'own.py', 'shared/inner.py', 'shared/outer.py'];
  const unpacked = readdirSync(join(packages, 'python-environment'), { recursive: true, encoding: 'utf8' });
  expect(unpacked.filter((name) => name.endsWith('.py')).toSorted()).toEqual(found);
  const listed = execFileSync('python3', ['-m', 'zipfile', '-l', join(packages, 'python-flat.zip')]).toString();
  for (const name of found) expect(listed).toMatch(new RegExp(`^${name} `, 'm'));
  expect(listed).not.toContain('.deps');
  expect(files?.['.spark/run.conf']).toContain(`spark.archives=${packages}/python-flat.zip#python-environment\n`);
});

test.each([
  [{ configs: { [requirements]: 'other.txt' } }, 'edp.python.requirements other.txt, which the job does not have'],
  [
    { libs: [`${work}/all.egg`], configs: { [requirements]: 'all.egg' } },
    'edp.python.requirements all.egg, which is no list and no archive of packages: name a lib that ends with',
  ],
  [
    { mains: [`${work}/main.jar`], configs: { 'edp.java.main_class': 'Main' } },
    'configs have edp.python.requirements, but its main is a jar: leave it out',
  ],
])('what cannot be packages is refused: %j', (given, why) => {
  expect(() => programOf(given)).toThrow(`cannot run Spark job: configs have ${why.replace(/^configs have /, '')}`);
});
