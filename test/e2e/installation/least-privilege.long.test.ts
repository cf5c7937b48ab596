// Every manifest passes the strict validation of the API server, sent by the least privileged user who can apply it. Then, what the accounts can read.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { helm } from '../../support/kubernetes/helm.ts';
import { repository } from '../support/installation.ts';
import { type Cluster, demoNamespace, useCluster } from './cluster.ts';
import {
  foldersWithYaml,
  installations,
  installer,
  kubernetes,
  objectsIn,
  rbac,
  renderCharts,
} from './installations.ts';
import { readSecrets } from './reading-secrets.ts';

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
  expect(await apply(pipeline, '-k', join(kubernetes, 'quickstart'))).toBeGreaterThan(25);
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
