// The phases of the benchmark: what the user does in each, and when it counts as done.
import { setTimeout as pause } from 'node:timers/promises';
import type { Found } from '../demo/manifests.ts';
import { isReady } from '../demo/readiness.ts';
import { countsOf, listRemote } from '../demo/remote.ts';
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { type ClusterEvent, inParallel, type Moments } from './client.ts';
import { unlessEnded } from './ending.ts';
import { type Measured, measure } from './measure.ts';
import type { Phase } from './options.ts';
import { waitForSettled } from './settling.ts';
import type { Stage } from './stage.ts';
import {
  clusterCollection,
  clustersOf,
  connectionPath,
  groupsWith,
  workersAtFirst,
  workersScaled,
} from './workload.ts';

export interface Done {
  readonly seconds: number;
  /** Until the last request of the user was answered. */
  readonly submitSeconds?: number;
  /** From the user's request for a Cluster until it was seen to come true. */
  readonly latencySeconds?: { readonly p50: number; readonly p99: number; readonly max: number };
}

export type PhaseReport = Done & Measured;
/** Of those that ran to their end. */
export type Reports = Readonly<Partial<Record<Phase, PhaseReport>>>;

const longestMs = 60 * 60_000;
const countedMs = 3 * 60_000;

/** Rejects as soon as a process has ended that the phase did not end. */
export async function runPhase(stage: Stage, phase: Phase): Promise<PhaseReport> {
  stage.print(`Phase ${phase}.`);
  return unlessEnded(stage.ended, async () => carryOut(stage, phase));
}

async function carryOut(stage: Stage, phase: Phase): Promise<PhaseReport> {
  switch (phase) {
    case 'create':
      return measure(stage, async () => create(stage));
    case 'scale':
      return measure(stage, async () => scale(stage));
    case 'idle':
      await waitForCount(stage);
      return measure(stage, async () => idle(stage));
    case 'restart':
      return measure(stage, async () => restart(stage));
    case 'delete':
      return measure(stage, async () => remove(stage));
  }
}

interface Act {
  readonly send: (name: string, index: number) => Promise<unknown>;
  readonly reached: (event: ClusterEvent) => boolean;
}

/** One request for each Cluster, and a wait until each was seen to be as wished. */
async function actOnAll({ client, options }: Stage, { send, reached }: Act): Promise<Done> {
  const names = Array.from({ length: options.n }, (_, index) => `cluster-${index}`);
  const sent = new Map<string, number>();
  const begun = performance.now();
  const watching = client.watchUntil({ count: names.length, reached, withinMs: longestMs });
  const sending = inParallel([...names.entries()], options.parallel, async ([index, name]) => {
    sent.set(name, performance.now());
    await send(name, index);
  }).then(() => performance.now());
  const [moments, submitted] = await Promise.all([watching, sending]);
  return {
    seconds: (Math.max(...moments.values()) - begun) / 1000,
    submitSeconds: (submitted - begun) / 1000,
    latencySeconds: latenciesOf(sent, moments),
  };
}

function latenciesOf(sent: Moments, seen: Moments) {
  const sorted = [...seen].map(([name, at]) => (at - (sent.get(name) ?? at)) / 1000).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Ready in its present generation, with the workers that the spec asks for there. */
const hasWorkers =
  (workers: number) =>
  ({ object }: ClusterEvent): boolean => {
    const groups = (object.status?.['nodeGroups'] ?? []) as readonly { name: string; ready: number }[];
    return isReady(object) && groups.some(({ name, ready }) => name === 'worker' && ready === workers);
  };

async function create(stage: Stage): Promise<Done> {
  const { options, client } = stage;
  const manifests = clustersOf(options.n, options.templates);
  const done = await actOnAll(stage, {
    send: async (_, index) =>
      client.transport.request({ method: 'POST', path: clusterCollection, body: manifests[index] }),
    reached: hasWorkers(workersAtFirst),
  });
  await expectRemote(stage, workersAtFirst);
  return done;
}

async function scale(stage: Stage): Promise<Done> {
  const body = { spec: { nodeGroups: groupsWith(workersScaled) } };
  const done = await actOnAll(stage, {
    send: async (name) =>
      stage.client.transport.request({
        method: 'PATCH',
        path: `${clusterCollection}/${name}`,
        contentType: 'application/merge-patch+json',
        body,
      }),
    reached: hasWorkers(workersScaled),
  });
  await expectRemote(stage, workersScaled);
  return done;
}

async function remove(stage: Stage): Promise<Done> {
  const done = await actOnAll(stage, {
    send: async (name) => stage.client.transport.request({ method: 'DELETE', path: `${clusterCollection}/${name}` }),
    reached: ({ type }) => type === 'DELETED',
  });
  const left = await listRemote(stage.tenant, 'clusters');
  if (left.length > 0) throw new Error(`cannot end the phase: the service still has ${left.length} clusters`);
  return done;
}

/** The service agrees: one cluster for each, Active, with these workers. */
async function expectRemote({ tenant, options }: Stage, workers: number): Promise<void> {
  const rows = await listRemote(tenant, 'clusters');
  const right = rows.filter((row) => row.status === 'Active' && countsOf(row)['worker'] === workers);
  if (rows.length === options.n && right.length === options.n) return;
  throw new Error(`cannot end the phase: of ${rows.length} clusters of the service ${right.length} are as they should`);
}

/** The Connection counts what there is a few seconds after the last change: until then what was done before is not at its end. */
async function waitForCount({ client, options, ended }: Stage): Promise<void> {
  const wanted = options.n + 2 * options.templates;
  const probe = async () => {
    const { status } = (await client.transport.request({ method: 'GET', path: connectionPath })) as Found;
    const count = status?.['managedCount'];
    return count === wanted ? wanted : new NotYet(`the Connection counts ${String(count)} of ${wanted} objects`);
  };
  await waitUntil('see everything counted', probe, { withinMs: countedMs, everyMs: 1_000, signal: ended });
}

async function idle({ options, ended }: Stage): Promise<Done> {
  await pause(options['idle-seconds'] * 1000, undefined, { signal: ended });
  return { seconds: options['idle-seconds'] };
}

/** Waits until the operator is ready, has observed everything once, and sends no more requests. */
async function restart(stage: Stage): Promise<Done> {
  const restarted = await stage.restart();
  const settledAt = await waitForSettled(restarted, stage.options.n + 2 * stage.options.templates);
  return { seconds: (settledAt - restarted.startedAt) / 1000 };
}
