// A real API server takes pods with every setting that a flavor can have, in a namespace that enforces the restricted Pod Security Standard.
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parseFlavors } from '../../../src/service/backends/flavors-file.ts';
import { runJob } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import { groupManifests } from '../../../src/service/backends/pods/manifests/manifests.ts';
import { flinkCluster, hadoopCluster, settingOf, sparkCluster } from '../../service/backends/pods/clusters/scene.ts';
import { full } from '../../service/backends/pods/flavors/full-pod.ts';
import { type ApiServer, connect } from '../../support/kubernetes/api-server.ts';

const kubeconfig = inject('kubeconfig');
const namespace = `flavored-pods-${process.pid}`;
const { flavors } = parseFlavors(JSON.stringify({ flavors: { '2': { cores: 2, memoryMiB: 2048, pod: full } } }));

interface Workload {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
}

const sets = [sparkCluster(), hadoopCluster(), flinkCluster()].flatMap((cluster) =>
  cluster.node_groups.map((group) => {
    // The names of the scene say which affinity is meant.
    const { statefulSet } = groupManifests({ ...cluster, anti_affinity: group.node_processes }, group, {
      ...settingOf(cluster),
      flavors,
    });
    return [`${cluster.plugin_name} ${group.name}`, 'apis/apps/v1', 'statefulsets', statefulSet] as const;
  }),
);
const [flavor] = flavors;
const job = runJob(
  {
    execution: '11111111-2222-4333-8444-555555555555',
    service: undefined,
    namespace,
    cluster: sparkCluster(),
    image: {
      reference: 'registry.example/spark:4.1.2',
      home: '/opt/spark',
      java: '/java',
      user: 185,
      version: '4.1.2',
    },
    runnerImage: 'registry.example/service:1',
    pullSecrets: [],
    url: 'http://service.services.svc:8387/runs/1',
    token: 'a-token',
    disk: 20,
    flavor,
  },
  { file: '/java', args: ['-Xmx512m'], env: {} },
);

let api: ApiServer;
beforeAll(async () => {
  if (kubeconfig === undefined) return;
  api = await connect(kubeconfig);
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  const post = async (path: string, body: object) => {
    const { status } = await api.send({ method: 'POST', path, body });
    expect([201, 409], path).toContain(status);
  };
  await post('/api/v1/namespaces', { metadata: { name: namespace, labels } });
  await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: full.serviceAccountName } });
  await post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: full.priorityClassName }, value: 1 });
  await post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: full.runtimeClassName }, handler: 'nvidia' });
});
afterAll(async () => {
  if (kubeconfig === undefined) return;
  await api.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  await api.close();
});

const create = (path: string, body: object) =>
  api.send({ method: 'POST', path: `${path}?dryRun=All&fieldValidation=Strict`, body });

test.skipIf(kubeconfig === undefined).each([...sets, ['a job', 'apis/batch/v1', 'jobs', job] as const])(
  '%s is taken, and so is its pod',
  async (_title, group, kind, made) => {
    const placed = { ...made, metadata: { ...made.metadata, namespace } };
    expect(await create(`/${group}/namespaces/${namespace}/${kind}`, placed)).toMatchObject({ status: 201 });
    const { metadata, spec } = (made as unknown as Workload).spec.template;
    const pod = { metadata: { ...metadata, name: 'pod' }, spec };
    expect(await create(`/api/v1/namespaces/${namespace}/pods`, pod)).toMatchObject({ status: 201 });
  },
);

test.skipIf(kubeconfig === undefined)('the namespace refuses a pod that is not within the standard', async () => {
  const { spec } = (job as unknown as Workload).spec.template;
  const pod = { metadata: { name: 'pod' }, spec: { ...spec, hostNetwork: true } };
  expect(await create(`/api/v1/namespaces/${namespace}/pods`, pod)).toMatchObject({ status: 403 });
});
