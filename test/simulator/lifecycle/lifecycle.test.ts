// Clusters that expire, in worlds that are driven by hand: deadlines, restarts, clocks, and runs that come at the last moment.
import { afterEach, describe, expect, test } from 'vitest';
import { finalizer, recreateAnnotation } from '../../../src/operator/api/shared-api.ts';
import { conditionsOf } from '../api/fields.ts';
import { startWall, tenant } from '../plan/plan.ts';
import { actorOf, Hand, specOf, subject } from '../remedies/hand.ts';
import { clusterIn, later, ready, runSpec } from './ground.ts';
import { comeAt } from './last-moment.ts';

const minute = 60_000;
const worlds: Hand[] = [];
afterEach(() => {
  const problems = worlds.splice(0).flatMap((hand) => hand.end());
  expect(problems).toEqual([]);
});

/** Judged after the test. */
async function begin(...how: Parameters<typeof ready>): Promise<Hand> {
  const hand = await ready(...how);
  worlds.push(hand);
  return hand;
}

const conditionIn = (hand: Hand, type: string) => {
  const cluster = clusterIn(hand);
  return cluster && conditionsOf(cluster).find((one) => one.type === type);
};
const rows = (hand: Hand) =>
  hand.world.service.store.list('clusters', tenant).filter(({ name }) => name.startsWith(subject));

/** The process ends, and the one of this plan takes its place. */
function restart(hand: Hand, index = 0): void {
  hand.world.replicas[0]?.kill();
  hand.world.start(index);
}

/** What the service reports of the work on clusters from now on. `old`: its engine does not answer any more. */
function report(hand: Hand, is: 'quiet' | 'busy' | 'none' | 'old'): void {
  const { scheduler, service } = hand.world;
  const since = scheduler.now;
  const loadOf = () => {
    const observedAt = new Date(startWall + (is === 'old' ? since : scheduler.now)).toISOString();
    return is === 'none' ? undefined : { worker: { wantedNodes: 0, busyNodes: is === 'busy' ? 1 : 0, observedAt } };
  };
  Object.assign(service.injector, { loadOf });
}

const statusIn = (hand: Hand) => clusterIn(hand)?.status as Readonly<Record<string, unknown>> | undefined;

test('a cluster that nobody uses is announced, and deleted with its object', async () => {
  const hand = await begin({ idleDeleteAfterSeconds: 600 });
  const { firstReadyAt, lastUsedAt } = statusIn(hand) ?? {};
  expect(lastUsedAt).toBe(firstReadyAt);
  await later(hand, 5 * minute);
  expect(conditionIn(hand, 'Expiring')).toBeUndefined();
  await later(hand, 4 * minute);
  expect(conditionIn(hand, 'Expiring')).toMatchObject({ status: 'True', reason: 'Idle' });
  await hand.gone('Cluster', subject);
  expect(rows(hand)).toEqual([]);
});

