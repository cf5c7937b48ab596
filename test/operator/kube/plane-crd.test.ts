// A kind that is not there yet, goes, and comes back, on a real API server; and what a user without rights is told.

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { writeKubeconfig } from '../../../dev/plane/kubeconfig.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { loadClusterConfig } from '../../../src/operator/kube/config/config.ts';
import { createTransport } from '../../../src/operator/kube/http/transport.ts';
import { collectionPath, objectPath } from '../../../src/operator/kube/resource-kind.ts';
import { crdPath, type Follower, installCrd, noPlane, PlaneBench, testKind } from './support/plane-bench.ts';
import { fixedRandom, until } from './support/ports.ts';

describe.skipIf(noPlane)('on a real API server', () => {
  let bench: PlaneBench;
  let follower: Follower;

  beforeAll(async () => {
    bench = await PlaneBench.open('kube-crd');
  });
  afterAll(() => bench?.close());
  afterEach(() => follower?.stop());

  async function mayRead(user: string): Promise<void> {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${bench.namespace}`;
    const apiGroup = 'rbac.authorization.k8s.io';
    const common = { apiVersion: `${apiGroup}/v1`, metadata: { name: 'reader' } };
    const rules = [{ apiGroups: ['test.dataprocessing.dev'], resources: ['widgets'], verbs: ['list', 'watch'] }];
    const answers = [
      await bench.server.apply(`${path}/roles/reader`, { ...common, kind: 'Role', rules }),
      await bench.server.apply(`${path}/rolebindings/reader`, {
        ...common,
        kind: 'RoleBinding',
        roleRef: { apiGroup, kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup, kind: 'User', name: user }],
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  }

  it('a kind may come late, go and come back', async () => {
    const kind = testKind('Gizmo');
    const key = { kind: 'Gizmo', namespace: bench.namespace, name: 'one' };
    const apply = () =>
      bench.server.apply(objectPath(kind, key), {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name: key.name },
        spec: { size: 1 },
      });
    follower = bench.follow({ resources: [kind], random: fixedRandom(0.01) });
    const failing = () => follower.store.health().sources[0]?.failing;
    await until('its absence is known', () => failing()?.includes('CustomResourceDefinition') ?? false);
    expect(follower.store.synced('Gizmo')).toBe(false);
    await expect(follower.store.readFresh(key)).rejects.toMatchObject({ category: 'unreachable' });

    await installCrd(bench.server, kind);
    await until('an object can be made', async () => (await apply()).status < 300);
    await until('it is seen', () => follower.store.read(key) !== undefined);
    expect(failing()).toBeUndefined();

    await bench.server.send({ method: 'DELETE', path: crdPath(kind) });
    await until(
      'the kind is gone',
      async () => (await bench.server.send({ path: collectionPath(kind) })).status === 404,
    );
    await until('its absence is known again', () => failing()?.includes('CustomResourceDefinition') ?? false);
    expect(follower.changes.map(({ current }) => current === undefined)).toEqual([false, true]);

    await installCrd(bench.server, kind);
    await until('an object can be made again', async () => (await apply()).status < 300);
    await until('it is seen again', () => follower.store.read(key) !== undefined);
    await bench.server.send({ method: 'DELETE', path: crdPath(kind) });
  });

  it('a user without rights is forbidden, and the source keeps asking until it may', async () => {
    const user = 'kube-crd-stranger';
    const kubeconfig = await writeKubeconfig(inject('planeDirectory'), { name: user, groups: [] });
    const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
    const transport = createTransport({ config, clock: systemClock });
    await bench.apply('locked', { size: 1 });
    follower = bench.follow({ transport, random: fixedRandom(0.01) });
    await until('it is refused', () => follower.store.health().sources[0]?.failing?.includes('forbidden') ?? false);
    const object = (await bench.get('locked')) ?? never();
    await expect(follower.store.writeStatus(object, { phase: 'x' })).rejects.toMatchObject({ category: 'forbidden' });

    await mayRead(user);
    await follower.synced();
    expect(follower.store.health().sources[0]?.failing).toBeUndefined();
    await transport.close();
  });
});

function never(): never {
  throw new Error('the object is not there');
}
