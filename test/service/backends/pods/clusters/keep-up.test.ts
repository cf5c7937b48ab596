// What the service does about changes and troubles of the pods of an Active cluster.
import { describe, expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../../../../src/lib/timing/wait.ts';
import type { Observation } from '../../../../../src/service/backends/pods/api/informers.ts';
import { KeepUp } from '../../../../../src/service/backends/pods/clusters/keep-up.ts';
import type { Mark } from '../../../../../src/service/backends/pods/clusters/marks.ts';
import type { ClusterOrder, Loss } from '../../../../../src/service/backends/provisioner.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { sparkCluster } from './scene.ts';

const workers = (looks: string, others: readonly string[] = []): Mark => ({
  object: 'StatefulSet workers',
  looks,
  others,
});

function watched() {
  const clock = new ManualClock();
  const now = { missing: [] as string[], marks: [workers('1')], problem: undefined as string | undefined };
  const state = { ...now, fails: false, keeps: true, changed: ['StatefulSet'], restored: 0, looks: 0 };
  let hint = (): void => {};
  const losses: Loss[] = [];
  const reports: (string | undefined)[] = [];
  const warnings: string[] = [];
  const log = { warn: (_: unknown, text: string) => void warnings.push(text) };
  /** What every look finds changed, but for one that fails: then nothing changes until somebody gives a hint. */
  const observation: Observation = {
    problem: undefined,
    list: () => [],
    current: async () => false,
    next: async (ms, signal) => {
      if (!state.fails) return new Set(state.changed);
      const changed = new AbortController();
      hint = () => changed.abort();
      await sleep(clock, ms, AbortSignal.any([signal, changed.signal]));
      return new Set(changed.signal.aborted ? state.changed : []);
    },
    close() {},
  };
  const keepUp = new KeepUp({
    clock,
    log: log as never,
    observe: () => observation,
    find: async () => {
      state.looks += 1;
      return state.fails ? Promise.reject(new Error('no route')) : state.missing;
    },
    restore: async () => {
      state.restored += 1;
      return state.marks;
    },
    problem: () => state.problem,
  });
  const order: ClusterOrder = {
    tenant: 't',
    cluster: sparkCluster(),
    signal: new AbortController().signal,
    report: ({ message }) => void reports.push(message),
  };
  const close = keepUp.open((loss) => {
    losses.push(loss);
    return state.keeps;
  });
  onTestFinished(close);
  keepUp.begin(order);
  const look = async () => clock.advance(5000);
  return { clock, state, losses, reports, warnings, keepUp, order, look, change: () => hint() };
}

test('nothing is said while all is well', async () => {
  const { look, losses, reports } = watched();
  await look();
  await look();
  expect([losses, reports]).toEqual([[], []]);
});

test('its objects are applied at first, and when one of them has changed or may have, but not when a pod has', async () => {
  const { look, state } = watched();
  const restoredAfter = async (changed: string[]) => {
    const before = state.restored;
    state.changed = changed;
    await look();
    await look();
    return state.restored - before;
  };
  expect(await restoredAfter(['Pod', 'Event'])).toBe(1);
  expect(await restoredAfter(['Pod', 'Event'])).toBe(0);
  expect(await restoredAfter(['Pod', 'Secret'])).toBe(1);
  expect(await restoredAfter([])).toBe(2);
});

test('what somebody else changed is named once, after it was put back', async () => {
  const { look, state, reports } = watched();
  await look();
  state.marks = [workers('2')];
  await look();
  await look();
  expect(reports).toEqual(['StatefulSet workers was changed by somebody else, and put back']);
});

test('what somebody else added stays, and is not called put back', async () => {
  const { look, state, reports } = watched();
  await look();
  state.marks = [workers('2', ['kubectl-edit'])];
  await look();
  await look();
  expect(reports).toEqual([
    'StatefulSet workers was changed by somebody else: what the service sets was put back, and the other fields that kubectl-edit has set stay',
  ]);
});

test('a problem is told once, and so is its end', async () => {
  const { look, state, losses, reports } = watched();
  state.problem = 'pod workers-0 was evicted';
  await look();
  await look();
  state.problem = undefined;
  await look();
  await look();
  expect(losses.map(({ message, machines }) => [message, machines])).toEqual([['pod workers-0 was evicted', []]]);
  expect(reports).toEqual(['the cluster can be used again: pod workers-0 was evicted']);
});

test('machines without a StatefulSet are lost, and the cluster is left alone', async () => {
  const { clock, look, state, losses } = watched();
  state.missing = ['workers-machine-0'];
  await look();
  await look();
  expect(losses.map(({ machines }) => machines)).toEqual([['workers-machine-0']]);
  expect(clock.pending).toBe(0);
});

test('an API server that does not answer is asked again', async () => {
  const { look, state, losses, warnings } = watched();
  state.fails = true;
  await look();
  state.fails = false;
  state.problem = 'no room';
  await look();
  expect(warnings).toEqual(['cannot look after the pods of a cluster']);
  expect(losses.map(({ message }) => message)).toEqual(['no room']);
});

test('a look that fails is repeated ever more rarely, once a minute at last, and soon after a change', async () => {
  const { clock, state, change } = watched();
  state.fails = true;
  const looksWithin = async (seconds: number) => {
    const before = state.looks;
    for (let second = 0; second < seconds; second += 1) await clock.advance(1000);
    return state.looks - before;
  };
  // After 5, 10, 20, 40, 80 and 140 s.
  expect(await looksWithin(150)).toBe(6);
  expect(await looksWithin(600)).toBe(10);
  change();
  expect(await looksWithin(6)).toBe(1);
  expect(await looksWithin(50)).toBe(0);
  state.fails = false;
  expect(await looksWithin(20)).toBe(3);
  state.fails = true;
  expect(await looksWithin(20)).toBe(3);
});

test('a cluster that is begun again has one loop, and none after its end', async () => {
  const { clock, look, state, losses, keepUp, order } = watched();
  keepUp.begin(order);
  state.problem = 'no room';
  await look();
  expect(losses).toHaveLength(1);
  await expect(keepUp.end(order.cluster.id)).resolves.toBe(order);
  expect(clock.pending).toBe(0);
  await expect(keepUp.end(order.cluster.id)).resolves.toBeUndefined();
});

describe('work on a cluster', () => {
  const fails = (error: Error) => async () => Promise.reject(error);

  test('that fails leaves it to what looked after it', async () => {
    const { look, state, losses, keepUp, order } = watched();
    await expect(keepUp.pause(order, fails(new Error('no room')))).rejects.toThrow('no room');
    state.problem = 'no room';
    await look();
    expect(losses).toHaveLength(1);
  });

  test('that is tried again is not undone meanwhile, and once it has failed for good, it is', async () => {
    const { look, state, losses, keepUp, order } = watched();
    await expect(keepUp.pause(order, fails(new Transient('503')))).rejects.toThrow('503');
    await expect(keepUp.pause(order, fails(new Transient('503')))).rejects.toThrow('503');
    state.problem = 'no room';
    await look();
    expect(losses).toEqual([]);
    await expect(keepUp.pause(order, fails(new Error('refused')))).rejects.toThrow('refused');
    await look();
    expect(losses).toHaveLength(1);
  });
});