describe('Release', () => {
  const lifecycle = { deleteAfterSeconds: 600, onExpiry: 'Release' };

  test('the object stays without its cluster, across a restart, until the annotation asks for another one', async () => {
    const hand = await begin(lifecycle);
    const { id } = statusIn(hand) ?? {};
    await hand.reports('Cluster', subject, 'Expired');
    expect(rows(hand)).toEqual([]);
    expect(conditionIn(hand, 'Expired')).toMatchObject({ status: 'True', reason: 'MaximumAge' });
    expect(conditionIn(hand, 'Expiring')).toBeUndefined();
    expect(clusterIn(hand)?.metadata.finalizers).toContain(finalizer);
    restart(hand);
    await later(hand, 20 * minute);
    expect(rows(hand)).toEqual([]);
    hand.annotate('Cluster', subject, recreateAnnotation, String(id));
    await hand.reports('Cluster', subject, 'Available');
    expect(statusIn(hand)?.['id']).not.toBe(id);
    expect(conditionIn(hand, 'Expired')).toBeUndefined();
    expect(conditionIn(hand, 'Ready')?.message).not.toContain('ignored');
    await hand.reports('Cluster', subject, 'Expired');
  });

  test('it stays expired when the clock is set back', async () => {
    const hand = await begin(lifecycle, {
      replicas: [
        { offset: 0, rate: 1 },
        { offset: -120 * minute, rate: 1 },
      ],
    });
    await hand.reports('Cluster', subject, 'Expired');
    restart(hand, 1);
    await later(hand, 30 * minute);
    expect(conditionIn(hand, 'Ready')?.reason).toBe('Expired');
    expect(rows(hand)).toEqual([]);
  });

  test('a run that waits for it says so, and runs once there is a cluster again', async () => {
    const hand = await begin(lifecycle);
    await hand.reports('Cluster', subject, 'Expired');
    hand.apply('JobExecution', 'run', runSpec);
    expect(await hand.reports('JobExecution', 'run', 'WaitingForCluster')).toContain('has expired');
    hand.edit('Cluster', subject, { lifecycle: { deleteAfterSeconds: 3_600, onExpiry: 'Release' } });
    await hand.reports('JobExecution', 'run', 'Succeeded');
  });
});

