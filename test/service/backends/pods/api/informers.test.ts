// One watch for each kind and namespace: who is woken by which change, and what is told while it is broken.

import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import { type KubeObject, pods, secrets } from '../../../../../src/service/backends/pods/api/api.ts';
import { grantRemedy } from '../../../../../src/service/backends/pods/api/failures.ts';
import { Informers } from '../../../../../src/service/backends/pods/api/informers.ts';
import { clusterLabel } from '../../../../../src/service/backends/pods/api/names.ts';
import { recheckMs, untilHolds } from '../../../../../src/service/backends/pods/api/until.ts';
import { watchedKind } from '../../../../../src/service/backends/pods/api/watched-kinds.ts';
import { Interruption } from '../../../../../src/service/model/stages/interruption.ts';
import { FakeTransport } from '../../../../operator/kube/support/fake-transport.ts';
import { fixedRandom, recordingLog } from '../../../../operator/kube/support/ports.ts';
import { ManualClock, settle } from '../../../../support/clock.ts';

const minute = 60_000;

const podOf = (cluster: string, version: number, status: object = {}) => ({
  metadata: {
    name: `${cluster}-0`,
    namespace: 'data',
    uid: cluster,
    resourceVersion: String(version),
    labels: { [clusterLabel]: cluster },
    managedFields: [{ manager: 'kubelet' }],
  },
  spec: { nodeName: 'node-1', containers: [{ env: [] }] },
  status,
});

const listEnd = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

function open() {
  const [clock, transport] = [new ManualClock(), new FakeTransport()];
  const informers = new Informers({ clock, transport, random: fixedRandom(0.5), log: recordingLog() });
  onTestFinished(() => informers.close());
  const controller = new AbortController();
  const { signal } = controller;
  const messages: string[] = [];
  const wait = { signal, report: ({ message }: { readonly message: string }) => void messages.push(message) };
  const observe = (cluster: string) =>
    informers.observe({ namespace: 'data', kinds: [pods], labels: { [clusterLabel]: cluster } });
  return { clock, transport, informers, controller, signal, messages, wait, observe };
}

async function openListed() {
  const scene = open();
  const observed = [scene.observe('a'), scene.observe('b')] as const;
  await settle();
  await scene.transport.newest.send({ type: 'ADDED', object: podOf('a', 1) }, listEnd);
  await observed[0].next(0, scene.signal);
  return { ...scene, observed };
}

const namesOf = (found: readonly KubeObject[]) => found.map(({ metadata }) => metadata.name);

