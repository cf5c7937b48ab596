// The accounts of our programs, which may do what an installation permits.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Account, writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { openApiServer } from '../../../dev/demo/api-server.ts';
import { inNamespace } from '../../../dev/demo/kustomization.ts';
import { type Manifest, openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { readAudit } from '../../e2e/support/audit.ts';
import { repository, wholeCluster } from '../../e2e/support/installation.ts';

const files = ['bundled-service/service-account.yaml', 'provisioner/role.yaml', 'provisioner/role-binding.yaml'];
export const serviceAccountIn = (namespace: string): Account => ({ namespace, name: 'dataprocessing-service' });

/** The service of the tests is not in the cluster: it reaches pods through the API server, as its documentation says. */
function outsideIn(namespace: string): readonly Manifest[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const common = { apiVersion: `${apiGroup}/v1`, metadata: { name: 'service-outside', namespace } };
  const subjects = [{ kind: 'ServiceAccount', ...serviceAccountIn(namespace) }];
  return [
    { ...common, kind: 'Role', rules: [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get', 'update'] }] },
    { ...common, kind: 'RoleBinding', roleRef: { apiGroup, kind: 'Role', name: 'service-outside' }, subjects },
  ];
}

/**
 * Applies manifests with the account, and returns the path of a kubeconfig with a token of it. Nothing that it asks for until the end of the
 * test may be forbidden, unless the API server is restarted, which forbids everything for a moment.
 */
async function openAccount(
  kubeconfig: string,
  account: Account,
  manifests: readonly Manifest[],
  isRestarted = false,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'account-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await openApiServer(kubeconfig);
  const objects = openObjects(server, account.namespace);
  for (const manifest of manifests) await objects.apply(manifest);
  const own = join(folder, 'kubeconfig');
  await writeAccountKubeconfig(server, account, own);
  await server.close();
  if (!isRestarted) onTestFinished(() => nothingWasForbidden(kubeconfig, account));
  return own;
}

/** What the account is permitted has been enough for everything so far. */
export async function nothingWasForbidden(kubeconfig: string, account: Account): Promise<void> {
  const asked = await readAudit(kubeconfig, account);
  expect(asked).not.toEqual([]);
  expect(asked.filter(({ status }) => status === 403)).toEqual([]);
}

/** The Roles of the service in the namespace. */
export async function serviceRules(namespace: string): Promise<readonly Manifest[]> {
  const installed = await readManifests(join(repository, 'deploy', 'provisioner', 'role.yaml'));
  return [...installed, ...outsideIn(namespace)].filter(({ kind }) => kind === 'Role');
}

/** That of the service, with the Role of an installation for clusters in the namespace. */
export async function openServiceAccount(kubeconfig: string, namespace: string, isRestarted = false): Promise<string> {
  const installed = await Promise.all(files.map((file) => readManifests(join(repository, 'deploy', file))));
  const manifests = [...inNamespace(installed.flat(), namespace), ...outsideIn(namespace)];
  return openAccount(kubeconfig, serviceAccountIn(namespace), manifests, isRestarted);
}

/** That of an operator for all namespaces, with the kinds of the operator. */
export async function openOperatorAccount(kubeconfig: string): Promise<string> {
  const { account, manifests } = await wholeCluster();
  return openAccount(
    kubeconfig,
    account,
    manifests.filter(({ kind }) => kind !== 'Deployment'),
  );
}
