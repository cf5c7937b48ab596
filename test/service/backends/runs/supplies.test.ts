// What the service adds to the files of a run: its packages, and its Python packages.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { planCheckedRun } from '../../../../src/service/backends/runs/run-plan.ts';
import {
  checkEnvironment,
  checkRequirements,
  requirementsOf,
  supply,
} from '../../../../src/service/backends/runs/supplies.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { bytesOfRun } from '../../../../src/service/model/disk/disk-usage.ts';
import { mayPass, Transient } from '../../../../src/service/model/disk/transient.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { run } from '../../engines/run-of-a-job.ts';
import { orderOf, script } from '../processes/jobs/job-scene.ts';

const command = { file: '/bin/true', args: [], env: {} };
const program = { ...command, environment: { from: 'requirements.txt', archive: '.packages/environment.zip' } };
const signal = new AbortController().signal;

async function open() {
  const root = await temporaryFolder();
  const work = join(root, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'requirements.txt'), 'six==1\n');
  writeFileSync(join(root, 'made.zip'), 'made');
  writeFileSync(join(root, 'a.jar'), 'jar');
  const asked: string[] = [];
  const environments = {
    make: async (text: string) => {
      asked.push(text);
      return join(root, 'made.zip');
    },
  };
  return { root, work, incoming: join(root, 'incoming'), environments, nodes: run().nodes, asked };
}

test('packages and Python packages are beside the files of the job, and count', async () => {
  const { root, asked, ...places } = await open();
  const admitted: number[] = [];
  const admit = async (bytes: number) => void admitted.push(bytes);
  const added = await supply({ program, shipped: [join(root, 'a.jar')] }, { ...places, signal, admit });
  expect(added.map((path) => path.slice(places.work.length))).toEqual([
    '/.packages/a.jar',
    '/.packages/environment.zip',
  ]);
  expect(added.map((path) => readFileSync(path, 'utf8'))).toEqual(['jar', 'made']);
  expect([asked, admitted]).toEqual([['six==1\n'], [3, 4]]);
  expect(bytesOfRun({ ...places, output: join(root, 'output') })).toBe('six==1\n'.length + 7);
});

test('Python packages are for the Python that a machine of the cluster has, and wait for its answer', async () => {
  const { root, ...places } = await open();
  const target = { version: '3.10.12', machine: 'x86_64', glibc: 35 };
  const { nodes } = run();
  const make = vi.fn(async () => join(root, 'made.zip'));
  const pythonOf = vi.fn(async () => target);
  const options = { ...places, nodes, signal, environments: { make }, pythonOf };
  await supply({ program, shipped: [] }, options);
  expect(pythonOf).toHaveBeenCalledWith(nodes, signal);
  expect(make).toHaveBeenCalledWith('six==1\n', signal, target);
  const failing = { ...options, pythonOf: () => Promise.reject(new Transient('no machine answers')) };
  const failure = await supply({ program, shipped: [] }, failing).catch((error: unknown) => error);
  expect(mayPass(failure)).toBe(true);
  // An archive of the job fits or not, whatever the machine says.
  const archive = { ...program, environment: { ...program.environment, from: 'all.zip' } };
  writeFileSync(join(places.work, 'all.zip'), 'zip');
  await supply({ program: archive, shipped: [] }, failing);
});

test('a list of packages that is too large is refused before it is read', async () => {
  const { asked, ...places } = await open();
  truncateSync(join(places.work, 'requirements.txt'), 5 * 1024 ** 2 + 1);
  await expect(supply({ program, shipped: [] }, { ...places, signal })).rejects.toThrow(
    'cannot use requirements requirements.txt: requirements.txt has 5242881 bytes, and the service reads it',
  );
  expect(asked).toEqual([]);
});

test('an archive of the job is used as it is, without an index', async () => {
  const { work, incoming, nodes } = await open();
  writeFileSync(join(work, 'all.whl'), 'wheel');
  const own = { ...command, environment: { from: 'all.whl', archive: '.packages/environment.zip' } };
  checkEnvironment(own, { packages: '', environments: 'no index' });
  const [added = ''] = await supply(
    { program: own, shipped: [] },
    { work, incoming, nodes, signal, environments: 'no index' },
  );
  expect(readFileSync(added, 'utf8')).toBe('wheel');
});

test('nothing is left of what there is no room for', async () => {
  const { root, ...places } = await open();
  const admit = () => {
    throw new Error('no room');
  };
  const supplied = { program: command, shipped: [join(root, 'a.jar')] };
  await expect(supply(supplied, { ...places, signal, admit })).rejects.toThrow('no room');
});

test('a list without an index, and a malformed list, are refused with the remedy', () => {
  expect(() => checkEnvironment(program, { packages: '', environments: 'start it with --python-index URL' })).toThrow(
    'requirements.txt names Python packages of an index: start it with --python-index URL',
  );
  expect(() => checkRequirements('requirements.txt', '-r more.txt')).toThrow(
    'cannot use requirements requirements.txt: "-r more.txt" is no package with versions',
  );
  expect(requirementsOf(program)).toBe('requirements.txt');
  const archive = { from: 'all.whl', archive: '.packages/environment.zip' };
  expect(requirementsOf({ ...command, environment: archive })).toBeUndefined();
});

test.each([
  [true, '/work/.packages/a.jar', ['/cache/a.jar']],
  [false, '/cache/a.jar', []],
])(
  'packages reach a program that cannot open them (%s) with the files of its run',
  async (shipsPackages, jar, sent) => {
    const { id, nodes, address } = run();
    const order = orderOf(script('', 'main.jar'), {
      configs: { 'edp.java.main_class': 'Main', 'spark.jars.packages': 'org.a:a:1' },
    });
    const cluster = { ...order.cluster, plugin_name: 'spark', bigdata_version: '4.1.2' };
    const plan = { ...order, cluster, job: { ...order.job, type: 'Spark' as const } };
    const options = {
      engines: [createSpark({ folder: '/spark', java: '/java' })],
      flavors: usualFlavors,
      jobFiles: undefined,
      packages: { resolve: async () => ['/cache/a.jar'] },
      environments: '',
      shipsPackages,
    };
    const transfer = { signal, clock: systemClock, get: () => Promise.reject(new Error('nothing is fetched')) };
    const planned = await planCheckedRun(plan, { id, nodes, address, folder: '/work' }, options, transfer);
    expect(planned.program.files?.['.spark/run.conf']).toContain(`\nspark.jars=${jar}\n`);
    expect(planned.shipped).toEqual(sent);
  },
);
