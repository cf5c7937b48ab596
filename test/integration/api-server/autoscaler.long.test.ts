// The HorizontalPodAutoscaler of docs/how-to/scale.md on a NodeGroup, by the real controller of Kubernetes, which has its default permissions.
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startPlane } from '../../../dev/plane/plane.ts';
import { readPage, yamlIn } from '../../e2e/support/documents.ts';
import type { Json } from '../../operator/kinds/support/sample.ts';
import { clusterSample } from '../../operator/kinds/support/samples.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { limitMs } from '../../support/patience.ts';
import { serveMetric } from '../support/external-metrics.ts';
import { type Condition, type Resource, World } from '../support/world.ts';

interface Autoscaler {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly minReplicas: number;
    readonly metrics: readonly [{ readonly external: { readonly metric: { readonly name: string } } }];
    readonly behavior: { readonly scaleDown: { readonly policies: readonly object[] } };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The manifest of this kind on the page that does not scale by itself. */
function documented<T>(kind: string): T {
  const manifests = yamlIn(readPage('docs/how-to/scale.md'));
  const found = manifests.filter(
    ({ kind: own, spec }) => own === kind && !Object.hasOwn(spec as object, 'autoscaling'),
  );
  expect(found).toHaveLength(1);
  return found[0] as T;
}

/** As documented, but scaling down waits for nothing. */
function impatient(autoscaler: Autoscaler): Autoscaler {
  const { scaleDown } = autoscaler.spec.behavior;
  const policies = scaleDown.policies.map((policy) => ({ ...policy, periodSeconds: 1 }));
  const behavior = { scaleDown: { ...scaleDown, stabilizationWindowSeconds: 0, policies } };
  return { ...autoscaler, spec: { ...autoscaler.spec, behavior } };
}

const names: Json = { worker: 'worker', small: 'small' };

/** The Cluster to which the NodeGroup of the page belongs, and the NodeGroup. */
async function start(world: World): Promise<void> {
  await world.operate();
  await world.connectService();
  for (const need of clusterSample.needs) await world.apply(need.kind, need.as, need.spec(names));
  const spec = { ...(clusterSample.spec(names) as object), nodeGroups: [{ name: 'worker', count: 1 }] };
  await world.apply('Cluster', 'analytics', spec);
  await world.apply('NodeGroup', 'workers', documented<{ readonly spec: object }>('NodeGroup').spec);
  await world.ready('NodeGroup', 'workers');
}

const countOf = (resource: Resource): unknown => (resource.status as { readonly count?: unknown } | undefined)?.count;

/** Belongs to an object that is gone. */
const owned = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'owned',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'd3b07384-d9a0-4c4a-8a5e-0e0a0c1f2b3d' },
    ],
  },
};

/** The NodeGroup, after the autoscaler at this path has set its count to this one. */
async function scaledTo(world: World, path: string, count: number): Promise<Resource> {
  await world.until('NodeGroup', 'workers', (one) => countOf(one) === count);
  await vi.waitFor(
    async () => {
      const { status } = (await world.api.send({ path })).body as Autoscaler;
      for (const type of ['AbleToScale', 'ScalingActive'])
        expect(status?.conditions).toContainEqual(expect.objectContaining({ type, status: 'True' }));
    },
    { timeout: limitMs, interval: 200 },
  );
  const [cluster] = await world.remote('clusters');
  expect(cluster?.node_groups).toContainEqual(expect.objectContaining({ name: 'worker', count }));
  await world.ready('Cluster', 'analytics');
  return world.ready('NodeGroup', 'workers');
}

test.skipIf(inject('kubeconfig') === '')('an autoscaler scales a cluster up and down with its metric', async () => {
  const plane = await startPlane({ controllerManager: true });
  onTestFinished(async () => plane.stop());
  // The controller manager learns at its start which kinds there are, and then every 30 s.
  await applyCrds(plane.kubeconfig);
  await plane.restartApiServer();
  await using world = await World.create({ kubeconfig: plane.kubeconfig, stageMs: 50 });
  // At once, which is when the controller manager minds most.
  expect((await world.api.apply(world.path('ConfigMap', 'owned'), owned)).status).toBe(201);
  await start(world);
  const autoscaler = impatient(documented<Autoscaler>('HorizontalPodAutoscaler'));
  await using metric = await serveMetric(plane, world, autoscaler.spec.metrics[0].external.metric.name);
  const path = `/apis/autoscaling/v2/namespaces/${world.namespace}/horizontalpodautoscalers/${autoscaler.metadata.name}`;
  metric.value = 20;
  expect((await world.api.apply(path, autoscaler)).status).toBe(201);
  const up = await scaledTo(world, path, 5);
  metric.value = 1;
  const down = await scaledTo(world, path, autoscaler.spec.minReplicas);
  // Two at a time, and each count once: neither the controller nor the operator takes anything back.
  expect([up, down].map(({ metadata }) => metadata.generation)).toEqual([2, 4]);
  // Garbage is collected after a restart, too.
  await world.gone('ConfigMap', 'owned');
});
