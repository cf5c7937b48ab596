// The benchmark of the service as a user starts it, with few of everything: its figures are of what it was asked for.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Reports } from '../../dev/bench-service/phases.ts';
import type { compareWithTargets } from '../../dev/bench-service/targets.ts';
import { runCommand } from '../support/command.ts';

interface Document {
  readonly phases: Reports;
  readonly targets: ReturnType<typeof compareWithTargets>;
}

const runBench = (words: string, environment: NodeJS.ProcessEnv = {}) =>
  runCommand(process.execPath, ['dev/bench-service.ts', ...words.split(' ')], environment).ended;

describe('npm run bench:service', () => {
  test('measures creates, reads and lists, and leaves nothing behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-service-test-'));
    onTestFinished(async () => rm(folder, { recursive: true, force: true }));
    const out = join(folder, 'figures.json');
    const words = `--clusters 20 --creates 30 --reads 40 --lists 2 --parallel 3 --noisy 1 --noisy-seconds 1 --limit-mib 0 --out ${out}`;
    const { code, output } = await runBench(words, { TMPDIR: folder });
    expect(code).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(output);
    expect(await readdir(folder)).toEqual(['figures.json']);
    const { phases, targets } = JSON.parse(output) as Document;
    const { noisy, ...loads } = phases;
    expect(noisy).toMatchObject([{ version: 'this', runs: 1 }]);
    const counts = Object.entries(loads).map(([name, { requests }]) => [name, requests]);
    expect(Object.fromEntries(counts)).toEqual({ createInMemory: 30, createPersistent: 3, read: 40, list: 2 });
    expect(phases.list.clusters).toBe(20);
    for (const { seconds, perSecond, requests, milliseconds, cpuSeconds } of Object.values(loads)) {
      expect(requests / perSecond).toBeCloseTo(seconds, 2);
      expect(milliseconds.p50).toBeLessThanOrEqual(milliseconds.p99);
      expect(milliseconds.p99).toBeLessThanOrEqual(milliseconds.max);
      expect(cpuSeconds).toBeGreaterThanOrEqual(0);
    }
    expect(targets['reads']?.measured).toBe(phases.read.perSecond);
  });

  test('wrong options are one line, and nothing starts', async () => {
    const { code, output, errors } = await runBench('--clusters 0 --lists many');
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(
      /^cannot finish the benchmark: cannot read options: --clusters: must .*; --lists: must be a whole/,
    );
  });
});