describe('use', () => {
  test('a run is use, and the time begins at its end, even if the operator was away then', async () => {
    const hand = await begin({ idleDeleteAfterSeconds: 600 });
    hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
    hand.apply('JobExecution', 'run', runSpec);
    await hand.reports('JobExecution', 'run', 'Running');
    await later(hand, 30 * minute);
    expect(statusIn(hand)).not.toHaveProperty('lastUsedAt');
    expect(conditionIn(hand, 'Expiring')).toBeUndefined();
    hand.service({});
    await hand.reports('JobExecution', 'run', 'Succeeded');
    hand.world.replicas[0]?.kill();
    hand.delete('JobExecution', 'run');
    await later(hand, 30 * minute);
    hand.world.start(0);
    await later(hand, 9 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    await hand.gone('Cluster', subject);
  });

  test.each(['busy', 'none', 'old'] as const)('a load that is %s keeps it', async (is) => {
    const hand = await begin({ idleDeleteAfterSeconds: 600 });
    report(hand, 'quiet');
    await later(hand, 2 * minute);
    report(hand, is);
    await later(hand, 30 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    expect(conditionIn(hand, 'Expiring')).toBeUndefined();
    report(hand, 'quiet');
    // What happened while it was not known may have been use.
    await later(hand, 9 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    await hand.gone('Cluster', subject);
  });

  test('a service that cannot be observed keeps it', async () => {
    const hand = await begin({ idleDeleteAfterSeconds: 600 });
    report(hand, 'quiet');
    await later(hand, 2 * minute);
    hand.service({ faults: [{ method: 'GET', answer: { is: 'cut' } }] });
    await later(hand, 30 * minute);
    hand.service({});
    await later(hand, 8 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    await hand.gone('Cluster', subject);
  });
});

describe('the last moment', () => {
  comeAt([-500, -5, 0, 10, 500]);

  test('a restart gives another notice, and loses no time otherwise', async () => {
    const hand = await begin({ deleteAfterSeconds: 600 });
    await later(hand, 9 * minute);
    expect(conditionIn(hand, 'Expiring')).toMatchObject({ status: 'True', reason: 'MaximumAge' });
    await later(hand, minute - 20_000);
    restart(hand);
    await later(hand, 45_000);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    await later(hand, 3 * minute);
    expect(clusterIn(hand)).toBeUndefined();
  });

  test('a running job ends before a cluster goes that is too old', async () => {
    const hand = await begin({ deleteAfterSeconds: 300 });
    hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
    hand.apply('JobExecution', 'run', runSpec);
    await hand.reports('JobExecution', 'run', 'Running');
    await later(hand, 15 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeDefined();
    expect(rows(hand)).toHaveLength(1);
    hand.service({});
    await hand.reports('JobExecution', 'run', 'Succeeded');
    await hand.gone('Cluster', subject);
  });
});

describe('clocks', () => {
  test('a clock that is set forward deletes few clusters at once, and says so', async () => {
    const hand = await begin(
      { deleteAfterSeconds: 36_000 },
      {
        replicas: [
          { offset: 0, rate: 1 },
          { offset: 365 * 24 * 60 * minute, rate: 1 },
        ],
      },
    );
    const names = Array.from({ length: 8 }, (_, index) => `more-${index}`);
    for (const name of names)
      hand.apply('Cluster', name, { ...specOf('Cluster'), lifecycle: { deleteAfterSeconds: 36_000 } });
    for (const name of names) await hand.reports('Cluster', name, 'Available');
    restart(hand, 1);
    await later(hand, 9 * minute);
    const left = [subject, ...names].flatMap((name) => hand.object('Cluster', name) ?? []);
    expect(left).toHaveLength(4);
    for (const one of left)
      expect(conditionsOf(one).find(({ type }) => type === 'Expiring')).toMatchObject({ reason: 'ExpiryHeld' });
  });

  test('a clock that is set back deletes nothing early', async () => {
    const hand = await begin(
      { idleDeleteAfterSeconds: 600 },
      {
        replicas: [
          { offset: 0, rate: 1 },
          { offset: -60 * minute, rate: 1 },
        ],
      },
    );
    await later(hand, 9 * minute);
    restart(hand, 1);
    await later(hand, 9 * minute);
    expect(clusterIn(hand)?.metadata.deletionTimestamp).toBeUndefined();
    await hand.gone('Cluster', subject);
  });
});

describe('deleteAt', () => {
  const past = '2020-01-01T00:00:00Z';

  test('nothing is created after it, and the object goes', async () => {
    const hand = new Hand();
    worlds.push(hand);
    await hand.ground(actorOf('Cluster'));
    hand.apply('Cluster', subject, { ...specOf('Cluster'), lifecycle: { deleteAt: past } });
    expect(await hand.reports('Cluster', subject, 'Expired')).toContain('nothing is created');
    await hand.gone('Cluster', subject);
    expect(hand.world.figures.writes.filter((one) => one.includes('clusters/') && one.startsWith('POST'))).toEqual([]);
  });

  test('with Release, it stays and is created once the time is in the future', async () => {
    const hand = new Hand();
    worlds.push(hand);
    await hand.ground(actorOf('Cluster'));
    hand.apply('Cluster', subject, { ...specOf('Cluster'), lifecycle: { deleteAt: past, onExpiry: 'Release' } });
    expect(await hand.reports('Cluster', subject, 'Expired')).toContain('change or remove spec.lifecycle.deleteAt');
    await later(hand, 10 * minute);
    expect(rows(hand)).toEqual([]);
    hand.edit('Cluster', subject, { lifecycle: { deleteAt: '2125-01-01T00:00:00Z', onExpiry: 'Release' } });
    await hand.reports('Cluster', subject, 'Available');
  });
});

test('a cluster that waits for a run before it is released is kept if its lifecycle is removed meanwhile', async () => {
  const hand = await begin({ deleteAfterSeconds: 300, onExpiry: 'Release' });
  const { id } = statusIn(hand) ?? {};
  hand.service({ executions: [{ status: 'RUNNING', does: 'stuck' }] });
  hand.apply('JobExecution', 'run', runSpec);
  await hand.reports('JobExecution', 'run', 'Running');
  await hand.reports('Cluster', subject, 'Deleting');
  hand.apply('JobExecution', 'other', runSpec);
  await hand.reports('JobExecution', 'other', 'WaitingForCluster');
  hand.edit('Cluster', subject, { lifecycle: null });
  await hand.reports('Cluster', subject, 'Available');
  expect(statusIn(hand)?.['id']).toBe(id);
  hand.service({});
  await hand.reports('JobExecution', 'run', 'Succeeded');
  await hand.reports('JobExecution', 'other', 'Succeeded');
});
