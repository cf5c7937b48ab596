// Who can install the operator in one namespace: an administrator. Its owner must not write status, so he cannot grant that either.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, type Objects, openObjects, titleOf } from '../../../dev/demo/manifests.ts';
import { group } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { repository, writeOverlay } from '../support/installation.ts';

const kubeconfig = inject('kubeconfig');
const namespace = `owned-${Math.random().toString(36).slice(2, 8)}`;
const rbac = 'rbac.authorization.k8s.io';
/** What the role `admin` is put together from; the controller that does so does not run here. */
const parts = ['view', 'edit', 'admin'].map((name) => `system:aggregate-to-${name}`);
const ours = ['dataprocessing-operator-view', 'dataprocessing-operator-edit'];

const bindingTo = (name: string): Manifest => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name: `owner-${name.replace(':', '-')}`, namespace },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', name: 'owner', namespace }],
});

/** Those that the API server does not take, and its words. */
async function refusals(objects: Objects, manifests: readonly Manifest[]): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  for (const manifest of manifests)
    await objects.apply(manifest).catch((error: unknown) => refused.set(titleOf(manifest), String(error)));
  return refused;
}

interface ClusterRole {
  readonly rules: readonly { readonly apiGroups?: readonly string[]; readonly verbs: readonly string[] }[];
}

/** The role `edit` of older versions of Kubernetes, such as 1.30, knows Events only in the core group. */
async function canRecordEvents(server: Pick<ApiServer, 'ask'>): Promise<boolean> {
  const path = `/apis/${rbac}/v1/clusterroles/system:aggregate-to-edit`;
  const { rules } = await server.ask<ClusterRole>({ path });
  return rules.some(({ apiGroups = [], verbs }) => apiGroups.includes('events.k8s.io') && verbs.includes('create'));
}

describe.skipIf(kubeconfig === '')('deploy/namespaced', () => {
  test('is for an administrator: the owner of the namespace lacks the permission to write status, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'owner-'));
    onTestFinished(async () => rm(folder, { recursive: true }));
    const administrator = await openApiServer(kubeconfig);
    onTestFinished(() => administrator.close());
    const all = openObjects(administrator, namespace);
    await all.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await all.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'owner', namespace } });
    const roles = await renderKustomization(join(repository, 'deploy', 'cluster-wide'));
    for (const each of roles.filter(({ kind }) => kind === 'ClusterRole')) await all.apply(each);
    for (const name of [...parts, ...ours]) await all.apply(bindingTo(name));
    await writeAccountKubeconfig(administrator, { namespace, name: 'owner' }, join(folder, 'owner'));
    const owner = await openApiServer(join(folder, 'owner'));
    onTestFinished(() => owner.close());

    await writeOverlay(join(folder, 'overlay'), namespace);
    const manifests = await renderKustomization(join(folder, 'overlay'));
    const refused = await refusals(openObjects(owner, namespace), manifests);
    expect([...refused.keys()].toSorted()).toEqual([
      'Role dataprocessing-operator',
      'RoleBinding dataprocessing-operator',
    ]);
    const why = `${refused.get('Role dataprocessing-operator')}`;
    expect(why).toContain('is attempting to grant RBAC permissions not currently held');
    const lacked = [...why.matchAll(/\{APIGroups:\["(.*?)"\], Resources:\["(.*?)"\], Verbs:\[(.*?)\]\}/g)].map(
      ([, owner, what, verbs]) => `${verbs} ${what}.${owner}`,
    );
    const own = definitions.filter(({ scope }) => scope === undefined);
    const statuses = own.map(({ plural }) => `"patch" ${plural}/status.${group}`);
    const events = (await canRecordEvents(administrator)) ? [] : ['"create" "patch" events.events.k8s.io'];
    expect(lacked.toSorted()).toEqual([...statuses, ...events].toSorted());
    expect(await refusals(all, manifests)).toEqual(new Map());
  });
});