describe('an observation', () => {
  test('shares the watch of others, selects what it is about, and keeps little of it', async () => {
    const { transport, observed } = await openListed();
    expect(transport.streams.map(({ call }) => [call.path, call.query?.['labelSelector']])).toEqual([
      ['/api/v1/namespaces/data/pods', 'dataprocessing.dev/cluster-id'],
    ]);
    expect(observed.map((each) => namesOf(each.list(pods)))).toEqual([['a-0'], []]);
    expect(observed[0].list(pods)).toMatchObject([{ spec: { nodeName: 'node-1' } }]);
    expect(JSON.stringify(observed[0].list(pods))).not.toMatch(/managedFields|containers"/);
  });

  test('wakes for what it is about, and not for fields that nobody uses', async () => {
    const { clock, transport, observed, signal } = await openListed();
    const woken: string[] = [];
    const [a, b] = observed.map(async (each, index) => {
      const changed = await each.next(minute, signal);
      woken.push(`${index} ${[...changed].join()}`);
    });
    const newer = { ...podOf('a', 11), metadata: { ...podOf('a', 11).metadata, managedFields: [] } };
    await transport.newest.send({ type: 'MODIFIED', object: newer });
    expect(woken).toEqual([]);
    await transport.newest.send({ type: 'MODIFIED', object: podOf('a', 12, { podIP: '10.0.0.1' }) });
    await a;
    expect(woken).toEqual(['0 Pod']);
    await clock.advance(minute);
    await b;
    expect(woken).toEqual(['0 Pod', '1 ']);
  });

  test('misses no change that comes while nobody waits', async () => {
    const { transport, observed, signal } = await openListed();
    await transport.newest.send({ type: 'DELETED', object: podOf('a', 11) });
    expect(await observed[0].next(minute, signal)).toEqual(new Set(['Pod']));
    expect(observed[0].list(pods)).toEqual([]);
  });

  test('wakes when its watch breaks, so that it can be told', async () => {
    const { transport, observed, signal } = await openListed();
    let isAwake = false;
    void observed[0].next(10 * minute, signal).then(() => (isAwake = true));
    await settle();
    expect(isAwake).toBe(false);
    transport.newest.fail(new ApiError('unreachable', 'cannot watch pods data: ECONNREFUSED'));
    await settle();
    expect(isAwake).toBe(true);
  });

  test('is told about when its watch is broken for long, keeps what it knows, and goes on by itself', async () => {
    const { clock, transport, observed, wait, messages } = await openListed();
    const broken = new ApiError('unreachable', 'cannot watch pods data: ECONNREFUSED');
    transport.refusals.push(...Array.from({ length: 4 }, () => broken));
    transport.newest.fail(broken);
    await settle();
    const current = observed[0].current(wait);
    await clock.advance(9_000);
    expect(messages).toEqual([]);
    await clock.advance(1_500);
    const message = 'cannot watch pods in namespace data: cannot watch pods data: ECONNREFUSED: trying again';
    expect([messages, namesOf(observed[0].list(pods))]).toEqual([[message], ['a-0']]);
    await clock.advance(minute);
    expect([await current, messages]).toEqual([true, [message, 'the objects in Kubernetes can be watched again']]);
  });

  test('is told like a request that cannot look when its watch has been refused for ten minutes', async () => {
    const { clock, transport, observed, wait, messages } = await openListed();
    const refused = new ApiError('forbidden', 'cannot watch pods data: 403 not allowed', { status: 403 });
    transport.refusals.push(...Array.from({ length: 1000 }, () => refused));
    transport.newest.fail(refused);
    await settle();
    const current = observed[0].current(wait);
    await clock.advance(9 * minute);
    const why = `cannot watch pods in namespace data: cannot watch pods data: 403 not allowed: ${grantRemedy}`;
    expect(messages).toEqual([`${why}: trying again`]);
    await clock.advance(2 * minute);
    expect(messages).toEqual([`${why}: trying again`, `cannot look: ${why}`]);
    transport.refusals.length = 0;
    await clock.advance(2 * minute);
    expect([await current, messages.at(-1)]).toEqual([true, 'the objects in Kubernetes can be watched again']);
  });

  test('that nobody needs any more ends its watch after a minute, and not while another one needs it', async () => {
    const { clock, transport, observed, observe } = await openListed();
    for (const each of observed) each.close();
    await clock.advance(minute / 2);
    const last = observe('a');
    await clock.advance(minute);
    expect([transport.streams.length, transport.newest.call.signal.aborted]).toEqual([1, false]);
    last.close();
    await clock.advance(minute);
    expect(transport.newest.call.signal.aborted).toBe(true);
    observe('a');
    await settle();
    expect(transport.streams).toHaveLength(2);
  });

  test('does not keep the end of a wait that is aborted', async () => {
    const { observed, controller, signal } = await openListed();
    const next = observed[0].next(minute, signal);
    controller.abort(new Error('stopped'));
    expect(await next).toEqual(new Set());
  });
});

describe('a wait', () => {
  test('ends when the API server confirms what was observed, which can be older than a write', async () => {
    const { clock, transport, observed, wait } = await openListed();
    const reads: boolean[] = [];
    let gone = false;
    const holds = async () => reads.push(gone) > 0 && gone;
    let hasEnded = false;
    const waiting = untilHolds(observed[0], { seems: () => observed[0].list(pods).length === 0, holds }, wait);
    void waiting.then(() => (hasEnded = true));
    await clock.advance(minute);
    expect(reads).toEqual([]);
    await transport.newest.send({ type: 'DELETED', object: podOf('a', 11) });
    expect([reads, hasEnded]).toEqual([[false], false]);
    gone = true;
    await clock.advance(recheckMs);
    await waiting;
    expect(reads).toEqual([false, true]);
  });

  test('rejects with the reason when it is aborted', async () => {
    const { observed, controller, wait } = await openListed();
    const waiting = untilHolds(observed[0], { seems: () => false, holds: async () => false }, wait);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  test.each([
    ['deadline', 'it ended: no node has room'],
    ['superseded', 'it ended'],
    ['closing', 'it ended'],
  ] as const)('that ends by %s rejects with: %s', async (reason, message) => {
    const { observed, controller, wait, messages } = await openListed();
    const condition = { seems: () => false, holds: async () => false, problem: () => 'no node has room' };
    const waiting = untilHolds(observed[0], condition, wait);
    await settle();
    controller.abort(new Interruption(reason, 'it ended'));
    await expect(waiting).rejects.toThrow(new Interruption(reason, message));
    expect(messages).toEqual(['no node has room']);
  });
});

test('nothing of a Secret is kept but a digest, which differs if its data does', () => {
  const { metadata } = podOf('a', 1);
  const kept = (data: Readonly<Record<string, string>>) =>
    watchedKind(secrets).keep?.({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, generation: 0, annotations: { note: 'text' } },
      data,
    });
  expect(kept({ key: 'hidden' })).toEqual(kept({ key: 'hidden' }));
  expect(kept({ key: 'hidden' })).not.toEqual(kept({ key: 'other' }));
  expect(JSON.stringify(kept({ key: 'hidden' }))).not.toMatch(/hidden|text/);
});

test('of a long text of a pod, its end is kept', () => {
  const message = `${'a'.repeat(100_000)}the end`;
  const status = { containerStatuses: [{ name: 'program', state: { terminated: { message, exitCode: 1 } } }] };
  const { metadata, ...rest } = podOf('a', 1, status);
  const kept = watchedKind(pods).keep?.({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, generation: 0 },
    ...rest,
  });
  const text = JSON.stringify(kept);
  expect(text).toContain('the end');
  expect(text.length).toBeLessThan(5_000);
});
