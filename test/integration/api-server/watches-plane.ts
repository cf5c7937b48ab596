// An API server that is restarted, and definitions that are changed, deleted and made again, under a running operator.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { crdName, toCustomResourceDefinition } from '../../../dev/generate/crd.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { below, patience, Scene } from '../support/scene.ts';
import { conditionOf } from '../support/world.ts';

const definition = definitions.find(({ kind }) => kind === 'Cluster') ?? never();
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(definition)}`;
const ledger = 'dataprocessing.dev/ledger';
const clusterWatch = { path: below('clusters'), watch: true };

/** There may be no Cluster but its own: the definition is deleted, and waits for all of them to go. */
export function changesAreFollowed(plane: () => Plane): void {
  describe('an API server of its own', () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await Scene.running({ kubeconfig: plane().kubeconfig });
    });
    afterAll(() => scene?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      scene.proxy.calm();
      await scene.rescale();
      await scene.converges();
      await scene.well();
    });

    test('that is restarted is followed again, and nothing is made or deleted', async () => {
      const { world, proxy } = scene;
      const before = (await world.get('Cluster', 'etl'))?.status?.id;
      world.forget();
      const open = proxy.watches();
      const restarting = plane().restartApiServer();
      // New ones can be under way before the last of these has ended.
      await expect.poll(() => proxy.watches().filter((one) => open.includes(one)).length, patience).toBe(0);
      await restarting;
      await scene.rescale();
      expect((await scene.converges()).status?.id).toBe(before);
      await scene.well();
      expect(world.external.filter((line) => /^(POST|DELETE)/.test(line))).toEqual([]);
    });

    test('whose definition of a kind changes closes its watches, which go on', async () => {
      const { world, proxy } = scene;
      const before = proxy.seen(clusterWatch).length;
      const changed = structuredClone(toCustomResourceDefinition(definition)) as unknown as Crd;
      for (const { schema } of changed.spec.versions) schema.openAPIV3Schema.description = 'A cluster, in other words.';
      expect((await world.api.apply(crdPath, changed)).status).toBe(200);
      await expect.poll(() => proxy.seen(clusterWatch).length, patience).toBeGreaterThan(before);
      await scene.rescale();
      await scene.converges();
      await scene.well();
    });

    /** Until the API server does not know the kind any more. */
    const unserved = async () =>
      await expect
        .poll(async () => (await scene.world.api.send({ path: `/apis/${apiVersion}/clusters` })).status, patience)
        .toBe(404);

    test('where a definition is deleted ends its objects like anybody who deletes them, and makes one anew with the next', async () => {
      const { world, proxy } = scene;
      await world.api.send({ method: 'DELETE', path: crdPath });
      await unserved();
      expect(await world.remote('clusters')).toEqual([]);
      await expect.poll(() => proxy.seen(clusterWatch).at(-1)?.status, patience).toBe(404);
      await scene.unready(/cannot (watch|list) clusters.*: 404 .*CustomResourceDefinition/);
      await applyCrds(plane().kubeconfig);
      await scene.rescale();
      await scene.converges();
      await scene.well();
    });

    test('that loses a definition and its objects unseen, and gets them back from a backup, costs no cluster', async () => {
      const { world, proxy } = scene;
      const { status, metadata } = (await world.get('Cluster', 'etl')) ?? never();
      proxy.rule({ behave: 'answer', status: 503, body: 'no healthy upstream\n' });
      proxy.endWatches({});
      world.forget();
      await world.api.send({ method: 'DELETE', path: crdPath });
      const path = `/apis/${apiVersion}/namespaces/${world.namespace}/clusters/etl`;
      await world.api.send({ method: 'PATCH', path, body: { metadata: { finalizers: null } } });
      await unserved();
      await applyCrds(plane().kubeconfig);
      await scene.rescale();
      await world.annotate('Cluster', 'etl', { [ledger]: metadata.annotations?.[ledger] ?? '' });
      proxy.calm();
      // Whether it is taken for the one that it was is not for the watches to say.
      const restored = await world.until('Cluster', 'etl', (one) => conditionOf(one, 'Ready') !== undefined);
      expect(restored.metadata.uid).not.toBe(metadata.uid);
      await scene.well();
      expect((await world.remote('clusters')).map(({ id }) => id)).toEqual([status?.id]);
      expect(world.external.filter((line) => /^(POST|DELETE)/.test(line))).toEqual([]);

      await world.delete('Cluster', 'etl');
      await world.gone('Cluster', 'etl');
      await fetch(`${world.service.url}/v1.0/demo/clusters/${status?.id}`, { method: 'DELETE' });
    });
  });
}

interface Crd {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: { description?: string } } }[];
  };
}

function never(): never {
  throw new Error('there is no Cluster');
}
