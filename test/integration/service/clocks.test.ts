// A service whose host is in another zone, as a real Sahara writes its times, on a real API server: nothing that the operator measures depends on them.
import { expect, inject, test } from 'vitest';
import { Injector } from '../../../dev/personality/injector.ts';
import type { Personality } from '../../../dev/personality/personality.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { conditionOf, specs, World } from '../support/world.ts';

const hasKubernetes = inject('kubeconfig') !== '';

/** The run does not end by itself; the operator is as it is in production. */
async function open(executionTimes: NonNullable<Personality['executionTimes']>): Promise<World> {
  const stuck = { status: 'RUNNING', does: 'stuck' } as const;
  const injector = new Injector(systemClock, { executionTimes, executions: [stuck] });
  const world = await World.create({ injector });
  await world.operate(systemClock);
  await world.connectService({ pollSeconds: 1 });
  await world.apply('JobBinary', 'program', specs.program);
  await world.apply('Job', 'words', specs.job);
  await world.apply('Cluster', 'small', specs.ofJobs);
  return world;
}

const onCluster = { jobRef: { name: 'words' }, clusterRef: { name: 'small' } };
const hasReason = (reason: string) => (one: Parameters<typeof conditionOf>[0]) =>
  conditionOf(one, 'Ready')?.reason === reason;
const timesOf = ({ status = {} }: { readonly status?: object }) =>
  status as { readonly startTime?: string; readonly completionTime?: string; readonly duration?: string };

test.skipIf(!hasKubernetes).each([[{ timeZone: 'America/New_York' }], [{ timeZone: 'Asia/Tokyo', withoutEnd: true }]])(
  'deadlines and times of runs: %j',
  async (executionTimes) => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    await using world = await open(executionTimes);
    await world.apply('JobExecution', 'long', { ...onCluster, activeDeadlineSeconds: 3600 });
    await world.apply('JobExecution', 'short', { ...onCluster, activeDeadlineSeconds: 3 });

    // That of Tokyo would have been cancelled hours later.
    const short = await world.until('JobExecution', 'short', hasReason('DeadlineExceeded'));
    const { startTime = '', completionTime = '', duration } = timesOf(short);
    expect(Date.parse(startTime)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(completionTime)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(completionTime) - Date.parse(startTime)).toBeGreaterThanOrEqual(2_000);
    expect(duration).toMatch(/^\d+s$/);
    expect(short.status).toMatchObject({ state: 'Failed', termination: { reason: 'Cancelled' } });

    // That of New York would have been cancelled at once, and by another process of the operator.
    const long = await world.until('JobExecution', 'long', hasReason('Running'));
    await world.halt();
    await world.operate(systemClock);
    await world.apply('JobExecution', 'later', { ...onCluster, activeDeadlineSeconds: 1 });
    await world.until('JobExecution', 'later', hasReason('DeadlineExceeded'));
    const still = await world.get('JobExecution', 'long');
    expect(still?.status).toMatchObject({ state: 'Running', startTime: timesOf(long).startTime });
  },
);
