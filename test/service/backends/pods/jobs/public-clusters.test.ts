// Runs of one tenant on the public cluster of another one: they take place where the cluster is, and nothing of them is left anywhere.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { targetOf } from '../../../../../src/kube/target.ts';
import { systemClock, systemDownload, systemRandom } from '../../../../../src/lib/system.ts';
import { jobs, KubeApi, secrets } from '../../../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../../../src/service/backends/pods/api/informers.ts';
import { PodJobs } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { parseImages } from '../../../../../src/service/backends/pods/manifests/images.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { imageIn } from '../../../../../src/service/engines/image.ts';
import { pluginOf } from '../../../../../src/service/engines/plugin.ts';
import { find } from '../../../../../src/service/model/checks/owners.ts';
import { createMemoryStore } from '../../../../../src/service/model/store/store.ts';
import { createServer } from '../../../../../src/service/program/server.ts';
import { connect, type Json } from '../../../../contract/peer.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { settingOf, sparkCluster, sparkRequest } from '../clusters/scene.ts';
import { TinyApiServer } from './world/api-server.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const octets = { 'content-type': 'application/octet-stream' };
const image = imageIn(parseImages('{}'), 'spark');
const { engine } = settingOf(sparkCluster());

/** Its pods run their program until they are deleted. */
function startKubernetes() {
  const server = new TinyApiServer(fastClock(20), {
    permit: () => true,
    events: { started() {}, ended() {} },
    programMs: 3_600_000,
  });
  const places = () =>
    [jobs, secrets].flatMap(({ kind, plural }) =>
      server.paths(plural).map((path) => `${targetOf(path).namespace} ${kind}`),
    );
  const programs = () => server.paths(jobs.plural).map((path) => JSON.stringify(server.serve({ method: 'GET', path })));
  return { transport: server.transport(), places, programs };
}

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'public-clusters-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { transport, places, programs } = startKubernetes();
  const informers = new Informers({ transport, clock: systemClock, random: systemRandom, log });
  onTestFinished(() => informers.close());
  const store = createMemoryStore();
  const ownerOf = (tenant: string, { id }: { readonly id: string }) =>
    find(store, 'clusters', { tenant, id })?.tenant ?? tenant;
  const asked: string[] = [];
  const engineOfPods = new PodJobs({
    api: new KubeApi(transport),
    informers,
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
    engine: engineOfPods,
    catalog,
    stageMs: () => 0,
  });
  const peer = connect(await server.start());
  onTestFinished(async () => {
    engineOfPods.close();
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
  return { peer, places, programs, asked, cluster, run, status, files };
}

test('a run is where its cluster is, with its secret, and a deletion leaves nothing', async () => {
  const { peer, places, asked, run, files } = await open();
  expect(places()).toEqual(['of-a Job', 'of-a Secret']);
  expect(new Set(asked)).toEqual(new Set(['a']));
  await peer.remove(`/v1.1/b/job-executions/${run.id}`);
  await vi.waitFor(() => expect([places(), files()]).toEqual([[], []]), 5000);
});

test('a run has the variables of the environment of its engine', async () => {
  const { programs } = await open();
  expect(engine.variables).toEqual({ HADOOP_USER_NAME: 'hadoop' });
  expect(programs()).toEqual([expect.stringContaining('{"name":"HADOOP_USER_NAME","value":"hadoop"}')]);
});

test('a cancel ends the run where it is', async () => {
  const { peer, places, run, status } = await open();
  await peer.get(`/v1.1/b/job-executions/${run.id}/cancel`);
  await vi.waitFor(async () => expect(await status()).toBe('KILLED'), 5000);
  expect(places()).toEqual([]);
});

test('the deletion of the cluster by its owner leaves no run of anybody', async () => {
  const { peer, places, cluster, run, status, files } = await open();
  await peer.remove(`/v1.1/a/clusters/${cluster.id}`);
  await vi.waitFor(async () => expect(await status()).toBe('KILLED'), 5000);
  expect(places()).toEqual([]);
  // By then, nobody knows any more whose cluster it was.
  await peer.remove(`/v1.1/b/job-executions/${run.id}`);
  await vi.waitFor(() => expect(files()).toEqual([]), 5000);
});
