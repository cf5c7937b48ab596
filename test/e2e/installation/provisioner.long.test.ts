// The Role for clusters in pods grants what the bundled service uses, and nothing else. Without a node, no pod ever starts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type Service, startService } from '../../../dev/demo/launch.ts';
import { type Manifest, readManifests } from '../../../dev/demo/manifests.ts';
import { sparkRequest } from '../../service/backends/pods/clusters/scene.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';
import { limitMs } from '../../support/patience.ts';
import { type Asked, readAudit } from '../support/audit.ts';
import { granted, onlyWithPods, used } from '../support/grants.ts';
import { podOf, repository } from '../support/installation.ts';
import { type Cluster, demoNamespace, useCluster } from './cluster.ts';

const account = { namespace: demoNamespace, name: 'dataprocessing-service' };
const files = ['bundled-service/namespace.yaml', 'bundled-service/service-account.yaml'];
const role = ['provisioner/role.yaml', 'provisioner/role-binding.yaml'];
const patience = { timeout: limitMs, interval: 100 };

const body = sparkRequest(2);

async function readAll(paths: readonly string[]): Promise<readonly Manifest[]> {
  return (await Promise.all(paths.map(async (path) => readManifests(join(repository, 'deploy', path))))).flat();
}

/** It makes clusters with the permissions of its account, until the end of the test. */
async function openService({ server, programs, folder }: Cluster, flags: readonly string[] = []): Promise<Service> {
  const kubeconfig = join(folder, 'service.kubeconfig');
  await writeAccountKubeconfig(server, account, kubeconfig);
  const pods = ['--provisioner=kubernetes', `--kubeconfig=${kubeconfig}`, `--namespace=${demoNamespace}`];
  const runner = ['--runner-image=localhost/service:1', '--runner-url=http://service:8387', '--runner-port=0'];
  const service = await startService(programs, ['--port=0', ...pods, ...runner, ...flags]);
  onTestFinished(async () => void (await service.program.end('SIGKILL', limitMs)));
  return service;
}

/** What the account asks from now on. No service of an earlier test runs any more. */
async function listenTo({ kubeconfig }: Cluster): Promise<() => Promise<readonly Asked[]>> {
  const { length } = await readAudit(kubeconfig, account);
  return async () => (await readAudit(kubeconfig, account)).slice(length);
}

/** As words. Who applies an object creates it with the same request. */
const wordsOf = (asked: readonly Asked[]): readonly string[] => {
  const words = used(asked);
  const created = words.filter((word) => word.startsWith('patch ')).map((word) => word.replace('patch', 'create'));
  return [...new Set([...words, ...created])].toSorted();
};

/** Only for pages of a group with the floating IP pool Ingress. */
const withIngress = ['create', 'delete', 'patch'].map((verb) => `${verb} ingresses.networking.k8s.io`);

const clustersAt = ({ url }: Service): string => `${url}/v1.0/demo/clusters`;

async function create(clusters: string, wanted: object): Promise<{ readonly id: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(clusters, { method: 'POST', headers, body: JSON.stringify(wanted) });
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { readonly cluster: { readonly id: string } }).cluster;
}

/** What the chart installs for the service, and the flags of its values, whose files are in the folder of the cluster. */
async function renderedFor(values: Readonly<Record<string, unknown>>, { folder }: Cluster) {
  const rendered = await render({ 'service.enabled': true, ...values });
  const own = rendered.filter(({ metadata }) => metadata.name === account.name);
  const manifests = own.filter(({ kind }) => ['ServiceAccount', 'Role', 'RoleBinding', 'ConfigMap'].includes(kind));
  const { data } = (manifests.find(({ kind }) => kind === 'ConfigMap') ?? {}) as { readonly data?: object };
  for (const [name, text] of Object.entries(data ?? {})) await writeFile(join(folder, name), text);
  const args = podOf(own).pod.containers[0]['args'] as readonly string[];
  const files = args.filter((each) => each.includes('/etc/dataprocessing-service-files/'));
  return { manifests, flags: files.map((each) => each.replace('/etc/dataprocessing-service-files', folder)) };
}

