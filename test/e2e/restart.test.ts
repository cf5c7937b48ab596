// An operator that starts finds a Connection that was Ready all along: what was applied meanwhile must not wait for it to change.
import { describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { conditionOf } from '../../dev/demo/readiness.ts';
import { useBench } from './support/bench.ts';
import { applyAll, cluster, expectNothing, removeAll, untilGone, untilReady, withGroups } from './support/checks.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('an operator that was away', () => {
  const bench = useBench(kubeconfig, 'restart');

  test('makes what was applied, and deletes what was deleted meanwhile', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const examples = await bench().examples(url);
    const access = examples.filter(({ kind }) => kind === 'Connection' || kind === 'Secret');
    const worker = examples.filter(({ kind, metadata }) => kind === 'NodeGroupTemplate' && metadata.name === 'worker');
    const [head, ...rest] = groupsOf(cluster(examples, 'scratch'));
    const made = withGroups(cluster(examples, 'scratch'), [head ?? {}, ...rest]);
    const waiting = withGroups(made, [
      head ?? {},
      { name: 'worker', count: 1, nodeGroupTemplateRef: { name: 'nobody' } },
    ]);
    const all = [...access, ...worker, made];
    await applyAll(objects, [...access, ...worker, waiting]);
    const first = await bench().startOperator();
    await untilReady(objects, [...access, ...worker]);
    const reason = async () => conditionOf((await objects.read(made)) ?? raise(), 'Ready')?.reason;
    await expect.poll(reason, { timeout: 30_000 }).toBe('DependencyNotReady');
    expect(await first.program.end('SIGTERM', 20_000)).toBe('code 0');

    await objects.apply(made);
    const second = await bench().startOperator();
    await untilReady(objects, all);
    expect(await second.program.end('SIGTERM', 20_000)).toBe('code 0');

    await removeAll(objects, all);
    await bench().startOperator();
    await untilGone(objects, all);
    await expectNothing(bench().tenant(url));
  });
});

const groupsOf = ({ spec }: Manifest): readonly object[] =>
  (spec as { readonly nodeGroups: readonly object[] }).nodeGroups;

function raise(): never {
  throw new Error('cannot read the Cluster: it is not there');
}
