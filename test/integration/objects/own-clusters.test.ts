// Executions with a job and a cluster of their own, on a real API server: made for the run, used by all attempts, deleted after it.
import { expect, inject, test, vi } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { isOver } from '../../support/service/runs.ts';
import { conditionOf, specs, World, type WorldOptions } from '../support/world.ts';

const patience = { timeout: limitMs, interval: 100 };
const { job, ofJobs: cluster } = specs;

/** The operator runs, and there is all that the job needs. */
async function open({ clock, ...options }: WorldOptions & { readonly clock?: Clock } = {}): Promise<World> {
  const world = await World.create(options);
  await world.operate(clock);
  await world.connectService({ pollSeconds: 1 });
  await world.apply('JobBinary', 'program', specs.program);
  return world;
}

const over = (world: World, name: string) =>
  world.until('JobExecution', name, ({ status }) => isOver(status?.conditions), patience.timeout);
const says = (world: World, name: string, reason: string) =>
  world.until('JobExecution', name, (one) => conditionOf(one, 'Ready')?.reason === reason, patience.timeout);
const sent = ({ external }: World, pattern: RegExp) => external.filter((line) => pattern.test(line));
const executes = (world: World) => sent(world, /^POST \/v1\.1\/.*\/execute$/).length;
const starts = (world: World) => sent(world, /^POST \/v1\.\d\/[^/]+\/clusters$/).length;
const clusters = ({ records }: World) => records.list('clusters', 'demo');
const runs = ({ records }: World) => records.list('jobExecutions', 'demo');

/** The engine of the service ends the run in this way. */
function endAs(world: World, status: string, urls?: Readonly<Record<string, string>>): void {
  const row = runs(world).at(-1);
  if (row === undefined) throw new Error('there is no run');
  const end_time = new Date().toISOString();
  world.records.put('jobExecutions', 'demo', { ...row, info: { status }, urls, end_time, work: undefined });
}

/** The run ends only when it is cancelled. */
function stayRunning(world: World): void {
  const row = runs(world).at(-1);
  if (row === undefined) throw new Error('there is no run');
  world.records.put('jobExecutions', 'demo', { ...row, info: { status: 'RUNNING' }, work: undefined });
}

const hasKubernetes = inject('kubeconfig') !== '';

test.skipIf(!hasKubernetes)('a run has its job and its cluster, which goes after it', async () => {
  await using world = await open();
  await world.apply('JobExecution', 'words', { job, cluster });
  const run = await over(world, 'words');
  expect(run.status).toMatchObject({ state: 'Succeeded', cluster: { name: 'words' } });
  await world.gone('Cluster', 'words');
  const made = await world.ready('Job', 'words');
  expect(made.metadata).toMatchObject({
    ownerReferences: [{ apiVersion, kind: 'JobExecution', name: 'words', uid: run.metadata.uid, controller: true }],
  });
  expect([executes(world), starts(world), clusters(world)]).toEqual([1, 1, []]);
  // Nothing is made again, also by another process.
  await world.halt();
  world.forget();
  await world.operate();
  await world.ready('Job', 'words');
  expect([executes(world), starts(world)]).toEqual([0, 0]);
  expect(await world.get('Cluster', 'words')).toBeUndefined();
});

test.skipIf(!hasKubernetes)('a failed run keeps its cluster for as long as it says', async () => {
  const clock = fastClock(5);
  await using world = await open({ clock, stageMs: 1_000 });
  await world.apply('JobExecution', 'words', { job, cluster: { ...cluster, keepOnFailureSeconds: 600 }, retries: 1 });
  await vi.waitUntil(() => runs(world).length === 1, patience);
  endAs(world, 'FAILED');
  await vi.waitUntil(() => runs(world).length === 2, patience);
  endAs(world, 'FAILED');
  expect((await over(world, 'words')).status).toMatchObject({ state: 'Failed', attempts: 2 });
  await world.ready('Cluster', 'words');
  expect([executes(world), starts(world)]).toEqual([2, 1]);
  // It goes on between the leaps, too.
  clock.leap(500_000);
  await world.ready('Cluster', 'words');
  clock.leap(150_000);
  await world.gone('Cluster', 'words');
});

