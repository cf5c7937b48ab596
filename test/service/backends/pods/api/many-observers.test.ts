// Thousands of runs and clusters that are observed at once: what a change costs, and how many go on in one turn of the event loop.
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import { turn } from '../../../../../src/lib/timing/slices.ts';
import { events, type KubeObject, pods } from '../../../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../../../src/service/backends/pods/api/informers.ts';
import { clusterLabel, runLabel } from '../../../../../src/service/backends/pods/api/names.ts';
import type { EventObject } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { FakeTransport } from '../../../../operator/kube/support/fake-transport.ts';
import { fixedRandom, recordingLog } from '../../../../operator/kube/support/ports.ts';
import { ManualClock, settle } from '../../../../support/clock.ts';

const minute = 60_000;
const namespace = 'data';
const { signal } = new AbortController();
/** A wait with it ends at once. */
const ended = AbortSignal.abort();

function open() {
  const [clock, transport] = [new ManualClock(), new FakeTransport()];
  const informers = new Informers({ clock, transport, random: fixedRandom(0.5), log: recordingLog() });
  onTestFinished(() => informers.close());
  return { transport, informers };
}

const added = (name: string, labels: Readonly<Record<string, string>>, more: object = {}) => ({
  type: 'ADDED',
  object: { metadata: { name, namespace, uid: name, resourceVersion: '1', labels }, ...more },
});
const listEnd = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};
const namesOf = (found: readonly KubeObject[]) => found.map(({ metadata }) => metadata.name);

/** Until all microtasks are done, and without a turn of the event loop. */
async function withinTurn(): Promise<void> {
  for (let count = 0; count < 1000; count += 1) await Promise.resolve();
}

async function untilListed(objects: readonly object[], transport: FakeTransport): Promise<void> {
  await settle();
  await transport.newest.send(...objects, listEnd);
  for (let count = 0; count < objects.length / 16; count += 1) await turn();
}

describe('each object is looked at for its own observer alone', () => {
  test.each([50, 100])('with %i observers', async (observers) => {
    const { transport, informers } = open();
    let looks = 0;
    const labelsOf = (run: string) =>
      new Proxy<Record<string, string>>(
        { [clusterLabel]: 'a', [runLabel]: run },
        {
          get(target, name) {
            looks += name === runLabel ? 1 : 0;
            return Reflect.get(target, name) as unknown;
          },
        },
      );
    const runs = Array.from({ length: observers }, (_, index) => `r${index}`);
    const observed = runs.map((run) => informers.observe({ namespace, kinds: [pods], labels: { [runLabel]: run } }));
    const ofEnded = Array.from({ length: 3 * observers }, (_, index) => `ended-${index}`);
    await untilListed(
      [...runs, ...ofEnded].map((run) => added(`${run}-0`, labelsOf(run))),
      transport,
    );
    expect(observed.map((each) => namesOf(each.list(pods)))).toEqual(runs.map((run) => [`${run}-0`]));
    for (const each of observed) expect(await each.next(0, signal)).toEqual(new Set(['Pod']));
    // Of each object: for the index, for the change, and for its label itself.
    expect(looks).toBeLessThanOrEqual(6 * 4 * observers);
  });
});

test('a cluster has neither the objects nor the changes of its runs', async () => {
  const { transport, informers } = open();
  const observed = informers.observe({ namespace, kinds: [pods], labels: { [clusterLabel]: 'a' } });
  const ofRun = { [clusterLabel]: 'a', [runLabel]: 'r' };
  await untilListed([added('a-0', { [clusterLabel]: 'a' }), added('r-0', ofRun)], transport);
  expect([await observed.next(0, signal), namesOf(observed.list(pods))]).toEqual([new Set(['Pod']), ['a-0']]);
  await transport.newest.send({ type: 'DELETED', object: added('r-0', ofRun).object });
  expect(await observed.next(0, ended)).toEqual(new Set());
});

test('the events about the groups, pods and claims of a cluster are in the order in which they came', async () => {
  const { transport, informers } = open();
  const about = new Set(['words-1', 'data0-words-1-0', 'state-words-2-11', 'words-2']);
  const observed = informers.observe({ namespace, kinds: [events], labels: { [clusterLabel]: 'a' }, about });
  const names = ['state-words-2-11', 'words-1', 'words-3', 'data1-words-1-0', 'words-2', 'data0-words-1-0'];
  const eventOf = (name: string) => added(`${name}.1`, {}, { involvedObject: { kind: 'Any', name }, type: 'Warning' });
  await untilListed(names.map(eventOf), transport);
  const found = observed.list<EventObject>(events).map(({ involvedObject }) => involvedObject?.name);
  expect(found).toEqual(['state-words-2-11', 'words-1', 'words-2', 'data0-words-1-0']);
  await observed.next(0, signal);
  await transport.newest.send({ type: 'DELETED', object: eventOf('data1-words-1-0').object });
  expect(await observed.next(0, ended)).toEqual(new Set());
  await transport.newest.send({ type: 'DELETED', object: eventOf('data0-words-1-0').object });
  expect(await observed.next(0, signal)).toEqual(new Set(['Event']));
});

describe('hundreds of observers go on in several turns of the event loop', () => {
  async function openMany() {
    const { transport, informers } = open();
    const runs = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const observed = runs.map((run) => informers.observe({ namespace, kinds: [pods], labels: { [runLabel]: run } }));
    const objects = runs.map((run) => added(`${run}-0`, { [runLabel]: run }));
    return { transport, observed, objects };
  }

  test('when their watch breaks, and each of them once', async () => {
    const { transport, observed, objects } = await openMany();
    await untilListed(objects, transport);
    for (const each of observed) await each.next(0, signal);
    let awake = 0;
    for (const each of observed) void each.next(10 * minute, signal).then(() => (awake += 1));
    await settle();
    expect(awake).toBe(0);
    transport.newest.fail(new ApiError('unreachable', 'cannot watch pods data: ECONNREFUSED'));
    await withinTurn();
    expect(awake).toBe(64);
    for (let count = 0; count < 4; count += 1) await turn();
    expect(awake).toBe(200);
  });

  test('when their objects are listed', async () => {
    const { transport, observed, objects } = await openMany();
    let current = 0;
    const report = () => undefined;
    for (const each of observed) void each.current({ signal, report }).then(() => (current += 1));
    await settle();
    const most: number[] = [];
    void transport.newest.send(...objects, listEnd);
    for (let turns = 0; turns < 100; turns += 1) {
      const before = current;
      await turn();
      most.push(current - before);
    }
    expect([current, Math.max(...most) <= 64]).toEqual([200, true]);
  });
});

test('who has gone on by itself before its turn comes is not woken from its next sleep', async () => {
  const { transport, informers } = open();
  const labels = { [runLabel]: 'r' };
  const others = Array.from({ length: 64 }, () => informers.observe({ namespace, kinds: [pods], labels }));
  const last = informers.observe({ namespace, kinds: [pods], labels });
  await untilListed([added('r-0', labels)], transport);
  await settle();
  for (const each of [...others, last]) await each.next(0, signal);
  void transport.newest.send({ type: 'DELETED', object: added('r-0', labels).object });
  await withinTurn();
  expect(await last.next(minute, signal)).toEqual(new Set(['Pod']));
  let isAwake = false;
  void last.next(minute, signal).then(() => (isAwake = true));
  await settle();
  expect(isAwake).toBe(false);
});
