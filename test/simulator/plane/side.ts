// API servers that get the same requests: the real one, and those that stand in for it.
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport, type PodTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { installCrd, testKind } from '../../operator/kube/support/plane-bench.ts';
import { TinyApiServer } from '../../service/backends/pods/jobs/world/api-server.ts';
import { ManualClock } from '../../support/clock.ts';
import { connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { ApiServer } from '../api/api-server.ts';
import { ApiWays } from '../api/api-way.ts';
import type { Replica } from '../world/replica.ts';
import { Scheduler } from '../world/scheduler.ts';

export interface Side {
  readonly transport: PodTransport;
  readonly namespace: string;
  /** Lets happen what happens by itself in that many ms. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Close it. */
export async function realTransport(kubeconfig: string): Promise<PodTransport> {
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  return createTransport({ config, clock: systemClock, userAgent: 'tests' });
}

/** The shared API server, which has no controllers and no node. Close its transport. */
export async function realSide(name: string): Promise<Side> {
  const kubeconfig = inject('kubeconfig');
  await using server = await connect(kubeconfig);
  const namespace = await createNamespace(server, name);
  // Pods are refused without one.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await server.apply(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, account);
  await installCrd(server, testKind('Widget'));
  return { transport: await realTransport(kubeconfig), namespace, pass: (ms) => pause(Math.max(ms, 20)) };
}

/** That of the worlds of runs. Its controllers wait for the clock, so they do nothing here but in `pass`. */
export function tinySide(isOld: boolean): Side {
  const clock = new ManualClock();
  const server = new TinyApiServer(clock, { permit: () => undefined, events: { started() {}, ended() {} }, isOld });
  return { transport: server.transport(), namespace: 'data', pass: (ms) => clock.advance(ms) };
}

/** That of the simulator, where nothing goes wrong on the way. */
export function simulatedSide(oldApiServer: boolean): Side {
  const scheduler = new Scheduler();
  let made = 0;
  const server = new ApiServer({ wall: () => Date.UTC(2026, 0, 1), uid: () => `uid-${(made += 1)}` });
  const clock = {
    wall: () => scheduler.now,
    monotonic: () => scheduler.now,
    after: (ms: number, run: () => void) => scheduler.after(ms, run),
  };
  const replica = { clock, alive: true, deliver: (run: () => void) => run() } as unknown as Replica;
  const ways = new ApiWays({
    scheduler,
    server,
    oldApiServer,
    fate: () => ({ toMs: 1, backMs: 1, applied: true, answered: true, instead: undefined }),
    lagMs: () => 1,
    sent() {},
    applying() {},
    applied() {},
  });
  const way = ways.of(replica);
  let passing = Promise.resolve();
  // One at a time: each takes the immediates of the process meanwhile.
  const pass = (ms: number): Promise<void> => {
    passing = passing.then(() => scheduler.advance(scheduler.now + Math.max(ms, 10)));
    return passing;
  };
  const settled = async <T>(answer: Promise<T>): Promise<T> => {
    const [result] = await Promise.allSettled([answer, pass(0)]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };
  const none = () => Promise.reject(new Error('the operator does not need it'));
  const transport: PodTransport = {
    clock,
    request: (call) => settled(way.request(call)),
    stream: (call) => settled(way.stream(call)),
    open: none,
    exec: none,
    close: () => way.close(),
  };
  return { transport, namespace: 'data', pass };
}
