// The whole life under the Role of one namespace. What the operator uses for all namespaces, exactly: permissions.test.ts.
import { describe, inject, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { expectNothing, removeAll, untilGone } from '../support/checks.ts';
import { added, live, setStage } from './life.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('an operator for one namespace', () => {
  // What is forbidden fails the bench.
  const bench = useBench(kubeconfig, 'whole-life');

  test('is forbidden nothing in the whole life of its objects', async () => {
    const { objects } = bench();
    const stage = await setStage(bench(), kubeconfig, false);
    await live(bench(), stage);
    await removeAll(objects, [...stage.manifests, ...added]);
    await untilGone(objects, [...stage.manifests, ...added]);
    await expectNothing(bench().tenant(stage.url));
  });
});
