// The demo on a real Spark cluster, and the tutorial on it. Nothing is left afterwards, neither processes nor files.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines/engines.ts';
import { haveKubectl } from '../gitops/readers/kubectl-wait.ts';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { blocksIn, readPage } from './support/documents.ts';

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
    const text = await readFile(join(import.meta.dirname, '../../docs/concepts/protocol.md'), 'utf8');
    const count = text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word === 'object').length;
    expect(output).toMatch(new RegExp(`^ +${count} object$`, 'm'));
    expect(output).toContain('Deleting the cluster: 4 machines with 4 processes.');
    expect(output).toContain('Nothing is left: no cluster in the service, no process and no folder of its machines.');
    expect(output).toMatch(/All steps succeeded in \d+ s\.\n$/);
    expect([await readdir(TMPDIR), processesIn(TMPDIR)]).toEqual([[], []]);
  });

  test('leaves nothing behind when it is killed', { timeout: longestMs }, async () => {
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts'], { TMPDIR });
    const machines = () => processesIn(TMPDIR).filter((line) => line.includes('org.apache.spark.deploy'));
    await expect.poll(() => machines().length, { timeout: limitMs }).toBeGreaterThan(1);
    demo.signal('SIGKILL');
    await expect.poll(() => processesIn(TMPDIR), { timeout: limitMs }).toEqual([]);
    await expect.poll(async () => readdir(TMPDIR), { timeout: limitMs }).toEqual([]);
  });

  test.skipIf(!haveKubectl)('and the tutorial work as written, until Ctrl-C', { timeout: longestMs }, async () => {
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts'], { TMPDIR });
    await expect.poll(() => demo.output(), { timeout: limitMs }).toContain('kubectl delete dpc spark');
    const [, kubeconfig = ''] = /export KUBECONFIG=(\S+)/.exec(demo.output()) ?? [];
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/v1\.0\/demo\/clusters/.exec(demo.output()) ?? [];
    const page = readPage('docs/getting-started/spark-on-a-laptop.md');
    const blocks = blocksIn(page, 'sh').filter((block) => !block.startsWith('npm'));
    // All but the deletion of the cluster, so that the end of the demo has something to end.
    const last = 'kubectl delete dpc spark\n';
    expect(blocks.at(-1)).toMatch(new RegExp(`${last}$`));
    const script = blocks.join('\n').replace(last, '').replaceAll('http://127.0.0.1:8386', url);
    const { code, output, errors } = await runCommand('sh', ['-ec', script], { KUBECONFIG: kubeconfig }).ended;
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^spark +True +Available +Active +4\/4 +spark +4\.1\.\d+ /m);
    expect(output).toMatch(/^\S.*: spark:\/\/127\.\d+\.\d+\.1:7077$/m);
    expect(output.match(/org\.apache\.spark\.deploy|java /g)?.length).toBeGreaterThanOrEqual(4);
    expect(output.match(/(?<=^\| +\d\| +)\d+\| \d+(?=\|$)/gm)).toEqual(['34| 1683', '33| 1617', '33| 1650']);
    expect(output).toMatch(/^jobschedule\S+\/wordcount condition met$/m);
    expect(output).toMatch(/^spark +True +Available +Active +2\/2 /m);
    expect(processesIn(TMPDIR).length).toBeGreaterThan(2);
    demo.signal('SIGINT');
    expect((await demo.ended).code).toBe(0);
    expect([await readdir(TMPDIR), processesIn(TMPDIR)]).toEqual([[], []]);
  });
});
