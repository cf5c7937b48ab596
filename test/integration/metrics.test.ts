// What /metrics says after real work: all that dashboard and alerts read, a bounded number of series, and nobody's names or secrets.
import { describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/system.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { createMetrics } from '../../src/service/api/http/metrics.ts';
import type { Volume } from '../../src/service/model/disk/volume.ts';
import { readExpressions } from '../deploy/monitoring/expressions.ts';
import { seriesOf, troublesOf } from '../deploy/monitoring/figures.ts';
import { fastClock } from '../support/fast-clock.ts';
import { limitMs } from '../support/patience.ts';
import { isOver } from '../support/service/runs.ts';
import { applyTemplates, specs, World } from './support/world.ts';

const seriesLimit = 1_500;
const patience = { timeout: limitMs, interval: 100 };

function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`dataprocessing_operator_${series} `));
  return Number(line?.split(' ').at(-1));
}

const countOf = (text: string): number => text.split('\n').filter((line) => line.startsWith('dataprocessing_')).length;

async function work(world: World): Promise<void> {
  await world.apply('Secret', 'token', {
    type: 'dataprocessing.dev/credentials',
    stringData: { token: 'right-token-4711' },
  });
  await world.connectService({ auth: { type: 'Token', secretRef: { name: 'token' } } });
  await applyTemplates(world);
  await world.apply('Cluster', 'etl-secretive', specs.cluster);
}

/** On the Cluster, until its end. */
async function runJob(world: World): Promise<void> {
  const job = { type: 'Shell', mains: [{ jobBinaryRef: { name: 'program' } }] };
  await world.apply('JobBinary', 'program', { url: 'manila://2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58/run.sh' });
  await world.apply('JobExecution', 'counted', { job, clusterRef: { name: 'etl-secretive' } });
  await world.until('JobExecution', 'counted', ({ status }) => isOver(status?.conditions));
}

describe.skipIf(inject('kubeconfig') === '')('/metrics after real work', () => {
  test('has every figure and every label that dashboard and alerts read', async () => {
    await using world = await World.create({ token: 'right-token-4711' });
    await world.operate(systemClock);
    await work(world);
    await world.ready('Cluster', 'etl-secretive');
    // The test asks the API server; the operator counts what its watch delivers, which may be a moment later.
    const ready = 'conditions{kind="Cluster",type="Ready",status="True",reason="Available"}';
    await expect.poll(async () => valueOf((await world.ask('/metrics')).text, ready), patience).toBe(1);
    await runJob(world);
    const ran = 'job_duration_seconds_count{type="Shell",outcome="Succeeded"}';
    await expect.poll(async () => valueOf((await world.ask('/metrics')).text, ran), patience).toBe(1);
    const { status, text } = await world.ask('/metrics');
    expect(status).toBe(200);
    const volume = { isFull: false, freeBytes: 1, totalBytes: 2, freeFiles: 1, totalFiles: 2 } as Volume;
    const ofService = await createMetrics({ volume, loopDelay: () => 0 }).metrics();
    expect(troublesOf(await readExpressions(), `${text}\n${ofService}`)).toEqual([]);
    expect(valueOf(text, 'ready')).toBe(1);
    expect(valueOf(text, 'resources{kind="Cluster"}')).toBe(1);
    expect(valueOf(text, 'time_to_ready_seconds_count{kind="Cluster"}')).toBe(1);
    const created = 'service_requests_total{method="POST",route="/clusters",code="2xx",error="none"}';
    expect(valueOf(text, created)).toBe(1);
    expect(valueOf(text, 'list_age_seconds{route="/clusters"}')).toBeLessThan(60);
    expect(seriesOf(text).has('dataprocessing_operator_watch_relists_total')).toBe(true);
    expect(valueOf(text, 'events_total{result="dropped"}')).toBe(0);
    for (const kind of [...definitions.map((one) => one.kind), 'Secret'])
      expect(valueOf(text, `reconcile_total{kind="${kind}",result="thrown"}`), kind).toBe(0);
    // The namespaces of the flag are named, because each is judged by itself; none of a resource is.
    const ofFlag = text.split('\n').filter((line) => line.includes(world.namespace));
    expect(ofFlag).toEqual([expect.stringContaining('namespace_forbidden{watched_namespace=')]);
    const rest = text.replace(ofFlag.join(), '');
    for (const secret of ['right-token-4711', 'etl-secretive', world.namespace, '="other"'])
      expect(rest).not.toContain(secret);
    const { id } = (await world.remote('clusters'))[0] ?? {};
    expect(text).not.toContain(id);
  });

  test('tells a look that is overdue from one that its Connection wants seldom', async () => {
    await using world = await World.create();
    const clock = fastClock(1);
    await world.operate(clock);
    await world.connectService({ pollSeconds: 3_600 });
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    const figure = async (name: string, route: string) =>
      valueOf((await world.ask('/metrics')).text, `list_${name}_seconds{route="/${route}"}`);
    clock.leap(3_000_000);
    await expect.poll(() => figure('age', 'cluster-templates'), patience).toBeLessThan(100);
    expect(await figure('age', 'clusters')).toBeGreaterThan(2_900);
    expect(await figure('overdue', 'clusters')).toBe(0);

    await world.service.close();
    clock.leap(3_000_000);
    await expect.poll(() => figure('overdue', 'cluster-templates'), patience).toBeGreaterThan(2_800);
    expect(await figure('overdue', 'clusters')).toBeGreaterThan(2_300);
    expect(await figure('overdue', 'clusters')).toBeLessThan(2_500);
  });

  test('has no more series for more resources and Connections', async () => {
    await using world = await World.create({ token: 'right-token-4711' });
    await world.operate(systemClock);
    await work(world);
    await world.ready('Cluster', 'etl-secretive');
    await world.delete('Cluster', 'etl-secretive');
    await world.gone('Cluster', 'etl-secretive');
    await work(world);
    await world.ready('Cluster', 'etl-secretive');
    const before = countOf((await world.ask('/metrics')).text);
    expect(before).toBeLessThan(seriesLimit);
    const names = Array.from({ length: 8 }, (_, n) => `more-${n}`);
    for (const name of names) {
      await world.apply('Connection', name, {
        endpoint: world.service.url,
        tenantID: name,
        auth: { type: 'Token', secretRef: { name: 'token' } },
      });
      await world.apply('NodeGroupTemplate', name, { ...specs.worker, connectionRef: { name } });
    }
    for (const name of names) await world.ready('NodeGroupTemplate', name);
    const { text } = await world.ask('/metrics');
    expect(valueOf(text, 'resources{kind="Connection"}')).toBe(9);
    // What happened for the first time, such as a wait for a Connection, may add a few.
    expect(countOf(text) - before).toBeLessThan(30);
    for (const name of names) expect(text).not.toContain(name);
  });
});
