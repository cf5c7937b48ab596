// An operator with the token of a pod: it is refused once it has expired, and the file holds a new one a little later.
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ApiServer, openApiServer } from '../../../dev/demo/api-server.ts';
import { openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { filesOf } from '../../../dev/plane/directory.ts';
import { inClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { statusBody } from '../../support/kubernetes/api-proxy.ts';
import { below, patience, Scene } from '../support/scene.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const namespace = 'default';

describe.skipIf(inject('kubeconfig') === '')('a token that expires', () => {
  let server: ApiServer;
  let folder: string;
  beforeAll(async () => {
    server = await openApiServer(inject('kubeconfig'));
    folder = await mkdtemp(join(tmpdir(), 'account-'));
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** An account that may what the operator may. */
  async function createAccount(name: string): Promise<void> {
    const objects = openObjects(server, namespace);
    const manifests = await readManifests(join(repository, 'deploy', 'all-namespaces', 'rbac.yaml'));
    const role = manifests.find(({ kind }) => kind === 'ClusterRole');
    if (role === undefined)
      throw new Error('cannot make the account: deploy/all-namespaces/rbac.yaml has no ClusterRole');
    const apiGroup = 'rbac.authorization.k8s.io';
    const metadata = { name };
    await objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await objects.apply({ ...role, metadata });
    await objects.apply({
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  }

  async function requestToken(name: string): Promise<string> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { status } = await server.ask<{ readonly status: { readonly token: string } }>({
      method: 'POST',
      path,
      body,
    });
    return status.token;
  }

  /** As the kubelet does it: a reader sees the old token or the new one, and nothing in between. */
  async function writeToken(token: string): Promise<void> {
    await writeFile(join(folder, 'token.new'), `${token}\n`);
    await rename(join(folder, 'token.new'), join(folder, 'token'));
  }

  test('is told in readiness while it lasts, and the next one is used as soon as it is there', async () => {
    const account = 'operator-with-a-token';
    const files = filesOf(inject('planeDirectory'));
    await createAccount(account);
    const [old, next] = [await requestToken(account), await requestToken(account)];
    const ca = await readFile(files.authority, 'utf8');
    await writeFile(join(folder, 'ca.crt'), ca);
    await writeFile(join(folder, 'namespace'), namespace);
    await writeToken(old);
    await using scene = await Scene.running({
      tls: { cert: await readFile(files.server, 'utf8'), key: await readFile(files.serverKey, 'utf8') },
      config: async ({ port }, clock) => {
        const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
        return inClusterConfig({ environment, clock, folder });
      },
    });
    const { proxy, world } = scene;
    expect(new Set(proxy.passed.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${old}`]));

    const body = statusBody(401, 'Unauthorized', 'Unauthorized');
    proxy.rule({ authorization: `Bearer ${old}`, behave: 'answer', status: 401, body });
    proxy.endWatches({});
    await scene.rescale();
    await expect.poll(() => proxy.seen({ path: below('clusters'), watch: true }).length, patience).toBeGreaterThan(3);
    await scene.unready(/: cannot watch .*: 401 Unauthorized$/);
    expect((await world.remote('clusters')).length).toBe(1);

    await writeToken(next);
    await scene.converges();
    await scene.well();
    expect(proxy.passed.at(-1)?.authorization).toBe(`Bearer ${next}`);
    expect(proxy.watches().every(({ authorization }) => authorization === `Bearer ${next}`)).toBe(true);
  });
});
