// The guard of the Secrets: whatever RBAC allows to the operator's account, of a Secret it changes nothing but its own finalizer.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Found, type Manifest, openObjects } from '../../../dev/demo/manifests.ts';
import { NotYet, waitUntil } from '../../../dev/demo/waiting.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { toResource } from '../../../src/kube/resource.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { claimCall, releaseCall } from '../../../src/operator/kube/write/writes.ts';
import { limitMs } from '../../support/patience.ts';
import { repository } from '../support/installation.ts';

const kubeconfig = inject('kubeconfig');
const ours = 'dataprocessing.dev/external';
const refused = /ValidatingAdmissionPolicy 'dataprocessing-operator-secrets' .*dataprocessing-operator may /;
const mergePatch = 'application/merge-patch+json';
const secrets = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' };

describe.skipIf(kubeconfig === '')('under the policy', () => {
  // Not the namespace of deploy/: a renamed installation is guarded, too.
  const namespace = `policy-${Math.random().toString(36).slice(2, 8)}`;
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  let folder = '';
  let admin: ApiServer;
  let operator: ApiTransport;
  let other: ApiTransport;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'policy-'));
    admin = await openApiServer(kubeconfig);
    const objects = openObjects(admin, namespace);
    await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const guard = await renderKustomization(join(repository, 'deploy', 'cluster-wide'));
    // Not the policy for the size of a spec: other tests store larger ones in this cluster.
    for (const each of guard.filter(({ metadata }) => metadata.name === 'dataprocessing-operator-secrets'))
      await objects.apply(each);
    for (const each of mayDoAll(namespace)) await objects.apply(each);
    [operator, other] = await Promise.all([actAs('dataprocessing-operator'), actAs('somebody')]);
    // The API server follows new policies a moment later.
    const probe = async () =>
      refused.test(await attempt(operator, create('probe'))) || new NotYet('it is not in force');
    await waitUntil('see the policy in force', probe, { withinMs: limitMs });
  });
  afterAll(async () => {
    await Promise.all([operator.close(), other.close(), admin.close()]);
    await rm(folder, { recursive: true });
  });

  async function actAs(name: string): Promise<ApiTransport> {
    const file = join(folder, name);
    await writeAccountKubeconfig(admin, { namespace, name }, file);
    return createTransport({
      config: await loadClusterConfig({ kubeconfig: file, environment: {}, clock: systemClock }),
      clock: systemClock,
    });
  }

  /** A Secret of its own for each test, with a finalizer of somebody else. */
  async function give(type = 'dataprocessing.dev/credentials'): Promise<Found> {
    const metadata = { generateName: 'given-', finalizers: ['tests/held'], labels: { of: 'tests' } };
    const body = { apiVersion: 'v1', kind: 'Secret', type, metadata, stringData: { token: 'change-me' } };
    return admin.ask<Found>({ method: 'POST', path, body });
  }

  const read = async ({ metadata }: Found): Promise<Found> => admin.ask<Found>({ path: `${path}/${metadata.name}` });
  const create = (name: string): ApiCall => ({
    method: 'POST',
    path,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name } },
  });
  const patch = ({ metadata }: Found, body: object): ApiCall => ({
    method: 'PATCH',
    path: `${path}/${metadata.name}`,
    contentType: mergePatch,
    body,
  });

  test('the finalizer comes and goes by the very requests of the operator, beside that of others', async () => {
    const given = await give();
    const held = toResource(secrets, await operator.request(claimCall(secrets, toResource(secrets, given), undefined)));
    expect(held.metadata.finalizers?.toSorted()).toEqual([ours, 'tests/held']);
    const released = toResource(secrets, await operator.request(releaseCall(secrets, held)));
    expect(released.metadata.finalizers).toEqual(['tests/held']);
    expect({ ...(await read(given)), metadata: {} }).toEqual({ ...given, metadata: {} });
  });

  test('it may also be the last one to go, of a Secret that is being deleted', async () => {
    const given = await give();
    await operator.request(claimCall(secrets, toResource(secrets, given), undefined));
    await admin.ask(adminPatch(given, { metadata: { finalizers: [ours] } }));
    await admin.ask({ method: 'DELETE', path: `${path}/${given.metadata.name}` });
    await operator.request(releaseCall(secrets, toResource(secrets, await read(given))));
    expect((await admin.send({ path: `${path}/${given.metadata.name}` })).status).toBe(404);
  });

  test.each([
    ['data', { data: { token: 'c3RvbGVu' } }],
    ['more data', { stringData: { more: 'stolen' } }],
    ['less data', { data: null }],
    ['labels', { metadata: { labels: { of: 'nobody' } } }],
    ['no labels', { metadata: { labels: null } }],
    ['annotations', { metadata: { annotations: { 'dataprocessing.dev/ledger': '{}' } } }],
    ['its end', { immutable: true }],
    ['an owner', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'b' }] } }],
    ["somebody's finalizer", { metadata: { finalizers: ['tests/held', 'tests/more'] } }],
    ["no finalizer of somebody's", { metadata: { finalizers: [ours] } }],
    ['our finalizer and data', { metadata: { finalizers: ['tests/held', ours] }, data: { token: 'c3RvbGVu' } }],
  ])('a change to %s is refused', async (_, change) => {
    const given = await give();
    expect(await attempt(operator, patch(given, change))).toMatch(refused);
    expect(await read(given)).toEqual(given);
    // The same change is nobody else's trouble.
    expect(await attempt(other, patch(given, change))).toBe('done');
  });

  test('a Secret of another type is none of its business', async () => {
    const given = await give('Opaque');
    expect(await attempt(operator, patch(given, { metadata: { finalizers: ['tests/held', ours] } }))).toMatch(refused);
    expect(await attempt(operator, patch(given, { metadata: { finalizers: [] } }))).toMatch(refused);
  });

  test('creating, replacing and deleting Secrets is refused, even if RBAC allows it', async () => {
    const given = await give();
    const at = `${path}/${given.metadata.name}`;
    const body = { ...given, data: { token: 'c3RvbGVu' } };
    expect(await attempt(operator, { method: 'PUT', path: at, body })).toMatch(refused);
    expect(await attempt(operator, create('made'))).toMatch(refused);
    expect(await attempt(operator, { method: 'DELETE', path: at })).toMatch(refused);
    expect(await attempt(operator, { method: 'DELETE', path })).toMatch(refused);
    expect(await read(given)).toEqual(given);
    expect(await attempt(other, create('made'))).toBe('done');
    expect(await attempt(other, { method: 'DELETE', path: `${path}/made` })).toBe('done');
  });

  test('an administrator does not notice it', async () => {
    const given = await give();
    const changed = await admin.ask<Found>(adminPatch(given, { data: { token: 'bmV3' }, metadata: { labels: null } }));
    expect([changed['data'], changed.metadata['labels' as never]]).toEqual([{ token: 'bmV3' }, undefined]);
  });

  const adminPatch = ({ metadata }: Found, body: object) =>
    ({ method: 'PATCH', path: `${path}/${metadata.name}`, contentType: mergePatch, body }) as const;
});

async function attempt(transport: ApiTransport, call: ApiCall): Promise<string> {
  return transport.request(call).then(
    () => 'done',
    (error: unknown) => String(error),
  );
}

/** More than deploy/ grants, so that it is the policy that refuses. */
const rbac = 'rbac.authorization.k8s.io';
const mayDoAll = (namespace: string): readonly Manifest[] => [
  ...['dataprocessing-operator', 'somebody'].map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
  })),
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: 'everything' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'everything' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'everything' },
    subjects: ['dataprocessing-operator', 'somebody'].map((name) => ({ kind: 'ServiceAccount', name, namespace })),
  },
];
