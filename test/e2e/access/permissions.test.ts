// What deploy/ grants to the operator is what it uses: nothing is missing, and nothing is there that it could do without.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { limitMs } from '../../support/patience.ts';
import { type Bench, useBench } from '../support/bench.ts';
import { applyAll, expectNothing, removeAll, untilGone, untilReady } from '../support/checks.ts';
import { granted, used } from '../support/grants.ts';
import { added, lastingOf, live, setStage, untilRefused } from './life.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 100 };

describe.skipIf(kubeconfig === '')('an operator for all namespaces', () => {
  let plane: Plane | undefined;
  beforeAll(async () => {
    // It would take care of the objects of all other tests, too.
    plane = await startPlane();
  });
  afterAll(async () => plane?.stop());
  const bench = useBench(() => plane?.kubeconfig ?? '', 'all', 'whole cluster');

  test('is granted what it uses', async () => {
    const { objects } = bench();
    const stage = await setStage(bench(), plane?.kubeconfig ?? '', true);
    const namespace = `${bench().namespace}-other`;
    await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const elsewhere = stage.manifests
      .filter(({ kind }) => ['Secret', 'Connection', 'NodeGroupTemplate'].includes(kind))
      .map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata, namespace } }));
    await applyAll(objects, elsewhere);
    await live(bench(), stage);
    await untilReady(objects, elsewhere);
    await expectExactly(bench());
    await removeAll(objects, [...stage.manifests, ...elsewhere, ...added]);
    await untilGone(objects, [...stage.manifests, ...elsewhere, ...added]);
    await expectNothing(bench().tenant(stage.url));
  });
});

describe.skipIf(kubeconfig === '')('an operator for one namespace', () => {
  const bench = useBench(kubeconfig, 'one');

  // The test above shows that each permission is used: this Role is that one without what is beyond a namespace. A missing one is a 403.
  test('works with what it is granted, and leaves all other namespaces alone', async () => {
    const { objects } = bench();
    const { account, url, manifests } = await setStage(bench(), kubeconfig, false);
    const namespace = `${bench().namespace}-other`;
    await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const elsewhere = manifests.map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata, namespace } }));
    await applyAll(objects, elsewhere);
    const before = await Promise.all(elsewhere.map(async (manifest) => objects.read(manifest)));
    await bench().startOperator('--kubeconfig', account);
    await applyAll(objects, manifests);
    await untilReady(objects, lastingOf(manifests));
    await untilRefused(bench(), manifests);
    await removeAll(objects, manifests);
    await untilGone(objects, manifests);
    expect(await Promise.all(elsewhere.map(async (manifest) => objects.read(manifest)))).toEqual(before);
    await expectNothing(bench().tenant(url));
    const namespaces = new Set((await bench().asked()).map((asked) => asked.namespace));
    expect([...namespaces]).toEqual([bench().namespace]);
    // Nothing beyond the namespace is granted, so nothing beyond it could have been used.
    expect(bench().installation.manifests.filter(({ kind }) => kind === 'ClusterRoleBinding')).toEqual([]);
  });
});

/** Used, by what the API server itself has recorded. */
async function expectExactly(bench: Bench): Promise<void> {
  const wanted = granted(bench.installation.manifests);
  expect(wanted.length).toBeGreaterThan(20);
  await expect.poll(async () => used(await bench.asked()), patience).toEqual(wanted);
}
