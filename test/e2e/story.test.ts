// The life of the examples, with all programs as processes and the operator under its own permissions.
import { describe, expect, inject, test } from 'vitest';
import { titleOf } from '../../dev/demo/manifests.ts';
import { isReady } from '../../dev/demo/readiness.ts';
import { listRemote } from '../../dev/demo/remote.ts';
import { limitMs } from '../support/patience.ts';
import { token, useBench } from './support/bench.ts';
import {
  applyAll,
  asExamplesSay,
  cluster,
  expectNothing,
  expectOneOfEach,
  remoteCounts,
  removeAll,
  untilGone,
  untilReady,
  withGroups,
} from './support/checks.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('the examples', () => {
  const bench = useBench(kubeconfig, 'story');

  test('become Ready, are scaled, get and lose a group, and go', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const tenant = bench().tenant(url);
    const operator = await bench().startOperator();
    const examples = await bench().examples(url);
    const scale = async (...groups: readonly object[]) => {
      await objects.apply(withGroups(cluster(examples, 'analytics'), groups));
      await untilReady(objects, examples);
      const { analytics, ...others } = await remoteCounts(bench(), tenant);
      expect(others).toEqual({ scratch: { head: 1, worker: 1 } });
      return analytics;
    };

    await applyAll(objects, examples);
    const ready = await untilReady(objects, examples);
    expect(ready.every(isReady)).toBe(true);
    expect(await remoteCounts(bench(), tenant)).toEqual(asExamplesSay);
    await expectOneOfEach(tenant);
    const ids = new Map(ready.map((object) => [titleOf(object), object.status?.id]));
    expect((await listRemote(tenant, 'clusters')).map(({ id }) => id)).toContain(ids.get('Cluster analytics'));
    await expectFigures(operator.healthUrl);

    expect(await scale({ name: 'worker', count: 5 })).toEqual({ master: 1, worker: 5 });
    expect(await scale({ name: 'worker', count: 2 })).toEqual({ master: 1, worker: 2 });
    const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: { name: 'worker' } };
    expect(await scale({ name: 'worker', count: 2 }, extra)).toEqual({ extra: 1, master: 1, worker: 2 });
    // Without an entry the template's own count holds again.
    expect(await scale()).toEqual({ master: 1, worker: 2 });
    const after = await Promise.all(examples.map(async (example) => objects.read(example)));
    for (const object of after) if (object) expect(object.status?.id, titleOf(object)).toBe(ids.get(titleOf(object)));

    await removeAll(objects, examples);
    await untilGone(objects, examples);
    await expectNothing(tenant);
    expect(await operator.program.end('SIGTERM', limitMs)).toBe('code 0');
  });
});

/** As Prometheus asks for them. */
async function expectFigures(healthUrl: string): Promise<void> {
  const answer = await fetch(`${healthUrl}/metrics`, { headers: { accept: 'text/plain;version=0.0.4' } });
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  expect(text).toMatch(/^dataprocessing_operator_ready 1$/m);
  expect(text).not.toContain(token);
}
