// What a real controller of Kueue does to the objects of runs and of node groups, and what the service makes of it. There is no node, so no pod runs.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import type { RunReport } from '../../../src/service/backends/job-engine.ts';
import { jobs, KubeApi, pathOf, statefulSets } from '../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../src/service/backends/pods/api/informers.ts';
import { runName } from '../../../src/service/backends/pods/api/names.ts';
import { ClusterObjects } from '../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { gateOf, type PodObject, waitInQueue } from '../../../src/service/backends/pods/clusters/conditions.ts';
import { changeBetween } from '../../../src/service/backends/pods/clusters/marks.ts';
import { PodRuns } from '../../../src/service/backends/pods/jobs/pod-runs.ts';
import { RunLogs } from '../../../src/service/backends/pods/jobs/run-logs.ts';
import { runJob } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import { RunWatch } from '../../../src/service/backends/pods/jobs/run-watch.ts';
import { groupManifests } from '../../../src/service/backends/pods/manifests/manifests.ts';
import { clusterOf, groupOf, settingOf } from '../../service/backends/pods/clusters/scene.ts';
import { orderOf } from '../../service/backends/processes/jobs/job-scene.ts';
import { type ApiServer, createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';
import { createQueue, findKueue, queueApi, startKueue } from './kueue.ts';

const group = groupOf('workers', ['slave'], 2);
const cluster = clusterOf('spark', [groupOf('master', ['master'], 1), group]);
const log = { debug() {}, info() {}, warn() {}, error() {} };

const bodyOf = async <T>(api: ApiServer, path: string): Promise<T> => (await api.send({ path })).body as T;

async function connectService(kubeconfig: string) {
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock, userAgent: 'tests' });
  const informers = new Informers({ transport, clock: systemClock, random: systemRandom, log });
  onTestFinished(async () => {
    await informers.close();
    await transport.close();
  });
  return { informers, kube: new KubeApi(transport) };
}

type Service = Awaited<ReturnType<typeof connectService>>;

/** A run in a queue, which the service waits for. */
async function startRun({ informers, kube }: Service, namespace: string, queue: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kueue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const runs = new PodRuns(folder);
  const reports: RunReport[] = [];
  const controller = new AbortController();
  const order = { ...orderOf(), signal: controller.signal, report: (report: RunReport) => void reports.push(report) };
  const { id } = order.execution;
  mkdirSync(runs.paths(id).folder);
  const place = { ...settingOf(cluster).place, namespace };
  const setting = {
    execution: id,
    service: 'service-1',
    namespace,
    cluster,
    image: settingOf(cluster).imageOf({} as never),
    runnerImage: 'localhost/service:1',
    pullSecrets: [],
    url: 'http://service:8387',
    token: 'token',
    disk: 1,
    queue,
  };
  await kube.create(jobs, runJob(setting, { file: '/bin/true', args: [], env: {} }));
  const options = { api: kube, informers, runs, clock: systemClock, log, engines: [], addressOf: () => undefined };
  const asking = { namespaceOf: () => namespace, placeOf: async () => place, ask: async () => ({}) };
  const watch = new RunWatch({ ...options, ...asking }, new RunLogs({ ...options, ...asking, logBytes: 1000 }));
  const finishing = watch.finish(order);
  finishing.catch(() => undefined);
  onTestFinished(() => controller.abort(new Error('the test has ended')));
  return { reports, runs, id, finishing, path: pathOf(jobs, namespace, runName(id)) };
}

const isSuspended = async (api: ApiServer, path: string): Promise<boolean> =>
  (await bodyOf<{ spec: { suspend?: boolean } }>(api, path)).spec.suspend === true;

interface MadeSet {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
}

