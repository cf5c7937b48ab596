// The benchmark as a user starts it, with few Clusters: all phases run, and its figures agree with each other.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { JobFigures } from '../../dev/bench/jobs.ts';
import { phases } from '../../dev/bench/options.ts';
import type { PhaseReport } from '../../dev/bench/phases.ts';
import type { Target, Unjudged } from '../../dev/bench/targets.ts';
import { runCommand } from '../support/command.ts';

interface Document {
  readonly options: { readonly n: number };
  readonly memory: Readonly<Record<string, number>>;
  readonly phases: Readonly<Record<(typeof phases)[number], PhaseReport>>;
  readonly targets: Readonly<Record<string, Target | Unjudged>>;
}

const n = 5;
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);

const runBench = (words: string, environment: NodeJS.ProcessEnv = {}) =>
  runCommand(process.execPath, ['dev/bench.ts', ...words.split(' ')], environment).ended;

describe.skipIf(inject('kubeconfig') === '')('npm run bench', () => {
  test('runs all phases, tells what each took, and leaves nothing behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
    onTestFinished(async () => rm(folder, { recursive: true, force: true }));
    const out = join(folder, 'figures.json');
    const words = `--n ${n} --templates 2 --provision-ms 200 --latency-ms 1 --idle-seconds 4 --out ${out}`;
    const { code, output } = await runBench(words, { TMPDIR: folder });
    expect(code).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(output);
    expect(await readdir(folder)).toEqual(['figures.json']);
    checkDocument(JSON.parse(output) as Document);
  });

  test('keeps what is promised for 1000 executions', async () => {
    const { code, output } = await runBench('--phases jobs --executions 1000 --provision-ms 200');
    expect(code).toBe(0);
    const { targets } = JSON.parse(output) as Document;
    for (const name of ['jobsWrites', 'jobsServiceRequests', 'jobsIdleWrites'])
      expect(targets[name], name).toMatchObject({ met: true });
  });
});

function checkDocument(document: Document): void {
  const { create, scale, idle, restart, delete: remove } = document.phases;
  expect(document.options.n).toBe(n);
  expect(Object.keys(document.phases)).toEqual([...phases]);
  for (const report of Object.values(document.phases)) checkSums(report);
  expect(create.service.requests['POST clusters']).toBe(n);
  expect(create.kubernetes.writes).toBeGreaterThanOrEqual(2 * n);
  expect(create.kubernetes.events).toBeGreaterThanOrEqual(n);
  expect(scale.service.requests['PUT clusters/:id']).toBeGreaterThanOrEqual(n);
  expect(remove.service.requests['DELETE clusters/:id']).toBeGreaterThanOrEqual(n);
  expect([idle.kubernetes.writes, restart.kubernetes.writes]).toEqual([0, 0]);
  expect(restart.kubernetes.requests['watch clusters']).toBe(1);
  expect(restart.kubernetes.requests['update leases']).toBeGreaterThanOrEqual(1);
  expect(idle.kubernetes.lease).toBeGreaterThanOrEqual(1);
  for (const { latencySeconds, seconds } of [create, scale, remove]) {
    const { p50 = 0, p99 = 0, max = 0 } = latencySeconds ?? {};
    expect([0, p50, p99, max, seconds]).toEqual([0, p50, p99, max, seconds].toSorted((a, b) => a - b));
  }
  expect(document.memory['rssMiBWithAll']).toBe(idle.operator.rssMiB);
  const { 'patch connections/status': ofConnection = 0 } = create.kubernetes.requests;
  expect(document.targets['createWrites']?.measured).toBeCloseTo((create.kubernetes.writes - ofConnection) / n, 2);
  expect(document.targets['restartWrites']).toMatchObject({ measured: 0, met: true });
  expect(document.phases.why.kubernetes.requests['patch clusters']).toBeUndefined();
  expect(document.targets['why']).toMatchObject({ measured: document.phases.why.latencySeconds?.max });
  checkJobs(document);
}

function checkJobs({ phases: { jobs: phase }, targets }: Document): void {
  const { jobs, afterwards } = phase as PhaseReport & JobFigures;
  const posts = Object.entries(phase.service.requests).filter(([words]) => words.startsWith('POST '));
  expect(posts).toEqual([['POST jobs/:id/:id', n]]);
  expect(jobs).toMatchObject({ executions: n, perExecution: { posts: 1 } });
  expect(targets['jobsWrites']).toMatchObject({ measured: jobs.perExecution.writes, met: true });
  expect([afterwards.kubernetes.writes, afterwards.kubernetes.events]).toEqual([0, 0]);
}

function checkSums({ kubernetes, service, settled, cpuSeconds, operator }: PhaseReport): void {
  const reading = Object.entries(kubernetes.requests).filter(([words]) => /^(get|list|watch) /.test(words));
  const readings = sum(Object.fromEntries(reading));
  expect(kubernetes.writes + kubernetes.events + kubernetes.lease + readings).toBe(sum(kubernetes.requests));
  expect(service.total).toBe(sum(service.requests));
  expect(settled).toBe(true);
  expect(Object.keys(cpuSeconds).toSorted()).toEqual(['apiServer', 'client', 'etcd', 'operator', 'service']);
  expect(operator.peakRssMiB).toBeGreaterThanOrEqual(operator.rssMiB * 0.9);
  expect(operator.busiestGap.cpuMs).toBeGreaterThan(0);
}