test.skipIf(!hasKubernetes)('the links of a run are in its status, if they are web pages', async () => {
  await using world = await open({ stageMs: 1_000 });
  await world.apply('JobExecution', 'words', { job, cluster });
  await vi.waitUntil(() => runs(world).length === 1, patience);
  const page = 'http://10.0.0.1:8080';
  endAs(world, 'SUCCEEDED', { Logs: '/v1.1/demo/job-executions/1/logs', Page: page, Login: 'http://ann:pw@10.0.0.1' });
  const { status } = await over(world, 'words');
  const Logs: unknown = expect.stringMatching(/^http:\/\/[\w.]+:\d+\/v1\.1\/demo\/job-executions\/1\/logs$/);
  expect((status as { readonly urls?: unknown }).urls).toEqual({ Logs, Page: page });
});

test.skipIf(!hasKubernetes)('a cluster of somebody else is neither used nor deleted', async () => {
  await using world = await open();
  const theirs = await world.apply('Cluster', 'words', cluster);
  await world.apply('JobExecution', 'words', { job, cluster, ttlSecondsAfterFinished: 0 });
  const run = await says(world, 'words', 'NameConflict');
  expect(conditionOf(run, 'Ready')?.message).toContain(
    'spec.cluster: Cluster words exists and does not belong to this JobExecution: delete it, or apply this JobExecution with another name',
  );
  expect(executes(world)).toBe(0);
  await world.delete('JobExecution', 'words');
  await world.gone('JobExecution', 'words');
  expect((await world.ready('Cluster', 'words')).metadata.uid).toBe(theirs.metadata.uid);
});

test.skipIf(!hasKubernetes)('a suspended run has no cluster, and gets another one when it is resumed', async () => {
  await using world = await open({ stageMs: 300 });
  await world.apply('JobExecution', 'words', { job, cluster, suspend: true });
  await says(world, 'words', 'Suspended');
  expect([await world.get('Cluster', 'words'), starts(world)]).toEqual([undefined, 0]);
  await world.apply('JobExecution', 'words', { job, cluster, suspend: false });
  await vi.waitUntil(() => runs(world).length === 1, patience);
  stayRunning(world);
  await world.apply('JobExecution', 'words', { job, cluster, suspend: true });
  await says(world, 'words', 'Suspended');
  await world.gone('Cluster', 'words', patience.timeout);
  await world.apply('JobExecution', 'words', { job, cluster, suspend: false });
  expect((await over(world, 'words')).status).toMatchObject({ state: 'Succeeded' });
  await world.gone('Cluster', 'words', patience.timeout);
  expect([executes(world), starts(world)]).toEqual([2, 2]);
});

test.skipIf(!hasKubernetes)(
  'the job of a run that has ended stays as it is when its program changes, and other jobs follow',
  async () => {
    await using world = await open({ stageMs: 100 });
    const clusterRef = { name: 'shared' };
    await world.apply('Cluster', 'shared', cluster);
    for (const name of ['first', 'second']) await world.apply('JobExecution', name, { job, clusterRef });
    for (const name of ['first', 'second']) await over(world, name);
    await world.apply('JobExecution', 'waiting', { job, clusterRef, suspend: true });
    await world.apply('Job', 'free', job);
    const revision = async (name: string) => (await world.ready('Job', name)).status?.['revision'];
    const [before, free] = [await Promise.all(['first', 'second'].map(revision)), await revision('free')];
    const jobs = () => sent(world, /^POST .*\/jobs$/).length;
    const made = jobs();
    await world.apply('JobBinary', 'program', { url: 'manila://2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58/another.sh' });
    await vi.waitUntil(async () => (await revision('free')) !== free, patience);
    // Long enough for all that would follow.
    await world.apply('JobExecution', 'waiting', { job, clusterRef, suspend: false });
    await over(world, 'waiting');
    expect(await Promise.all(['first', 'second'].map(revision))).toEqual(before);
    expect(jobs() - made).toBe(2);
  },
);
