// An operator that is to watch several namespaces, and may not read one of them, or may not any more: the others go on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeAccountKubeconfig } from '../../../dev/demo/account.ts';
import { openApiServer } from '../../../dev/demo/api-server.ts';
import { crdName, toCustomResourceDefinition } from '../../../dev/generate/crd.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';
import { keptLog } from '../support/kept-log.ts';
import { conditionOf, type Resource, specs, World, type WorldOptions } from '../support/world.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const patience = { timeout: limitMs, interval: 100 };
const other = 'team-other';

const bindingPath = (namespace: string) => `/apis/${rbac}/namespaces/${namespace}/rolebindings/operator`;

/** The account of an operator, which may read only the namespaces that are granted. */
interface Reader {
  readonly api: ApiServer;
  readonly grant: (namespace: string) => Promise<void>;
  /** A world whose operator has this account. */
  open(options?: WorldOptions): Promise<World>;
}

async function openReader(kubeconfig: string, folder: string): Promise<Reader> {
  const api = await connect(kubeconfig);
  await createNamespace(api, other);
  await createNamespace(api, 'operators');
  const account = { namespace: 'operators', name: 'operator' };
  await api.apply('/api/v1/namespaces/operators/serviceaccounts/operator', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'operator' },
  });
  const server = await openApiServer(kubeconfig);
  const own = join(folder, 'config');
  await writeAccountKubeconfig(server, account, own);
  await server.close();
  return {
    api,
    grant: (namespace) => grant(api, namespace),
    open: async (options = {}) => {
      const cluster = await loadClusterConfig({ kubeconfig: own, environment: {}, clock: systemClock });
      return World.create({ ...options, kubeconfig, cluster });
    },
  };
}

async function grant(api: ApiServer, namespace: string): Promise<void> {
  const role = { apiVersion: rbac, kind: 'Role', metadata: { name: 'operator' }, rules };
  await api.apply(`/apis/${rbac}/namespaces/${namespace}/roles/operator`, role);
  const answer = await api.apply(bindingPath(namespace), {
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
    subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace: 'operators' }],
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

/** A watch outlives the permission to begin one: a change of the definitions ends them all. */
async function endWatches(api: ApiServer): Promise<void> {
  for (const definition of definitions) {
    const crd = structuredClone(toCustomResourceDefinition(definition)) as unknown as Crd;
    for (const { schema } of crd.spec.versions) schema.openAPIV3Schema.description = `Once more: ${Math.random()}.`;
    await api.apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(definition)}`, crd);
  }
}

/** For the tests of one suite. */
export function useReader(plane: () => Plane): () => Reader {
  let folder: string;
  let reader: Reader;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'namespaces-'));
    reader = await openReader(plane().kubeconfig, folder);
  });
  afterAll(async () => {
    await reader?.api.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => reader;
}

/** Leaves other words in all definitions. */
export function othersGoOn(readerOf: () => Reader): void {
  test('is left alone and named, the others are worked on, and it goes on when it may be read', async () => {
    const reader = readerOf();
    const { api, grant } = reader;
    const { lines, log } = keptLog();
    await using world = await reader.open({ alsoWatches: [other], log });
    const there = (kind: string, name: string) => world.path(kind, name).replace(world.namespace, other);
    const apply = (kind: string, name: string, spec: object) =>
      api.apply(there(kind, name), { apiVersion: 'dataprocessing.dev/v1alpha1', kind, metadata: { name }, spec });
    const ready = async (name: string) =>
      conditionOf((await api.send({ path: there('NodeGroupTemplate', name) })).body as Resource, 'Ready')?.status;
    const readyz = async () => world.ask('/readyz');
    const forbidden = async () => {
      const { text } = await world.ask('/metrics');
      return /^dataprocessing_operator_namespace_forbidden\{watched_namespace="team-other"\} (\d)$/m.exec(text)?.[1];
    };

    await grant(world.namespace);
    // Begins with one that may not be read.
    await world.operate(fastClock(5));
    await world.connectService();
    await apply('Connection', 'default', { endpoint: world.service.url, tenantID: 'demo' });
    await apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    expect(await readyz()).toMatchObject({
      status: 200,
      text: expect.stringContaining(`permission to read: ${other}`),
    });
    expect(await forbidden()).toBe('1');
    expect(lines.filter((line) => line.includes(`in namespace ${other}`) && line.startsWith('warn'))).not.toEqual([]);
    expect(await ready('worker')).toBe('Unknown');

    await grant(other);
    await expect.poll(() => ready('worker'), patience).toBe('True');
    expect(await forbidden()).toBe('0');
    expect((await readyz()).text).not.toContain(other);

    // Lost while it runs: what it held stays known, and nothing is done for it.
    await api.send({ method: 'DELETE', path: bindingPath(other) });
    await endWatches(api);
    await expect.poll(forbidden, patience).toBe('1');
    expect((await readyz()).status).toBe(200);
    await apply('NodeGroupTemplate', 'late', specs.worker);
    await world.apply('NodeGroupTemplate', 'another', { ...specs.worker, flavorID: '3' });
    await world.ready('NodeGroupTemplate', 'another');
    expect(await ready('late')).toBe('Unknown');
    await grant(other);
    await expect.poll(() => ready('late'), patience).toBe('True');
  });
}

export function operatorIsUnready(readerOf: () => Reader): void {
  test('makes the operator unready where there is no other, and begins when it may be read', async () => {
    const reader = readerOf();
    await using world = await reader.open();
    const started = world.operate(fastClock(5));
    const text = async () => (await world.ask('/readyz')).text;
    await expect.poll(text, patience).toContain(`permission to read: ${world.namespace} (Cluster,`);
    expect((await world.ask('/readyz')).status).toBe(503);
    await reader.grant(world.namespace);
    await started;
    await world.connectService();
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
  });
}

interface Crd {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: { description?: string } } }[];
  };
}
