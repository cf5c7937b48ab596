// Runs of one tenant on the public cluster of another one: they take place where the cluster is, and nothing of them is left anywhere.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock, systemDownload, systemRandom } from '../../../src/lib/system.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { pluginOf } from '../../../src/service/engines/plugin.ts';
import type { KubeApi, KubeObject, Made, ObjectKind, Selection } from '../../../src/service/kubernetes/api/api.ts';
import { parseImages } from '../../../src/service/kubernetes/manifests/images.ts';
import { PodJobs } from '../../../src/service/pod-jobs/pod-jobs.ts';
import { PodRuns } from '../../../src/service/pod-jobs/pod-runs.ts';
import { find } from '../../../src/service/records/owners.ts';
import { createServer } from '../../../src/service/server.ts';
import { createMemoryStore } from '../../../src/service/store/store.ts';
import { connect, type Json } from '../../contract/peer.ts';
import { polledObjects } from '../kubernetes/polled-objects.ts';
import { settingOf, sparkCluster, sparkRequest } from '../kubernetes/scene.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const octets = { 'content-type': 'application/octet-stream' };
const image = parseImages('{}').spark;
const { engine } = settingOf(sparkCluster());

/** Keeps the objects of runs, and has a pod for each Job, whose program runs. */
class Kubernetes {
  readonly objects = new Map<string, Made>();

  async get({ kind }: ObjectKind, namespace: string, name: string): Promise<KubeObject | undefined> {
    return this.objects.get(`${namespace} ${kind} ${name}`);
  }

  async create({ kind }: ObjectKind, object: Made): Promise<boolean> {
    this.objects.set(`${object.metadata.namespace} ${kind} ${object.metadata.name}`, object);
    return true;
  }

  async list({ kind }: ObjectKind, namespace: string, { labels = {} }: Selection): Promise<readonly KubeObject[]> {
    if (kind !== 'Pod') return [];
    const made = [...this.objects.values()].filter(
      (each) => each.kind === 'Job' && each.metadata.namespace === namespace,
    );
    const isWanted = (job: Made) =>
      Object.entries(labels).every(([key, value]) => job.metadata.labels?.[key] === value);
    const status = { containerStatuses: [{ name: 'program', ready: true, state: { running: {} } }] };
    return made
      .filter(isWanted)
      .map(({ metadata }) => ({ metadata: { ...metadata, name: `${metadata.name}-x` }, status }));
  }

  async remove({ kind }: ObjectKind, namespace: string, name: string): Promise<void> {
    this.objects.delete(`${namespace} ${kind} ${name}`);
  }

  async *log(): AsyncGenerator<Uint8Array> {}

  get places(): readonly string[] {
    return [...this.objects.keys()].map((key) => key.split(' ').slice(0, 2).join(' ')).toSorted();
  }
}

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'public-clusters-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kubernetes = new Kubernetes();
  const store = createMemoryStore();
  const ownerOf = (tenant: string, { id }: { readonly id: string }) =>
    find(store, 'clusters', { tenant, id })?.tenant ?? tenant;
  const asked: string[] = [];
  const jobs = new PodJobs({
    api: kubernetes as unknown as KubeApi,
    informers: polledObjects(kubernetes as unknown as KubeApi, systemClock),
    runs: new PodRuns(join(folder, 'runs')),
    engines: [engine],
    flavors: usualFlavors,
    namespaceOf: (tenant, cluster) => `of-${cluster === undefined ? tenant : ownerOf(tenant, cluster)}`,
    placeOf: async (tenant, cluster) => {
      const owner = ownerOf(tenant, cluster);
      asked.push(owner);
      return { namespace: `of-${owner}`, domain: 'cluster.local', secret: `secret-of-${owner}` };
    },
    runnerImage: 'runner',
    pullSecrets: [],
    runnerUrl: 'http://service',
    logBytes: 1_000_000,
    imageOf: () => image,
    clock: systemClock,
    log,
    ask: async () => ({}),
    addressOf: () => undefined,
    createSecret: () => 'token',
    hdfs: systemDownload,
    download: systemDownload,
  });
  const catalog = { plugins: [pluginOf({ engine, version: '4.1.2' })], flavors: usualFlavors.map(({ id }) => id) };
  const server = createServer({
    clock: systemClock,
    random: systemRandom,
    log,
    store,
    engine: jobs,
    catalog,
    stageMs: () => 0,
  });
  const peer = connect(await server.start());
  onTestFinished(async () => {
    jobs.close();
    await server.close();
  });
  const post = async (tenant: string, path: string, body: object): Promise<Json> => {
    const answer = await peer.post(`/v1.1/${tenant}/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return Object.values(answer.body as Json)[0];
  };
  const cluster = await post('a', 'clusters', sparkRequest(1));
  await vi.waitFor(async () =>
    expect((await peer.get(`/v1.1/a/clusters/${cluster.id}`)).body.cluster.status).toBe('Active'),
  );
  const record = store.get('clusters', 'a', cluster.id);
  if (record === undefined) throw new Error('no cluster');
  store.put('clusters', 'a', { ...record, is_public: true });
  const upload = await peer.send('PUT', '/v1.1/b/job-binary-internals/main.sh', 'exit 0', octets);
  const url = `internal-db://${upload.body.job_binary_internal.id}`;
  const main = await post('b', 'job-binaries', { name: 'main.sh', url });
  const job = await post('b', 'jobs', { name: 'job', type: 'Shell', mains: [main.id] });
  const run = await post('b', `jobs/${job.id}/execute`, { cluster_id: cluster.id, job_configs: {} });
  const status = async () => (await peer.get(`/v1.1/b/job-executions/${run.id}`)).body.job_execution?.info.status;
  await vi.waitFor(async () => expect(await status()).toBe('RUNNING'), 5000);
  const files = () => readdirSync(join(folder, 'runs')).filter((name) => !name.startsWith('.'));
  return { peer, kubernetes, asked, cluster, run, status, files };
}

test('a run is where its cluster is, with its secret, and a deletion leaves nothing', async () => {
  const { peer, kubernetes, asked, run, files } = await open();
  expect(kubernetes.places).toEqual(['of-a Job', 'of-a Secret']);
  expect(new Set(asked)).toEqual(new Set(['a']));
  await peer.remove(`/v1.1/b/job-executions/${run.id}`);
  await vi.waitFor(() => expect([kubernetes.places, files()]).toEqual([[], []]), 5000);
});

test('a cancel ends the run where it is', async () => {
  const { peer, kubernetes, run, status } = await open();
  await peer.get(`/v1.1/b/job-executions/${run.id}/cancel`);
  await vi.waitFor(async () => expect(await status()).toBe('KILLED'), 5000);
  expect(kubernetes.places).toEqual([]);
});

test('the deletion of the cluster by its owner leaves no run of anybody', async () => {
  const { peer, kubernetes, cluster, run, status, files } = await open();
  await peer.remove(`/v1.1/a/clusters/${cluster.id}`);
  await vi.waitFor(async () => expect(await status()).toBe('KILLED'), 5000);
  expect(kubernetes.places).toEqual([]);
  // By then, nobody knows any more whose cluster it was.
  await peer.remove(`/v1.1/b/job-executions/${run.id}`);
  await vi.waitFor(() => expect(files()).toEqual([]), 5000);
});
