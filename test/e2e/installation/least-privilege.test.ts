// Every manifest passes the strict validation of the API server, sent by the least privileged user who can apply it. Then, what the accounts can read.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type Manifest, openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { renderedByKubectl } from '../../deploy/kubectl.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';
import { repository } from '../support/installation.ts';
import { type Cluster, demoNamespace, useCluster } from './cluster.ts';
import { readSecrets } from './reading-secrets.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const rbac = 'rbac.authorization.k8s.io';
const kubernetes = join(repository, 'deploy');
const [installer] = await readManifests(join(kubernetes, 'installer', 'role.yaml'));
const rules = (installer?.['rules'] ?? []) as readonly Rule[];

const quickstart = join(kubernetes, 'quickstart');
const objectsIn = async (file: string): Promise<readonly Manifest[]> =>
  (await readManifests(file)).filter((each) => each.apiVersion !== undefined && each.kind !== undefined);

/** The folders with YAML files below a folder, and itself. */
async function foldersWithYaml(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return [...new Set(names.filter((name) => name.endsWith('.yaml')).map((name) => dirname(join(folder, name))))];
}

/** How kubectl is told of each folder of deploy/ that can be installed. The quick start includes deploy/provisioner, a component. */
async function installations(): Promise<readonly (readonly ['-k' | '-f', folder: string])[]> {
  const folders = (await foldersWithYaml(kubernetes)).filter((each) => !each.includes('/helm/'));
  const kinds = folders.map(async (folder) => {
    const [kustomization] = await readManifests(join(folder, 'kustomization.yaml')).catch(() => []);
    return kustomization?.kind;
  });
  const known = await Promise.all(kinds);
  const installed = folders.map((folder, index) => [known[index] === undefined ? '-f' : '-k', folder] as const);
  return installed.filter((_, index) => known[index] !== 'Component');
}

/** With all that can be switched on, with the usual values, and for one namespace. */
const chartValues: readonly (readonly [values: Readonly<Record<string, unknown>>, namespace: string])[] = [
  [{}, 'dataprocessing-system'],
  [
    {
      'service.enabled': true,
      'service.tenantNamespaces': { demo: 'team-a' },
      'service.engineImages': { spark: { reference: 'registry.example/spark:1', user: 1000 } },
      'service.flavors': [{ id: '1', name: 'small', cpus: 1, memory: 1024 }],
      'service.storageClass': 'fast',
      'service.egress': ['10.0.0.0/8'],
      'metrics.dashboard.enabled': true,
      'metrics.podMonitor.enabled': true,
      'metrics.serviceMonitor.enabled': true,
      'metrics.prometheusRule.enabled': true,
      'web.enabled': true,
      'web.service.enabled': true,
      extraArgs: ['--log-level=debug'],
      imagePullSecrets: [{ name: 'registry' }],
      'networkPolicy.ingressFrom': [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }],
    },
    'dataprocessing-system',
  ],
  [
    {
      watchNamespaces: ['team-a'],
      installation: 'team-a-production',
      'crds.install': false,
      'rbac.userRoles': false,
      'secretsPolicy.create': false,
    },
    'team-a',
  ],
];

const renderCharts = async (): Promise<readonly (readonly Manifest[])[]> =>
  Promise.all(chartValues.map(async ([values, namespace]) => render(values, '--namespace', namespace)));

/** With a verb: those that rules allow, as `verb group/resource`, with the names of the rules that have some. */
const allowed = (verbs: readonly string[]): readonly string[] =>
  rules
    .filter((rule) => rule.verbs.some((verb) => verbs.includes(verb)))
    .flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs: own }) =>
      own.flatMap((verb) =>
        resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${apiGroups[0]}/${resource} ${name}`)),
      ),
    )
    .toSorted();

const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, 'ie') + (/(x|s)$/.test(kind) ? 'es' : 's');
const isRole = ({ kind }: Manifest): boolean => /^(Cluster)?Role$/.test(kind);

test.skipIf(helm === undefined)('the installer can do what the manifests need, and nothing else', async ({ skip }) => {
  const sets = (await installations()).map(async ([how, folder]) =>
    how === '-k' ? renderedByKubectl(folder, skip) : objectsIn(folder),
  );
  const manifests = [...(await Promise.all(sets)), ...(await renderCharts())].flat();
  const written = manifests.map(
    ({ apiVersion, kind }) => `${/^(.*)\//.exec(apiVersion)?.[1] ?? ''}/${pluralOf(kind)} *`,
  );
  const writes = [...new Set(written)].flatMap((each) => [`create ${each}`, `patch ${each}`]);
  expect(allowed(['create', 'patch'])).toEqual(writes.toSorted());
  // It may grant what it has itself without a right to escalate.
  const escalated = manifests
    .filter((each) => isRole(each) && each.metadata.name !== installer?.metadata.name)
    .map(({ kind, metadata }) => `escalate ${rbac}/${pluralOf(kind)} ${metadata.name}`);
  expect(allowed(['escalate'])).toEqual([...new Set(escalated)].toSorted());
  const references = manifests.flatMap(({ roleRef }) =>
    roleRef === undefined ? [] : [roleRef as { kind: string; name: string }],
  );
  const bound = references.map(({ kind, name }) => `bind ${rbac}/${pluralOf(kind)} ${name}`);
  expect(allowed(['bind'])).toEqual([...new Set(bound)].toSorted());
});