interface Workloads {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const program = inject('kubeconfig') === '' ? undefined : await findKueue();

describe.skipIf(program === undefined)('Kueue', () => {
  test('lets runs and node groups wait in their queues, and admits them', async () => {
    const { api, kubeconfig } = await startKueue(program ?? '');
    const service = await connectService(kubeconfig);
    const namespace = await createNamespace(api, 'data');
    await createQueue(api, namespace, 'full', 0);
    await createQueue(api, namespace, 'free', 100);

    const run = await startRun(service, namespace, 'full');
    expect(await isSuspended(api, run.path)).toBe(true);
    const waits = { message: waitInQueue('full', namespace), isQueued: true };
    await vi.waitFor(() => expect(run.reports).toEqual([waits]), limitMs);
    // The administrator makes room.
    await createQueue(api, namespace, 'full', 10);
    await vi.waitFor(() => expect(run.reports).toEqual([waits, { message: '', isQueued: false }]), limitMs);
    expect(await isSuspended(api, run.path)).toBe(false);

    // Kueue takes the room back before the program has begun: the run waits again.
    const workloads = `${queueApi}/namespaces/${namespace}/workloads`;
    const [workload] = (await bodyOf<Workloads>(api, workloads)).items;
    const activate = async (active: boolean) =>
      await api.send({ method: 'PATCH', path: `${workloads}/${workload?.metadata.name}`, body: { spec: { active } } });
    expect(await activate(false)).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(run.reports.at(-1)).toEqual(waits), limitMs);
    expect(run.runs.decision(run.id)).toBeUndefined();
    await activate(true);
    await vi.waitFor(() => expect(run.reports.at(-1)).toEqual({ message: '', isQueued: false }), limitMs);

    // And when it has begun: then it is over, and nothing of it is admitted again.
    run.runs.start(run.id);
    await activate(false);
    expect(await run.finishing).toEqual({
      status: 'FAILED',
      cause: 'Evicted',
      message:
        'Kueue took back its room in queue full while it ran: run the job again, because no run is started twice',
    });
    expect((await api.send({ path: run.path })).status).toBe(404);
    await vi.waitFor(async () => expect((await bodyOf<Workloads>(api, workloads)).items).toEqual([]), limitMs);

    const { place, flavors, ...rest } = settingOf(cluster);
    const settingWith = (queue: string | undefined) => ({
      ...rest,
      flavors: flavors.map((flavor) => ({ ...flavor, queue })),
      place: { ...place, namespace },
    });
    const objects = new ClusterObjects(service.kube, service.informers);
    const before = await objects.applyGroup(cluster, group, settingWith('free'));
    const set = pathOf(
      statefulSets,
      namespace,
      groupManifests(cluster, group, settingWith('free')).statefulSet.metadata.name,
    );
    const made = await bodyOf<MadeSet>(api, set);
    // What Kueue adds is no change that is put back.
    expect(changeBetween(before, await objects.applyGroup(cluster, group, settingWith('free')))).toBeUndefined();
    // Another file of flavors, and another version of the service, change nothing of what Kueue has admitted.
    await objects.applyGroup(cluster, group, settingWith(undefined));
    expect(await bodyOf(api, set)).toMatchObject({ metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'free' } } });
    const larger = flavors.map((flavor) => ({ ...flavor, queue: 'free', memory: flavor.memory * 2 }));
    await objects.applyGroup(cluster, group, { ...settingWith('free'), flavors: larger });
    expect((await bodyOf<Record<string, unknown>>(api, set))['spec']).toMatchObject({
      template: { spec: made.spec.template.spec },
    });
    const grown = { ...group, instances: groupOf('workers', ['slave'], 3).instances };
    await expect(objects.applyGroup(cluster, grown, settingWith('free'))).rejects.toThrow(/replicas.*immutable/);

    // A pod as the controller of StatefulSets makes it.
    const { template } = made.spec;
    const { name, uid } = made.metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    const metadata = { ...template.metadata, name: `${name}-0`, ownerReferences: [owner] };
    const pod = await api.send({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods`,
      body: { metadata, spec: template.spec },
    });
    expect(pod).toMatchObject({ status: 201 });
    expect(gateOf(pod.body as PodObject)).toMatch(/^waiting (until the pods are admitted|in queue free)/);
  });
});
