// The phase jobs: executions of one job on ten Clusters, and the rest after them.
import type { Found, Manifest } from '../demo/manifests.ts';
import { conditionOf, describe, isReady } from '../demo/readiness.ts';
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { type Done, doneOf, type Latencies, latenciesOf, longestMs, rest, sendAll, waitForCount } from './acts.ts';
import type { ObjectEvent } from './client.ts';
import { type Measured, measure } from './measure.ts';
import type { Options } from './options.ts';
import type { Stage } from './stage.ts';
import {
  clusterCollection,
  clustersForJobs,
  collectionOf,
  executionsOf,
  jobClusters,
  jobManifests,
} from './workload.ts';

export interface JobFigures {
  readonly jobs: {
    readonly executions: number;
    /** From the first request of the user until the last id of a run was seen. Starts of runs at one service follow one another. */
    readonly acceptedPerSecond: number;
    /** From the user's request until the id of the run was seen, that is, until the service has accepted it. */
    readonly acceptedSeconds: Latencies;
    /** Until the run was seen to have started, or to have ended. */
    readonly startedSeconds: Latencies;
    readonly perExecution: {
      /** To the API server, without events and the Connection. */
      readonly writes: number;
      readonly events: number;
      readonly posts: number;
      /** Its share of all other requests, most of which are the lists that all executions share. */
      readonly otherServiceRequests: number;
    };
  };
  /** While nothing changes. */
  readonly afterwards: Done & Measured;
}

export const executionCount = ({ executions, n }: Options): number => executions ?? n;

const preparedMs = 5 * 60_000;

/** Leaves all its objects. */
export async function runJobs(stage: Stage): Promise<Done & Measured & JobFigures> {
  const { options } = stage;
  await prepare(stage);
  const { moments, ...report } = await measure(stage, async () => execute(stage));
  const executions = executionCount(options);
  await waitForCount(stage, leftOf(options) + jobClusters + jobManifests.length + executions);
  const afterwards = await measure(stage, async () => rest(stage));
  return { ...report, jobs: { executions, ...moments, perExecution: sharesOf(report, executions) }, afterwards };
}

/** What the phases before this one left. */
function leftOf({ phases, n, templates }: Options): number {
  return 2 * templates + (phases.includes('create') && !phases.includes('delete') ? n : 0);
}

async function prepare({ client, options }: Stage): Promise<void> {
  const clusters = clustersForJobs(options.templates);
  const names = new Set(clusters.map(({ metadata }) => metadata.name));
  const watching = client.watchUntil({
    count: clusters.length,
    reached: ({ object }) => names.has(object.metadata.name) && isReady(object),
    withinMs: preparedMs,
  });
  const post = async (path: string, body: Manifest): Promise<unknown> =>
    client.transport.request({ method: 'POST', path, body });
  await Promise.all([watching, ...clusters.map(async (cluster) => post(clusterCollection, cluster))]);
  for (const manifest of jobManifests) {
    const collection = collectionOf(manifest.kind === 'Job' ? 'jobs' : 'jobbinaries');
    await post(collection, manifest);
    const probe = async () => {
      const path = `${collection}/${manifest.metadata.name}`;
      const found = (await client.transport.request({ method: 'GET', path })) as Found;
      return isReady(found) || new NotYet(describe(found));
    };
    await waitUntil('see the job Ready', probe, { withinMs: preparedMs });
  }
}

interface Executed extends Done {
  readonly moments: Omit<JobFigures['jobs'], 'executions' | 'perExecution'>;
}

async function execute({ watch, options }: Stage): Promise<Executed> {
  const collection = collectionOf('jobexecutions');
  const client = await watch(collection);
  const manifests = executionsOf(executionCount(options));
  const seen = async (reached: (event: ObjectEvent) => boolean) =>
    client.watchUntil({ count: manifests.length, reached, withinMs: longestMs });
  const [accepted, started, completed, sent] = await Promise.all([
    seen(({ object }) => object.status?.id !== undefined),
    seen(({ object }) => !['Pending', undefined].includes(object.status?.['state'] as string | undefined)),
    seen(isComplete),
    sendAll(
      manifests.map(({ metadata }) => metadata.name),
      options.parallel,
      async (_, index) => client.transport.request({ method: 'POST', path: collection, body: manifests[index] }),
    ),
  ]);
  const moments = {
    acceptedPerSecond: manifests.length / doneOf(sent, accepted).seconds,
    acceptedSeconds: latenciesOf(sent, accepted),
    startedSeconds: latenciesOf(sent, started),
  };
  return { ...doneOf(sent, completed), moments };
}

/** Throws if the run failed, because it would be waited for in vain. */
function isComplete({ object }: ObjectEvent): boolean {
  if (conditionOf(object, 'Failed') !== undefined) throw new Error(`cannot end the phase: ${describe(object)}`);
  return conditionOf(object, 'Complete')?.status === 'True';
}

function sharesOf({ kubernetes, service }: Measured, executions: number): JobFigures['jobs']['perExecution'] {
  const { 'patch connections/status': ofConnection = 0 } = kubernetes.requests;
  const posts = Object.entries(service.requests).reduce(
    (sum, [words, count]) => (words.startsWith('POST ') ? sum + count : sum),
    0,
  );
  return {
    writes: (kubernetes.writes - ofConnection) / executions,
    events: kubernetes.events / executions,
    posts: posts / executions,
    otherServiceRequests: (service.total - posts) / executions,
  };
}