/** Path of the kubeconfig of a ServiceAccount with these roles: in a namespace, or everywhere. */
async function accountWith(
  { server, kubeconfig }: Cluster,
  name: string,
  roles: readonly string[],
  namespace?: string,
): Promise<string> {
  const objects = openObjects(server, namespace ?? 'default');
  await objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } });
  for (const role of roles)
    await objects.apply({
      apiVersion: `${rbac}/v1`,
      kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata: { name: `${name}-${role.replaceAll(':', '-')}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  const path = `${kubeconfig}.${name}`;
  await writeAccountKubeconfig(server, { namespace: 'default', name }, path);
  return path;
}

/** Applies with strict validation, and returns how many objects it was. Throws with what kubectl says. */
async function apply(kubeconfig: string, ...args: readonly string[]): Promise<number> {
  const strict = ['--kubeconfig', kubeconfig, 'apply', '--server-side', '--validate=strict'];
  const { stdout, stderr } = await promisify(execFile)('kubectl', [...strict, ...args]);
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line.includes('serverside-applied')).length;
}

const dryRun = async (kubeconfig: string, ...args: readonly string[]): Promise<number> =>
  apply(kubeconfig, '--dry-run=server', ...args);

const fixtures = join(repository, 'test', 'deploy', 'fixtures');

/** Has the installer apply the quick start beside what others have installed; answers with the path of its kubeconfig. */
async function install(cluster: Cluster): Promise<string> {
  if (installer === undefined) throw new Error('deploy/installer/role.yaml is empty');
  for (const name of ['argocd', 'team-a'])
    await cluster.objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const manifest of [installer, ...(await readManifests(join(fixtures, 'prometheus-operator')))])
    await cluster.objects.apply(manifest);
  const pipeline = await accountWith(cluster, 'installer', [installer.metadata.name]);
  expect(await apply(pipeline, '-k', quickstart)).toBeGreaterThan(25);
  return pipeline;
}

/** By the server. What `install` has left is there. */
async function expectValid(cluster: Cluster, pipeline: string): Promise<void> {
  for (const [how, folder] of await installations())
    expect([folder, await dryRun(pipeline, how, folder)]).not.toEqual([folder, 0]);

  for (const [index, manifests] of (await renderCharts()).entries()) {
    const file = join(cluster.folder, `chart-${index}.yaml`);
    await writeFile(file, manifests.map((each) => stringify(each)).join('---\n'));
    expect(await dryRun(pipeline, '-f', file)).toBe(manifests.length);
  }

  // No controller puts the standard roles together here.
  const parts = ['system:aggregate-to-view', 'system:aggregate-to-edit'];
  const own = ['dataprocessing-operator-view', 'dataprocessing-operator-edit'];
  const user = await accountWith(cluster, 'user', [...parts, ...own], demoNamespace);
  for (const folder of await foldersWithYaml(join(repository, 'examples'))) {
    const objects = await objectsIn(folder);
    // Files that the bundled service reads are no objects.
    if (objects.length === 0) continue;
    const isShared = objects.some(({ kind }) => kind === 'SharedConnection');
    // Only an administrator shares a connection.
    if (isShared)
      await expect(dryRun(user, '-n', demoNamespace, '-f', folder)).rejects.toThrow(
        /cannot patch resource "sharedconnections"/,
      );
    const who = isShared ? cluster.kubeconfig : user;
    expect([folder, await dryRun(who, '-n', demoNamespace, '-f', folder)]).toEqual([folder, objects.length]);
  }
}

describe.skipIf(inject('kubeconfig') === '')('a cluster', () => {
  const opened = useCluster();

  describe.skipIf(!haveKubectl || helm === undefined)('with strict validation', () => {
    test('the installer applies all of deploy/ and the chart, a user of one namespace the examples', async () => {
      await expectValid(opened(), await install(opened()));
    });
  });

  readSecrets(opened);
});
