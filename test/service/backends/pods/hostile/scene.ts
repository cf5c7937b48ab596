// A service with clusters and jobs in pods, whose users try to get more than their flavors give them. It makes real objects, over a stand-in for the API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { parseFlavors } from '../../../../../src/service/backends/flavors-file.ts';
import type { KubeApi, Made } from '../../../../../src/service/backends/pods/api/api.ts';
import { baseName, runName } from '../../../../../src/service/backends/pods/api/names.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { heapFlavors } from '../../../../../src/service/backends/pods/manifests/containers.ts';
import { imageOfCluster, parseImages } from '../../../../../src/service/backends/pods/manifests/engine-images.ts';
import { registry } from '../../../../../src/service/engines/index.ts';
import { pluginsOf } from '../../../../../src/service/engines/plugin.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { base, createBinary, created } from '../../../../contract/sections/jobs/section-4-6-support.ts';
import { type Peer, type Reply, serve } from '../../../../contract/support.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { polledObjects } from '../clusters/polled-objects.ts';
import { sparkRequest } from '../clusters/scene.ts';
import { openService, StandIn } from '../clusters/stand-in.ts';
import { full } from '../flavors/full-pod.ts';

const pod = { ...full, serviceAccountName: undefined, automountServiceAccountToken: undefined };
const size = { cores: 2, memoryMiB: 4096, diskGiB: 20, pod };
/** Two for everybody, and one for another tenant than that of the requests. */
const file = {
  flavors: {
    '2': size,
    '3': { ...size, cores: 3 },
    theirs: { ...size, cores: 64, memoryMiB: 500_000, tenants: ['other'] },
  },
  defaultJobFlavor: '2',
  jobQueues: ['night'],
};
const { flavors, defaultJobFlavor, jobQueues } = parseFlavors(JSON.stringify(file));
const images = parseImages('{}');
const versions = registry.flatMap(({ inImage }) => inImage(images, heapFlavors(flavors)));
const engines = versions.map(({ engine }) => engine);
const catalog = { flavors, plugins: pluginsOf(versions, {}) };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** What the pods of an answer are, with the names that differ from one cluster or run to the next left out. */
type Outcome = { readonly refused: string } | { readonly pods: readonly unknown[] };

const without = (object: unknown, names: readonly (readonly [name: string, stands: string])[]): unknown =>
  JSON.parse(names.reduce((text, [name, stands]) => text.replaceAll(name, stands), JSON.stringify(object)));

/** A refusal names what is wrong. */
function refusalIn({ status, body }: Reply): Outcome | undefined {
  if (status === 202) return undefined;
  expect([status, body.error_message]).toEqual([400, expect.stringMatching(/./)]);
  return { refused: body.error_message };
}

function podJobs(api: StandIn): PodJobs {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  const clock = new ManualClock();
  const objects = api as unknown as KubeApi;
  const jobs = new PodJobs({
    api: objects,
    informers: polledObjects(objects, clock),
    runs: new PodRuns(folder),
    engines,
    flavors,
    defaultJobFlavor,
    jobQueues,
    namespaceOf: () => 'data',
    placeOf: async () => ({ namespace: 'data', domain: 'cluster.local', secret: 'secret' }),
    imageOf: (cluster) => imageOfCluster(images, cluster),
    runnerImage: 'runner',
    runnerUrl: 'http://runner',
    pullSecrets: [],
    jobFiles: undefined,
    packages: 'start the service with --maven-repository URL',
    environments: 'clusters in pods have no index',
    shipsPackages: true,
    logBytes: 1000,
    clock,
    log: quiet,
    createSecret: () => 'secret',
  } as Partial<PodJobsOptions> as PodJobsOptions);
  onTestFinished(() => {
    jobs.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return jobs;
}

const made = (api: StandIn, kind: string): readonly Made[] =>
  [...api.objects.values()].filter((object) => object.kind === kind);

/** Jobs of Spark and Shell on a cluster of Spark, whose machines are simulated. */
export async function openJobs() {
  const api = new StandIn();
  const peer = await serve({ engine: podJobs(api), catalog });
  const { id: cluster_id } = created(await peer.post(`${base}/clusters`, sparkRequest(1)));
  const jobOf = async (type: string, name: string) => {
    const mains = [(await createBinary(peer, name))['id']];
    return created(await peer.post(`${base}/jobs`, { name: type, type, mains }))['id'];
  };
  const jobs = { Spark: await jobOf('Spark', 'main.jar'), Shell: await jobOf('Shell', 'main.sh') };
  return async (type: keyof typeof jobs, job_configs: object, more: object = {}): Promise<Outcome> => {
    const reply = await peer.post(`${base}/jobs/${jobs[type]}/execute`, { cluster_id, job_configs, ...more });
    return refusalIn(reply) ?? { pods: [await jobIn(api, created(reply)['id'])] };
  };
}

async function jobIn(api: StandIn, run: string): Promise<unknown> {
  const find = () => api.objects.get(`Job ${runName(run)}`);
  await vi.waitFor(() => expect(find()).toBeDefined(), limitMs);
  const names = [
    [runName(run), 'run'],
    [run, 'id'],
  ] as const;
  return without({ spec: find()?.['spec'], labels: find()?.metadata.labels }, names);
}

/** What a cluster has in its pods. */
export async function clusterOf(change: (body: ReturnType<typeof sparkRequest>) => object): Promise<Outcome> {
  const api = new StandIn();
  const { provisioner } = openService(api, { engines, flavors });
  const peer: Peer = await serve({ provisioner, catalog });
  const reply = await peer.post(`${base}/clusters`, change(sparkRequest(1)));
  const refused = refusalIn(reply);
  if (refused !== undefined) return refused;
  await vi.waitFor(() => expect(made(api, 'StatefulSet')).toHaveLength(2), limitMs);
  const cluster = created(reply) as ClusterRecord;
  const names = [
    [baseName(cluster), 'cluster'],
    [cluster.id, 'id'],
  ] as const;
  const templates = made(api, 'StatefulSet').map(({ spec }) => (spec as { readonly template: Template }).template);
  return { pods: templates.map((template) => without(withoutDigest(template), names)) };
}

interface Template {
  readonly metadata: { readonly annotations: object };
}

/** The digest of the files of its processes, which their settings change. */
const withoutDigest = ({ metadata, ...template }: Template) => ({
  ...template,
  metadata: { ...metadata, annotations: { ...metadata.annotations, 'dataprocessing.dev/files': '' } },
});
