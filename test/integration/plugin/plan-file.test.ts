// `plan -f` on a real API server: it shows what the operator does once the file is applied, and writes nothing anywhere.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { FilePlan, FilePlans } from '../../../src/cli/preview/file-plans.ts';
import { writeDocuments } from '../../../src/kube/yaml/write.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/definitions.ts';
import { limitMs } from '../../support/patience.ts';
import { type Resource, runCluster, specs, tokenAuth, tokenSecret, World } from '../support/world.ts';
import { runPlugin, type Told, userWhoMay } from './run-plugin.ts';

const kubeconfig = inject('kubeconfig');
const of = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec });
const scaled = { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 3 }] };

describe.skipIf(kubeconfig === '')('plan -f', () => {
  let world: World;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-file-'));
    world = await World.create({ token: 'open-sesame' });
    await world.apply('Secret', 'token', tokenSecret);
    await runCluster(world, tokenAuth);
    await world.apply('Cluster', 'grouped', specs.ofJobs);
    await world.ready('Cluster', 'grouped');
    // From now on, each request to the service and each write is one of the plugin.
    await world.halt();
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function planned(objects: readonly object[], path?: string): Promise<Told & FilePlans> {
    const file = join(folder, `${randomUUID()}.yaml`);
    await writeFile(file, writeDocuments(objects));
    const told = await runPlugin(['plan', '-f', file, '-o', 'json'], { namespace: world.namespace, path });
    return { ...told, ...(JSON.parse(told.output || '{}') as FilePlans) };
  }

  const planFor = ({ plans }: FilePlans, kind: string, name: string): FilePlan | undefined =>
    plans.find((one) => one.kind === kind && one.name === name);

  async function versions(): Promise<readonly string[]> {
    const kinds = [...definitions.filter(({ scope }) => scope !== 'Cluster').map(({ kind }) => kind), 'Secret'];
    const lists = await Promise.all(kinds.map(async (kind) => (await world.api.send({ path: world.path(kind) })).body));
    const items = lists.flatMap((list) => (list as { readonly items: readonly Resource[] }).items);
    return items.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).toSorted();
  }

  test('tells for each object what would be done, and writes nothing to the service or to Kubernetes', async () => {
    const before = await versions();
    world.forget();
    const told = await planned([
      of('Cluster', 'etl', scaled),
      of('ClusterTemplate', 'small', specs.small),
      of('JobBinary', 'fresh', specs.program),
      of('NodeGroupTemplate', 'fresh', specs.worker),
      of('ClusterTemplate', 'fresh', {
        ...specs.small,
        nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'fresh' } }],
      }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: {} },
    ]);
    expect(world.external.length).toBeGreaterThan(0);
    expect(world.external.filter((line) => !line.startsWith('GET ') || line.endsWith('/cancel'))).toEqual([]);
    expect(await versions()).toEqual(before);
    expect([told.code, told.lines]).toEqual([1, []]);
    expect(planFor(told, 'Cluster', 'etl')).toMatchObject({
      object: 'changed',
      state: 'changes',
      plan: { verb: 'Scale', destructive: false, changes: [{ from: '2', to: '3' }] },
    });
    expect(planFor(told, 'ClusterTemplate', 'small')).toMatchObject({ object: 'unchanged', state: 'nothing' });
    expect(planFor(told, 'JobBinary', 'fresh')).toMatchObject({
      object: 'created',
      state: 'changes',
      plan: { verb: 'Create', object: 'JobBinary fresh-(generated).sh' },
    });
    expect(planFor(told, 'ClusterTemplate', 'fresh')).toMatchObject({
      state: 'waits',
      message: 'waits for NodeGroupTemplate fresh, which FILE creates',
    });
    expect(told.notLookedAt).toEqual([{ kind: 'ConfigMap', namespace: world.namespace, name: 'other' }]);
    expect(told.output).not.toContain('open-sesame');
  });

  test('exits with 0 where nothing would change, and with 2 where the API server refuses an object', async () => {
    expect(await planned([of('Cluster', 'etl', specs.cluster)])).toMatchObject({ code: 0 });
    const told = await planned([of('Cluster', 'etl', { ...specs.cluster, nodeGruops: [] })]);
    expect(told).toMatchObject({ code: 2, plans: [{ object: 'refused', state: 'refused' }] });
    expect(told.plans[0]?.message).toContain('nodeGruops');
    await world.api.send({
      method: 'POST',
      path: world.path('JobBinary'),
      body: of('JobBinary', 'posted', specs.program),
    });
    const last = JSON.stringify(of('JobBinary', 'posted', { ...specs.program, description: 'gone' }));
    await world.annotate('JobBinary', 'posted', { 'kubectl.kubernetes.io/last-applied-configuration': last });
    expect(await planned([of('JobBinary', 'posted', specs.program)])).toMatchObject({
      code: 1,
      plans: [{ state: 'changes' }],
    });
  });

  test('what depends on the file is told, too: a template that gets another revision, and the Cluster of a NodeGroup', async () => {
    const told = await planned([
      of('NodeGroupTemplate', 'worker', { ...specs.worker, flavorID: '3' }),
      of('NodeGroup', 'workers', { clusterRef: { name: 'grouped' }, nodeGroup: 'all', count: 4 }),
    ]);
    expect(planFor(told, 'NodeGroupTemplate', 'worker')).toMatchObject({ state: 'changes', plan: { verb: 'Create' } });
    expect(planFor(told, 'NodeGroupTemplate', 'worker')?.notes.join()).toMatch(/^then NodeGroupTemplate .* is deleted/);
    expect(planFor(told, 'ClusterTemplate', 'small')).toMatchObject({
      object: 'affected',
      state: 'waits',
      message: 'waits for NodeGroupTemplate worker, which FILE changes',
    });
    expect(planFor(told, 'NodeGroup', 'workers')).toMatchObject({ state: 'nothing' });
    expect(planFor(told, 'Cluster', 'grouped')).toMatchObject({ object: 'affected', plan: { verb: 'Scale' } });
  });

  test('an object that is adopted is compared, and adopted once', async () => {
    const answer = await fetch(`${world.service.url}/v1.1/demo/job-binaries`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': 'open-sesame' },
      body: JSON.stringify({ name: 'theirs', ...specs.program }),
    });
    const { job_binary: theirs } = (await answer.json()) as { readonly job_binary: { readonly id: string } };
    const adopting = { ...specs.program, adopt: { id: theirs.id } };
    const told = await planned(['one', 'two'].map((name) => of('JobBinary', name, adopting)));
    expect(planFor(told, 'JobBinary', 'one'), told.output).toMatchObject({ object: 'created', state: 'nothing' });
    expect(planFor(told, 'JobBinary', 'one')?.notes.join()).toContain('adopted JobBinary theirs');
    expect(planFor(told, 'JobBinary', 'two')).toMatchObject({ state: 'refused' });
    expect(planFor(told, 'JobBinary', 'two')?.message).toMatch(/^DuplicateClaim: .*one/);
  });

  test('what a Connection of the file leads to is not known before it is applied', async () => {
    const connection = { endpoint: world.service.url, tenantID: 'demo' };
    const told = await planned([
      of('Connection', 'fresh', connection),
      of('JobBinary', 'behind', { ...specs.program, connectionRef: { name: 'fresh' } }),
    ]);
    expect(told.code).toBe(1);
    expect(planFor(told, 'Connection', 'fresh')).toMatchObject({ object: 'created', state: 'nothing' });
    expect(planFor(told, 'JobBinary', 'behind')).toMatchObject({
      state: 'waits',
      message: 'waits for Connection fresh, which FILE creates',
    });
    world.forget();
    const moved = await planned([
      of('Connection', 'default', {
        ...connection,
        ...tokenAuth,
        endpoint: 'http://127.0.0.1:1',
        formerEndpoints: [world.service.url],
      }),
      of('Cluster', 'etl', scaled),
    ]);
    expect(moved).toMatchObject({ code: 2, plans: [{ state: 'nothing' }, { state: 'unknown' }] });
    expect(moved.plans[1]?.message).toContain('FILE changes Connection default');
    expect(world.external).toEqual([]);
  });

  test('without the right to read the Secret, the service is not known, and nothing is guessed', async () => {
    const path = await userWhoMay(world, 'planner', {
      resources: ['*'],
      verbs: ['get', 'list', 'create', 'patch'],
    });
    world.forget();
    const told = await planned([of('Cluster', 'etl', scaled)], path);
    expect(world.external).toEqual([]);
    expect(told).toMatchObject({ code: 2, plans: [{ state: 'unknown', object: 'changed' }] });
    const [plan] = told.plans;
    expect(plan?.message).toContain('you may not read Secret "token"');
    expect(plan).not.toHaveProperty('plan');
    expect(plan?.spec).toEqual([{ path: 'spec.nodeGroups', to: '[{"count":3,"name":"worker"}]' }]);
    expect(plan?.notes.join()).toContain('Whether the service has been changed since is not known');
    expect(told.warnings.join()).toContain('you may not list the resources of other namespaces');
  });

  test('the plan is the one that the operator makes once the file is applied: it has the same hash', async () => {
    const spec = { ...scaled, policy: 'Plan' };
    const { hash } = planFor(await planned([of('Cluster', 'etl', spec)]), 'Cluster', 'etl')?.plan ?? {};
    expect(hash).toMatch(/^\w{16}$/);
    await world.operate();
    await world.apply('Cluster', 'etl', spec);
    const plan = async () =>
      ((await world.get('Cluster', 'etl'))?.status as { readonly plan?: object } | undefined)?.plan;
    await expect.poll(plan, { timeout: limitMs }).toMatchObject({ hash });
  });
});
