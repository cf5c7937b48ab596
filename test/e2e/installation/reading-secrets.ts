// What the API server lets the accounts of an installation read of Secrets, and where an installer can get to.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, operatorAccount, writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { type Manifest, openObjects, readManifests } from '../../../dev/demo/manifests.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { oneNamespace, repository } from '../support/installation.ts';
import { type Cluster, demoNamespace as demo } from './cluster.ts';

const rbac = 'rbac.authorization.k8s.io';
const mergePatch = 'application/merge-patch+json';
const ours = 'type=dataprocessing.dev/credentials';
const mine = { name: 'pipeline', namespace: 'default' };

const secretsIn = (namespace?: string): string =>
  `/api/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}secrets`;

/** Namespaces with a Secret each, and roles for all namespaces and for one. */
async function prepare({ server, folder }: Cluster): Promise<void> {
  const objects = openObjects(server, 'default');
  for (const name of ['team-a', 'elsewhere'])
    await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const one = await oneNamespace(join(folder, 'one'), 'team-a');
  const all = await renderKustomization(join(repository, 'deploy', 'quickstart'));
  const installer = await readManifests(join(repository, 'deploy', 'installer', 'role.yaml'));
  for (const manifest of [...all, ...one.manifests, ...installer]) await objects.apply(manifest);
  for (const name of ['team-a', 'elsewhere', demo]) await objects.apply(passwordIn(name));
  await objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: mine });
  await objects.apply(bindingOf('dataprocessing-operator-installer'));
}

type ActAs = (account: Account) => Promise<ApiTransport>;

/** On a cluster without other users: the roles reach the objects of all namespaces, and at the end an installer may do everything. */
export function readSecrets(opened: () => Cluster): void {
  describe('an account', () => {
    const transports: ApiTransport[] = [];
    beforeAll(async () => prepare(opened()));
    afterAll(async () => void (await Promise.all(transports.map(async (each) => each.close()))));

    const actAs: ActAs = async (account) => {
      const { server, folder } = opened();
      const file = join(folder, `${account.namespace}.${account.name}`);
      await writeAccountKubeconfig(server, account, file);
      const config = await loadClusterConfig({ kubeconfig: file, environment: {}, clock: systemClock });
      const transport = createTransport({ config, clock: systemClock });
      transports.push(transport);
      return transport;
    };
    readAsOperator(actAs);
    readAsOthers(actAs);
  });
}

/** The API server follows new roles a moment later. */
async function untilSeen(
  transport: ApiTransport,
  namespace: string | undefined,
  wanted: readonly string[],
): Promise<void> {
  const seen = async () => passwordsSeen(transport, namespace);
  await expect.poll(seen, { timeout: limitMs, interval: 100 }).toEqual(wanted);
}

function readAsOperator(actAs: ActAs): void {
  test('of an operator for all namespaces reads every Secret, of any type', async () => {
    const operator = await actAs(operatorAccount);
    await untilSeen(operator, undefined, [demo, 'elsewhere', 'team-a']);
    // RBAC does not look at the selector with which the operator asks.
    expect(await passwordsSeen(operator, undefined, ours)).toEqual([]);
  });

  test('of an operator for one namespace reads every Secret there, and none elsewhere', async () => {
    const operator = await actAs({ ...operatorAccount, namespace: 'team-a' });
    await untilSeen(operator, 'team-a', ['team-a']);
    for (const namespace of [demo, 'elsewhere', undefined]) {
      expect(await passwordsSeen(operator, namespace)).toMatch(/403|forbidden/i);
      expect(await passwordsSeen(operator, namespace, ours)).toMatch(/403|forbidden/i);
    }
  });
}

function readAsOthers(actAs: ActAs): void {
  test('of the bundled service reads and changes every Secret where its clusters are, and none elsewhere', async () => {
    const service = await actAs({ namespace: demo, name: 'dataprocessing-service' });
    await untilSeen(service, demo, [demo]);
    expect(await attempt(service, patchOf(demo))).toBe('done');
    for (const namespace of ['team-a', 'elsewhere']) {
      expect(await passwordsSeen(service, namespace)).toMatch(/403|forbidden/i);
      expect(await attempt(service, patchOf(namespace))).toMatch(/403|forbidden/i);
    }
  });

  test('of an installer can give itself everything', async () => {
    const pipeline = await actAs(mine);
    expect(await attempt(pipeline, { method: 'GET', path: secretsIn('elsewhere') })).toMatch(/403|forbidden/i);
    const path = `/apis/${rbac}/v1/clusterroles`;
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const extend = (name: string): ApiCall => ({
      method: 'PATCH',
      path: `${path}/${name}`,
      contentType: mergePatch,
      body: { rules },
    });
    expect(await attempt(pipeline, extend('view'))).toMatch(/403|forbidden/i);
    expect(await attempt(pipeline, extend('dataprocessing-operator'))).toBe('done');
    const bind = {
      method: 'POST',
      path: `/apis/${rbac}/v1/clusterrolebindings`,
      body: bindingOf('dataprocessing-operator'),
    };
    expect(await attempt(pipeline, bind as ApiCall)).toBe('done');
    await untilSeen(pipeline, 'elsewhere', ['elsewhere']);
  });
}

const passwordIn = (namespace: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name: 'password', namespace },
  stringData: { password: 'change-me' },
});

const bindingOf = (name: string): Manifest => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: `pipeline-${name}` },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', ...mine }],
});

const patchOf = (namespace: string): ApiCall => ({
  method: 'PATCH',
  path: `${secretsIn(namespace)}/password`,
  contentType: mergePatch,
  body: { stringData: { password: 'changed' } },
});

interface Secrets {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly data?: Readonly<Record<string, string>>;
  }[];
}

/** The namespaces whose password a list shows, or why it was refused. */
async function passwordsSeen(
  transport: ApiTransport,
  namespace?: string,
  fieldSelector?: string,
): Promise<readonly string[] | string> {
  const query = { ...(fieldSelector !== undefined && { fieldSelector }) };
  return transport.request({ method: 'GET', path: secretsIn(namespace), query }).then(
    (answer) => {
      const passwords = (answer as Secrets).items.filter(({ data }) => data?.['password'] !== undefined);
      return passwords.map(({ metadata }) => metadata.namespace);
    },
    (error: unknown) => String(error),
  );
}

const attempt = async (transport: ApiTransport, call: ApiCall): Promise<string> =>
  transport.request(call).then(
    () => 'done',
    (error: unknown) => String(error),
  );