describe.skipIf(inject('kubeconfig') === '')('clusters in pods', () => {
  const opened = useCluster();

  /** The first, since it looks at all that the account has ever asked. */
  test('are made and removed with the permissions of the Role', async () => {
    const cluster = opened();
    const permissions = await readAll(role);
    for (const manifest of [...(await readAll(files)), ...permissions]) await cluster.objects.apply(manifest);
    const clusters = clustersAt(await openService(cluster));
    const made = await create(clusters, body);

    const asked = async () => readAudit(cluster.kubeconfig, account);
    await expect.poll(async () => wordsOf(await asked()), patience).toContain('watch events');
    expect((await fetch(`${clusters}/${made.id}`, { method: 'DELETE' })).status).toBe(204);
    await expect.poll(async () => (await fetch(`${clusters}/${made.id}`)).status, patience).toBe(404);

    const all = await asked();
    expect(all.filter(({ status }) => status === 403)).toEqual([]);
    const namespaces = new Set(all.map(({ namespace }) => namespace));
    expect([...namespaces]).toEqual([demoNamespace]);
    const words = new Set([...wordsOf(all), ...onlyWithPods, ...withIngress]);
    expect([...words].toSorted()).toEqual(granted(permissions));
  });

  test.skipIf(helm === undefined)('are made where the chart says, with the permissions that it grants', async () => {
    const cluster = opened();
    // Those that the test above has applied.
    for (const manifest of await readAll(role)) await cluster.objects.remove(manifest);
    const { flags, manifests } = await renderedFor({ 'service.tenantNamespaces': { demo: 'team-a' } }, cluster);
    for (const name of [demoNamespace, 'team-a'])
      await cluster.objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const manifest of manifests) await cluster.objects.apply(manifest);
    const asked = await listenTo(cluster);
    const service = await openService(cluster, flags);
    await create(clustersAt(service), body);
    await create(clustersAt(service).replace('/demo/', '/another/'), body);

    const made = async () => {
      const sent = (await asked()).filter(({ verb }) => verb === 'patch');
      return new Set(sent.map(({ resource, namespace, status }) => `${resource} ${namespace} ${status}`));
    };
    await expect
      .poll(made, patience)
      .toEqual(
        new Set(
          ['team-a', demoNamespace].flatMap((each) =>
            ['secrets', 'services', 'networkpolicies.networking.k8s.io', 'statefulsets.apps'].map(
              (resource) => `${resource} ${each} 201`,
            ),
          ),
        ),
      );
  });

  test('keep their volumes when --storage-class changes', async () => {
    const cluster = opened();
    for (const manifest of await readAll([...files, ...role])) await cluster.objects.apply(manifest);
    const asked = await listenTo(cluster);
    const data = `--data=${join(cluster.folder, 'service.db')}`;
    const before = await openService(cluster, [data]);
    const [master, ...others] = body.node_groups;
    const groups = [{ ...master, volumes_per_node: 1, volumes_size: 1 }, ...others];
    const made = await create(clustersAt(before), { ...body, node_groups: groups });
    const answers = async () =>
      (await asked()).filter(({ resource, verb }) => resource === 'statefulsets.apps' && verb === 'patch');
    await expect.poll(async () => (await answers()).map(({ status }) => status), patience).toEqual([201]);
    await before.program.end('SIGTERM', limitMs);

    const after = await openService(cluster, [data, '--storage-class=fast']);
    await expect.poll(async () => (await answers()).map(({ status }) => status), patience).toEqual([201, 422, 200]);
    const answer = await fetch(`${clustersAt(after)}/${made.id}`);
    const { cluster: now } = (await answer.json()) as { readonly cluster: object };
    expect(now).toMatchObject({ status: 'Waiting' });
  });
});
