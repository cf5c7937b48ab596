// Every manifest passes the strict validation of the API server, sent by the least privileged user who can apply it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type Manifest, openObjects, readManifests, titleOf } from '../../../dev/demo/manifests.ts';
import { renderedByKubectl } from '../../deploy/kubectl.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { helm, render } from '../../support/helm.ts';
import { place } from '../support/documents.ts';
import { repository } from '../support/installation.ts';
import { type Cluster, demoNamespace, openCluster } from './cluster.ts';

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

/** The quick start with clusters as pods, which is all that the bundled service and the operator have. */
const everything = async (): Promise<string> =>
  place({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../dataprocessing-operator/deploy/quickstart'],
  } as unknown as Manifest);

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

test('the installer can do what the manifests need, and nothing else', async ({ skip }) => {
  const manifests = await renderedByKubectl(await everything(), skip);
  const written = manifests.map(
    ({ apiVersion, kind }) => `${/^(.*)\//.exec(apiVersion)?.[1] ?? ''}/${pluralOf(kind)} *`,
  );
  const writes = [...new Set(written)].flatMap((each) => [`create ${each}`, `patch ${each}`]);
  expect(allowed(['create', 'patch'])).toEqual(writes.toSorted());
  const escalated = manifests
    .filter(isRole)
    .map(({ kind, metadata }) => `escalate ${rbac}/${pluralOf(kind)} ${metadata.name}`);
  expect(allowed(['escalate'])).toEqual(escalated.toSorted());
  const references = manifests.flatMap(({ roleRef }) =>
    roleRef === undefined ? [] : [roleRef as { kind: string; name: string }],
  );
  expect(allowed(['bind'])).toEqual(
    references.map(({ kind, name }) => `bind ${rbac}/${pluralOf(kind)} ${name}`).toSorted(),
  );
});

/** Path of the kubeconfig of a ServiceAccount with these roles, in all namespaces. */
async function accountWith({ server, kubeconfig }: Cluster, name: string, roles: readonly string[]): Promise<string> {
  const objects = openObjects(server, 'default');
  await objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  for (const role of roles)
    await objects.apply({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${name}-${role.replaceAll(':', '-')}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  const path = `${kubeconfig}.${name}`;
  await writeAccountKubeconfig(server, { namespace: 'default', name }, path);
  return path;
}

const apply = async (kubeconfig: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const strict = ['--kubeconfig', kubeconfig, 'apply', '--server-side', '--validate=strict'];
  const { stdout, stderr } = await promisify(execFile)('kubectl', [...strict, ...args]);
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
};

describe.skipIf(inject('kubeconfig') === '' || !haveKubectl || helm === undefined)('on the API server', () => {
  test('the installer applies all of deploy/, a user with edit the examples', { timeout: 240_000 }, async () => {
    const cluster = await openCluster();
    if (installer === undefined) throw new Error('deploy/installer/role.yaml is empty');
    await cluster.objects.apply(installer);
    const pipeline = await accountWith(cluster, 'installer', [installer.metadata.name]);
    const folder = await everything();
    const applied = await apply(pipeline, '-k', folder);
    expect(applied.length).toBeGreaterThan(25);
    // An upgrade.
    expect(await apply(pipeline, '--dry-run=server', '-k', folder)).toHaveLength(applied.length);

    // No controller puts the standard roles together here.
    const parts = ['system:aggregate-to-view', 'system:aggregate-to-edit'];
    const own = ['dataprocessing-operator-view', 'dataprocessing-operator-edit'];
    const user = await accountWith(cluster, 'user', [...parts, ...own]);
    for (const each of ['', 'spark', 'jobs', 'own-cluster', 'fixed-name', 'keystone']) {
      const examples = join(repository, 'examples', each);
      expect(await apply(user, '--dry-run=server', '-n', demoNamespace, '-f', examples)).not.toEqual(['']);
    }
  });

  test('the chart passes strict validation with all values on, where the kinds are there', {
    timeout: 240_000,
  }, async () => {
    const cluster = await openCluster();
    const place = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await cluster.objects.apply(place('dataprocessing-system'));
    const values = {
      'service.enabled': true,
      'service.provisioner': 'kubernetes',
      'metrics.dashboard.enabled': true,
      extraArgs: ['--log-level=debug'],
      imagePullSecrets: [{ name: 'registry' }],
      'networkPolicy.ingressFrom': [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }],
    };
    const order = ['Namespace', 'CustomResourceDefinition'];
    const manifests = (await render(values)).toSorted((a, b) => order.indexOf(b.kind) - order.indexOf(a.kind));
    // By server-side apply with fieldValidation=Strict.
    for (const manifest of manifests)
      expect((await cluster.objects.apply(manifest)).metadata.name, titleOf(manifest)).toBe(manifest.metadata.name);
  });
});
