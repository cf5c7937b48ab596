// The demo on a real Spark cluster, and the tutorial on it. Nothing is left afterwards, neither processes nor files.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { machinesIn } from '../../dev/demo/machines.ts';
import { listEverything } from '../../dev/demo/remote.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines/engines.ts';
import { haveKubectl } from '../gitops/readers/kubectl-wait.ts';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { blocksIn, readPage } from './support/documents.ts';
import { expectSample, samplesIn } from './support/samples.ts';

const spark = findEngine(sparkSource);

/** A folder for temporary files, so that what is left in it can be seen. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-demo-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The processes whose command line names the folder. */
const processesIn = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(folder) ? [`${pid}: ${line}`] : [];
      } catch {
        return [];
      }
    });

/** What is left of machines in the folders of a demo. */
async function foldersOfMachines(folder: string): Promise<readonly string[]> {
  const demos = (await readdir(folder)).filter((name) => name.startsWith('dataprocessing-demo-'));
  expect(demos).toHaveLength(1);
  return demos.flatMap((name) => machinesIn(join(folder, name, 'machines')).map(({ id }) => id));
}

const longestMs = 10 * 60_000;

describe.skipIf(inject('kubeconfig') === '' || spark === undefined)('npm run demo, with Java and Spark', () => {
  test('-- --exit tells the whole story and leaves nothing behind', { timeout: longestMs }, async () => {
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts', '--exit'], { TMPDIR });
    const { code, output, errors } = await demo.ended;
    expect([code, errors]).toEqual([0, '']);
    for (const workers of [2, 3])
      expect(output).toMatch(
        new RegExp(`The Spark master at http://127\\.\\d+\\.\\d+\\.1:8080 has ${workers} workers\\.`),
      );
    // The words are those of the file, counted once more.
    const text = await readFile(join(import.meta.dirname, '../../LICENSE'), 'utf8');
    const count = text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word === 'work').length;
    expect(output).toMatch(new RegExp(`^ +${count} work$`, 'm'));
    expect(output).toContain('Deleting the cluster: 4 machines with 4 processes.');
    expect(output).toContain('Nothing is left: no cluster in the service, no process and no folder of its machines.');
    expect(output).toMatch(/All steps succeeded in \d+ s\.\n$/);
    const [session] = samplesIn(readPage('README.md'));
    expect(session?.commands).toBe('npm run demo -- --exit');
    expectSample(session?.output ?? '', output);
    expect([await readdir(TMPDIR), processesIn(TMPDIR)]).toEqual([[], []]);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'leaves nothing behind after %s',
    { timeout: longestMs },
    async (signal) => {
      const TMPDIR = await temporaryFolder();
      const demo = runCommand(process.execPath, ['dev/demo.ts'], { TMPDIR });
      const machines = () => processesIn(TMPDIR).filter((line) => line.includes('org.apache.spark.deploy'));
      await expect.poll(() => machines().length, { timeout: limitMs }).toBeGreaterThan(1);
      demo.signal(signal);
      await expect.poll(() => processesIn(TMPDIR), { timeout: limitMs }).toEqual([]);
      await expect.poll(async () => readdir(TMPDIR), { timeout: limitMs }).toEqual([]);
    },
  );

  test.skipIf(!haveKubectl)('and the tutorial work as written, until Ctrl-C', { timeout: longestMs }, async () => {
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts'], { TMPDIR });
    await expect.poll(() => demo.output(), { timeout: limitMs }).toContain('kubectl delete dpc spark');
    const [, kubeconfig = ''] = /export KUBECONFIG=(\S+)/.exec(demo.output()) ?? [];
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/v1\.0\/demo\/clusters/.exec(demo.output()) ?? [];
    const page = readPage('docs/getting-started/spark-on-a-laptop.md');
    const blocks = blocksIn(page, 'sh').filter((block) => !block.startsWith('npm'));
    const applied = ['src/cli/main.ts', 'run', '-f', 'examples/jobs/wordcount.yaml'];
    const plugin = await runCommand(process.execPath, applied, { KUBECONFIG: kubeconfig }).ended;
    const [shown] = samplesIn(readPage('docs/how-to/run-jobs-with-kubectl.md'));
    expect(shown?.commands).toContain('kubectl dataprocessing run -f examples/jobs/wordcount.yaml');
    expectSample(shown?.output ?? '', plugin.errors);
    const script = blocks.join('\n').replaceAll('http://127.0.0.1:8386', url);
    const run = async (commands: string) => runCommand('sh', ['-ec', commands], { KUBECONFIG: kubeconfig }).ended;
    const { code, output, errors } = await run(script);
    expect([code, errors]).toEqual([0, '']);
    const engines = await runCommand(process.execPath, ['dev/engines.ts', '--find', 'spark'], {}).ended;
    const samples = samplesIn(page);
    expect(samples.length).toBeGreaterThan(4);
    for (const sample of samples) expectSample(sample.output, [engines.output, demo.output(), output].join('\n'));
    expect(output).toMatch(/^spark +True +Available +Active +4\/4 +spark +4\.1\.\d+ /m);
    expect(output).toMatch(/^\S.*: spark:\/\/127\.\d+\.\d+\.1:7077$/m);
    expect(output.match(/org\.apache\.spark\.deploy|java /g)?.length).toBeGreaterThanOrEqual(4);
    expect(output.match(/(?<=^\| +\d\| +)\d+\| \d+(?=\|$)/gm)).toEqual(['34| 1683', '33| 1617', '33| 1650']);
    expect(output).toMatch(/^jobschedule\S+\/wordcount condition met$/m);
    expect(output).toMatch(/^spark +True +Available +Active +2\/2 /m);
    // The clean-up leaves nothing while the demo goes on.
    expect(await run('kubectl get dataprocessing,secrets')).toMatchObject({ code: 0, output: '' });
    expect(await listEverything({ url, tenant: 'demo', token: 'change-me' })).toEqual([]);
    expect(processesIn(TMPDIR).filter((line) => line.includes('org.apache.spark'))).toEqual([]);
    expect(await foldersOfMachines(TMPDIR)).toEqual([]);
    demo.signal('SIGINT');
    expect((await demo.ended).code).toBe(0);
    expect([await readdir(TMPDIR), processesIn(TMPDIR)]).toEqual([[], []]);
  });
});
