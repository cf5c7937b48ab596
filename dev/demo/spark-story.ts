// The steps of the demo on a real Spark cluster. Each one is verified in Kubernetes, in the service and in Spark itself.
import { join } from 'node:path';
import { runDeclared, wordsIn } from './declared-job.ts';
import { buildJar } from './jar.ts';
import { type SparkJob, type StartedJob, startSparkJob } from './jobs.ts';
import { machinesIn } from './machines.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { hasStatus, waitForGone, waitForReady } from './readiness.ts';
import { countsOf, listEverything, listRemote, type RemoteObject } from './remote.ts';
import type { Scene } from './story.ts';
import { NotYet, waitUntil } from './waiting.ts';

export interface SparkScene extends Scene {
  /** The folder of the machines. */
  readonly machines: string;
  /** The folder of Spark, and its version. */
  readonly spark: string;
  readonly version: string;
}

const examples = join(import.meta.dirname, '..', '..', 'examples');
/** The text whose words are counted. It never changes, so that the documentation can show the result. */
const text = join(import.meta.dirname, '..', '..', 'LICENSE');
const readyMs = 180_000;
const jobMs = 180_000;

/** The manifests of the story: the Connection with its Secret as they are here, and the rest of examples/spark. */
async function manifestsOf({ examples: applied, version }: SparkScene): Promise<readonly Manifest[]> {
  const isAccess = ({ kind }: Manifest): boolean => kind === 'Connection' || kind === 'Secret';
  const own = (await readManifests(join(examples, 'spark'))).filter((manifest) => !isAccess(manifest));
  return [...applied.filter(isAccess), ...own.map((manifest) => withVersion(manifest, version))];
}

/** Of the Spark on this computer, which may be another patch. */
const withVersion = (manifest: Manifest, bigdataVersion: string): Manifest => {
  const spec = manifest['spec'] as object;
  return 'bigdataVersion' in spec ? { ...manifest, spec: { ...spec, bigdataVersion } } : manifest;
};

const clusterIn = (manifests: readonly Manifest[]): Manifest => {
  const cluster = manifests.find(({ kind }) => kind === 'Cluster');
  if (cluster === undefined) throw new Error('cannot read examples/spark: there is no Cluster');
  return cluster;
};

/** Creates the cluster, counts words on it while it is scaled, and removes the job. Returns what was applied. */
export async function runOnSpark(scene: SparkScene): Promise<readonly Manifest[]> {
  const { display } = scene;
  const manifests = await manifestsOf(scene);
  const cluster = clusterIn(manifests);
  display.print('Applying examples/spark/.');
  for (const manifest of manifests) await scene.objects.apply(manifest);
  const begun = performance.now();
  await settle(scene, manifests);
  display.print(`The cluster is Ready, ${Math.round((performance.now() - begun) / 1000)} s after it was applied.`);
  const remote = await expectWorkers(scene, 2);
  display.print(`Counting the words of ${text} on it, with examples/spark/WordCount.java.`);
  const counting = await wordCount(scene);
  const job = await startSparkJob(scene.remote, remote.id, counting);
  await job.waitFor(['RUNNING', 'SUCCEEDED'], { withinMs: jobMs, signal: scene.signal });
  display.print('The job is running. Scaling up meanwhile: workers from 2 to 3.');
  await scene.objects.apply(withWorkers(cluster, 3));
  await settle(scene, manifests);
  await expectWorkers(scene, 3);
  await finish(scene, job);
  const declared = await runDeclared(scene, counting, cluster.metadata.name);
  return [...declared, ...manifests];
}

const wordCount = async ({ spark }: SparkScene): Promise<SparkJob> => ({
  name: 'word-count',
  jar: await buildJar(spark, join(examples, 'spark', 'WordCount.java')),
  mainClass: 'WordCount',
  args: [`file://${text}`, '8'],
});

const withWorkers = (cluster: Manifest, count: number): Manifest => {
  const spec = cluster['spec'] as { readonly nodeGroups: readonly { readonly name: string }[] };
  const nodeGroups = spec.nodeGroups.map((group) => (group.name === 'worker' ? { ...group, count } : group));
  return { ...cluster, spec: { ...spec, nodeGroups } };
};

async function settle(scene: SparkScene, manifests: readonly Manifest[]): Promise<void> {
  const bound = { withinMs: readyMs, signal: scene.signal };
  await scene.display.showWhile(scene, waitForReady(scene.objects, manifests.filter(hasStatus), bound));
}

interface SparkMaster {
  readonly workers: readonly { readonly state: string }[];
}

/** Waits until service and Spark have as many workers, and prints where the web page of the master is. */
async function expectWorkers({ remote, display, signal }: SparkScene, wanted: number): Promise<RemoteObject> {
  const probe = async () => {
    const [cluster] = await listRemote(remote, 'clusters');
    const { worker } = cluster === undefined ? {} : countsOf(cluster);
    if (cluster?.status !== 'Active' || worker !== wanted)
      return new NotYet(`the service has ${worker ?? 0} workers, status ${cluster?.status ?? 'none'}`);
    const page = cluster.info?.['Spark']?.['Web UI'];
    if (page === undefined) return new NotYet('the service does not tell where the page of the master is');
    const answer = await fetch(`${page}/json/`, { signal });
    const { workers } = (await answer.json()) as SparkMaster;
    const alive = workers.filter(({ state }) => state === 'ALIVE').length;
    return alive === wanted ? { cluster, page } : new NotYet(`Spark has ${alive} workers`);
  };
  const { cluster, page } = await waitUntil(`see ${wanted} workers`, probe, { withinMs: 30_000, signal });
  display.print(`The Spark master at ${page} has ${wanted} workers.`);
  return cluster;
}

/** Waits for the end of the job, prints its result and removes it. */
async function finish({ display, signal }: SparkScene, job: StartedJob): Promise<void> {
  await job.waitFor(['SUCCEEDED'], { withinMs: jobMs, signal });
  const words = wordsIn(await job.output());
  if (words.length !== 8) throw new Error(`cannot find 8 words in the output of the job:\n${await job.output()}`);
  display.print(`The job succeeded. The most frequent words:\n${words.map((line) => `  ${line}`).join('\n')}`);
  await job.remove({ withinMs: 30_000, signal });
}

/** Deletes what was applied, and verifies that nothing is left of it, on this computer neither. */
export async function removeSpark(scene: SparkScene, manifests: readonly Manifest[]): Promise<void> {
  const { display, objects, signal } = scene;
  // The folder of a run is none: its processes have ended.
  const machines = machinesIn(scene.machines).filter((machine) => machine.processes.length > 0);
  const processes = machines.flatMap(({ processes: each }) => each);
  display.print(`Deleting the cluster: ${machines.length} machines with ${processes.length} processes.`);
  await objects.remove(clusterIn(manifests));
  const bound = { withinMs: readyMs, signal };
  await display.showWhile(scene, waitForGone(objects, [clusterIn(manifests)], bound));
  for (const manifest of manifests) await objects.remove(manifest);
  await waitForGone(objects, manifests, bound);
  const left = [
    ...(await listEverything(scene.remote)),
    ...machines.flatMap(({ find }) => find().map(({ pid }) => `process ${pid}`)),
    ...machinesIn(scene.machines).map(({ id }) => `machine ${id}`),
  ];
  if (left.length > 0) throw new Error(`cannot end: there is still ${left.join(', ')}`);
  display.print('Nothing is left: no cluster in the service, no process and no folder of its machines.');
}
