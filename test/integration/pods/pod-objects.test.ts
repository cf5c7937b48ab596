// The objects of a cluster in pods on a real API server: what somebody else does to them is put back, or told.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { jobs, KubeApi, pathOf, secrets, services, statefulSets } from '../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../src/service/backends/pods/api/informers.ts';
import { runName } from '../../../src/service/backends/pods/api/names.ts';
import { ClusterObjects } from '../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { changeBetween, type Mark } from '../../../src/service/backends/pods/clusters/marks.ts';
import { runJob, runSecret } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import {
  exposures,
  groupManifests,
  headlessService,
  sharedSecret,
} from '../../../src/service/backends/pods/manifests/manifests.ts';
import { clusterOf, groupOf, settingOf } from '../../service/backends/pods/clusters/scene.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';

const group = groupOf('workers', ['slave'], 2);
const cluster = clusterOf('spark', [groupOf('master', ['master'], 1), group]);

async function open() {
  const kubeconfig = inject('kubeconfig');
  const api = await connect(kubeconfig);
  const namespace = await createNamespace(api, `pod-objects-${process.pid}-${Date.now().toString(36)}`);
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock, userAgent: 'tests' });
  onTestFinished(async () => {
    await Promise.all([transport.close(), api.close()]);
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const informers = new Informers({ transport, clock: systemClock, random: systemRandom, log });
  onTestFinished(() => informers.close());
  const kube = new KubeApi(transport);
  const objects = new ClusterObjects(kube, informers);
  const { place, ...rest } = settingOf(cluster);
  const setting = { ...rest, place: { ...place, namespace } };
  const apply = async (): Promise<readonly Mark[]> => [
    ...(await objects.applyShared(cluster, setting)),
    ...(await objects.applyGroup(cluster, group, setting)),
  ];
  const set = pathOf(statefulSets, namespace, groupManifests(cluster, group, setting).statefulSet.metadata.name);
  const service = pathOf(services, namespace, headlessService(cluster, namespace).metadata.name);
  return { api, kube, objects, setting, apply, namespace, set, service };
}

async function edit(api: ApiServer, path: string, body: object): Promise<void> {
  const answer = await api.send({ method: 'PATCH', path: `${path}?fieldManager=kubectl-edit`, body });
  expect(answer.status).toBe(200);
}

const specOf = async (api: ApiServer, path: string) => ((await api.send({ path })).body as { spec: object }).spec;

describe.skipIf(inject('kubeconfig') === '')('the objects of a cluster in pods', () => {
  test('look the same as long as nobody changes them', async () => {
    const { apply } = await open();
    const before = await apply();
    expect(changeBetween(before, await apply())).toBeUndefined();
  });

  test('are put back where somebody changed what the service sets', async () => {
    const { api, apply, set, service } = await open();
    const before = await apply();
    await edit(api, set, { spec: { replicas: 7 } });
    await edit(api, service, { spec: { selector: { 'example.com/other': 'pods', 'app.kubernetes.io/name': null } } });
    const after = await apply();
    expect(await specOf(api, set)).toMatchObject({ replicas: group.count });
    expect(changeBetween(before, after)).toMatch(/^StatefulSet analytics-\S+-workers.* was changed by somebody else/);
  });

  test('keep what somebody added, which is told', async () => {
    const { api, apply, set, service } = await open();
    const before = await apply();
    await edit(api, set, { spec: { minReadySeconds: 3 } });
    const after = await apply();
    expect(await specOf(api, set)).toMatchObject({ minReadySeconds: 3 });
    expect(changeBetween(before, after)).toMatch(
      /^StatefulSet analytics-\S+-workers was changed by somebody else: .* the other fields that kubectl-edit has set stay$/,
    );
    expect(changeBetween(after, await apply())).toBeUndefined();
    await edit(api, service, { spec: { sessionAffinity: 'ClientIP' } });
    expect(changeBetween(after, await apply())).toMatch(/^Service .* the other fields that kubectl-edit has set stay$/);
  });

  test.each(['NodePort', 'LoadBalancer', 'Ingress'])('publish pages by %s, and leave nothing', async (exposure) => {
    const { api, objects, setting, namespace } = await open();
    const node_groups = cluster.node_groups.map((each) => ({ ...each, floating_ip_pool: exposure }));
    const publishing = { allowed: exposures, domain: 'data.example.com', className: undefined };
    const exposed = { ...cluster, node_groups };
    await objects.applyShared(exposed, { ...setting, publishing });
    const found = async (path: string) => {
      const { items } = (await api.send({ path })).body as { items: { spec: { type?: string } }[] };
      return items.map(({ spec }) => spec.type);
    };
    const type = exposure === 'Ingress' ? 'ClusterIP' : exposure;
    const all = `/api/v1/namespaces/${namespace}/services`;
    const ingresses = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`;
    expect(await found(all)).toEqual(['ClusterIP', type, type]);
    expect(await found(ingresses)).toHaveLength(exposure === 'Ingress' ? 2 : 0);
    // A service that does not allow it any more takes it back.
    await objects.applyShared(exposed, setting);
    expect([await found(all), await found(ingresses)]).toEqual([['ClusterIP'], []]);
    await objects.removeAll({ cluster, signal: new AbortController().signal, report() {} }, namespace);
    expect([...(await found(all)), ...(await found(ingresses))]).toEqual([]);
  });

  test('go with what is left of their runs', async () => {
    const { api, kube, objects, setting, apply, namespace } = await open();
    await apply();
    const rest = {
      image: setting.imageOf({} as never),
      runnerImage: 'localhost/service:1',
      pullSecrets: [],
      disk: 1,
      service: undefined,
    };
    const execution = '11111111-2222-4333-8444-555555555555';
    const run = { ...rest, execution, namespace, cluster, url: 'http://service:8387', token: 'token' };
    await kube.create(secrets, runSecret(run));
    await kube.create(jobs, runJob(run, { file: '/java', args: [], env: {} }));
    await objects.removeAll({ cluster, signal: new AbortController().signal, report() {} }, namespace);
    for (const kind of [jobs, secrets])
      expect((await api.send({ path: pathOf(kind, namespace, runName(execution)) })).status).toBe(404);
  });

  test('share one text for as long as one of them has it', async () => {
    const { api, objects, apply, namespace } = await open();
    const made = sharedSecret(cluster, namespace, '');
    const first = await objects.secret(made, 'shared-secret');
    await apply();
    await api.send({ method: 'DELETE', path: pathOf(secrets, namespace, made.metadata.name) });
    expect([first, await objects.secret(made, 'another')]).toEqual(['shared-secret', 'shared-secret']);
    expect((await api.send({ path: pathOf(secrets, namespace, made.metadata.name) })).status).toBe(200);
  });
});
