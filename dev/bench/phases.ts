// The phases of the benchmark: what the user does in each, and when it counts as done.
import { isReady } from '../demo/readiness.ts';
import { countsOf, listRemote } from '../demo/remote.ts';
import { type Done, doneOf, longestMs, rest, sendAll, waitForCount } from './acts.ts';
import type { ObjectEvent } from './client.ts';
import { unlessEnded } from './ending.ts';
import { type JobFigures, runJobs } from './jobs.ts';
import { type Measured, measure } from './measure.ts';
import type { Phase } from './options.ts';
import { waitForSettled } from './settling.ts';
import type { Stage } from './stage.ts';
import { explainAll } from './why.ts';
import { clusterCollection, clustersOf, groupsWith, workersAtFirst, workersScaled } from './workload.ts';

export type PhaseReport = Done & Measured & Partial<JobFigures>;
/** Of those that ran to their end. */
export type Reports = Readonly<Partial<Record<Phase, PhaseReport>>>;

/** Rejects as soon as a process has ended that the phase did not end. */
export async function runPhase(stage: Stage, phase: Phase): Promise<PhaseReport> {
  stage.print(`Phase ${phase}.`);
  return unlessEnded(stage.ended, async () => carryOut(stage, phase));
}

async function carryOut(stage: Stage, phase: Phase): Promise<PhaseReport> {
  const { options } = stage;
  switch (phase) {
    case 'create':
      return measure(stage, async () => create(stage));
    case 'scale':
      return measure(stage, async () => scale(stage));
    case 'idle':
      await waitForCount(stage, options.n + 2 * options.templates);
      return measure(stage, async () => rest(stage));
    case 'why':
      return measure(stage, async () => explainAll(stage));
    case 'restart':
      return measure(stage, async () => restart(stage));
    case 'delete':
      return measure(stage, async () => remove(stage));
    case 'jobs':
      return runJobs(stage);
  }
}

interface Act {
  readonly send: (name: string, index: number) => Promise<unknown>;
  readonly reached: (event: ObjectEvent) => boolean;
}

/** One request for each Cluster, and a wait until each was seen to be as wished. */
async function actOnAll({ client, options }: Stage, { send, reached }: Act): Promise<Done> {
  const names = Array.from({ length: options.n }, (_, index) => `cluster-${index}`);
  const watching = client.watchUntil({ count: names.length, reached, withinMs: longestMs });
  const [moments, sent] = await Promise.all([watching, sendAll(names, options.parallel, send)]);
  return doneOf(sent, moments);
}

/** Ready in its present generation, with the workers that the spec asks for there. */
const hasWorkers =
  (workers: number) =>
  ({ object }: ObjectEvent): boolean => {
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

/** Waits until the operator is ready, has observed everything once, and sends no more requests. */
async function restart(stage: Stage): Promise<Done> {
  const restarted = await stage.restart();
  const settledAt = await waitForSettled(restarted, stage.options.n + 2 * stage.options.templates);
  return { seconds: (settledAt - restarted.startedAt) / 1000 };
}
