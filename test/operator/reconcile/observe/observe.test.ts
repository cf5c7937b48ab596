// How old an observation may be before a pass asks the service again.
import { describe, expect, test } from 'vitest';
import { finalizer, reconcileAnnotations } from '../../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { needsRequest } from '../../../../src/operator/reconcile/observe/observe.ts';
import { runOf } from '../running.ts';
import { clusterSpec, conditionsAs, resourceOf, templateSpec, usable, wall } from '../support.ts';

const [requestAnnotation] = reconcileAnnotations;

interface Setting {
  readonly rate?: number;
  readonly listed?: number;
  readonly asks?: string;
}

/** A pass of a template that is Ready, which is polled every two minutes. The last list is so many ms old. `listed`: of so many kinds there were lists. */
function passOf(age: number, { rate = 20, listed = 1, asks }: Setting = {}) {
  const budget = { limits: { requestsPerSecond: rate } };
  const service = usable({ service: { inventory: { age: () => age, listed }, budget } as unknown as Service });
  const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available', 'm']]) };
  const plain = resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec, status });
  const annotations = asks === undefined ? {} : { [requestAnnotation]: asks };
  const resource = { ...plain, metadata: { ...plain.metadata, annotations } };
  return runOf(service, resource, [resource]);
}

test('a settled object is observed at its steady interval, whatever woke it', () => {
  expect(needsRequest(passOf(119_000))).toBe(false);
  expect(needsRequest(passOf(121_000))).toBe(true);
});

test('one that the last list lacks is looked for after the delay that its status names', () => {
  const pass = passOf(2_000);
  pass.memory.missingSince = 0;
  expect(needsRequest(pass)).toBe(true);
});

test.each([1, 8])(
  'where the service takes two requests a second, LISTs of %i kinds leave half of them to writes',
  (listed) => {
    const waiting = (age: number) => {
      const pass = passOf(age, { rate: 2, listed });
      pass.memory.missingSince = 0;
      return needsRequest(pass);
    };
    expect(waiting(1_000 * listed - 100)).toBe(false);
    expect(waiting(1_000 * listed + 100)).toBe(true);
  },
);

test('a poll that the user asks for is a LIST begun after the operator saw that, and each request is another', () => {
  const passAt = (at: number) => {
    const pass = passOf(3_000, { asks: 'now' });
    pass.memory.asked = { value: 'now', at };
    return pass;
  };
  const { startedAt } = passOf(0);
  expect(needsRequest(passAt(startedAt - 4_000))).toBe(false);
  expect(needsRequest(passAt(startedAt - 2_000))).toBe(true);
  const pass = passOf(3_000, { asks: 'again' });
  pass.memory.asked = { value: 'now', at: startedAt - 4_000 };
  expect(needsRequest(pass)).toBe(true);
});

describe('a Cluster whose NodeGroup is autoscaled', () => {
  const settings = { age: 0, rate: 20, pollSeconds: 30, spec: {}, autoscaling: { maxCount: 9 } as object | undefined };

  /** A pass of one that is Ready. The last list is so many ms old. */
  function scaled(changes: Partial<typeof settings> = {}) {
    const { age, rate, pollSeconds, spec, autoscaling } = { ...settings, ...changes };
    const budget = { limits: { requestsPerSecond: rate } };
    const service = { inventory: { age: () => age, listed: 2, peek: () => undefined }, budget } as unknown as Service;
    const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available', 'm']]) };
    const cluster = resourceOf({ spec: { ...clusterSpec, ...spec }, status });
    const { namespace, name } = cluster.metadata;
    const nodeGroup = {
      apiVersion: cluster.apiVersion,
      kind: 'NodeGroup',
      metadata: {
        name: 'workers',
        namespace,
        uid: 'other',
        creationTimestamp: '2026-01-01T10:00:00Z',
        finalizers: [finalizer],
      },
      spec: { clusterRef: { name }, nodeGroup: 'worker', count: 3, ...(autoscaling && { autoscaling }) },
    };
    return runOf(usable({ service, pollSeconds }), cluster, [cluster, nodeGroup as unknown as typeof cluster]);
  }

  test.each<readonly [string, Partial<typeof settings>, number | undefined]>([
    ['every five seconds', {}, 5_000],
    ['no more rarely than others', { pollSeconds: 2 }, 2_000],
    ['no more often than the service takes LISTs', { rate: 0.5 }, 8_000],
    ['as others while it is suspended', { spec: { suspend: true } }, 30_000],
    ['as others while it is only observed', { spec: { policy: 'Observe' } }, 30_000],
    ['not by itself without autoscaling', { autoscaling: undefined }, undefined],
  ])('is observed %s', (_, changes, aloneMs) => expect(scaled(changes).aloneMs).toBe(aloneMs));

  test('gets a new list with each poll, which may come a tenth early', () => {
    expect([4_400, 4_600].map((age) => needsRequest(scaled({ age })))).toEqual([false, true]);
    expect([29_000, 31_000].map((age) => needsRequest(scaled({ age, spec: { suspend: true } })))).toEqual([
      false,
      true,
    ]);
  });
});
