// The operator is killed ten times in the middle of its work: nothing is made twice, nothing is lost, nothing is left over.
import { describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../../dev/demo/manifests.ts';
import { hasStatus, waitForGone, waitForReady } from '../../dev/demo/readiness.ts';
import { type Bench, useBench } from './support/bench.ts';
import {
  applyAll,
  cluster,
  expectNothing,
  expectOneOfEach,
  remoteCounts,
  removeAll,
  untilGone,
  untilReady,
  withGroups,
} from './support/checks.ts';
import { type Proxy, startProxy } from './support/proxy.ts';
import { type Chance, chooseTarget, createChance, killForGood, runAndKill } from './support/victim.ts';

const kubeconfig = inject('kubeconfig');
const seed = Number(process.env['E2E_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe.skipIf(kubeconfig === '')(`an operator that is killed (E2E_SEED=${seed})`, () => {
  const bench = useBench(kubeconfig, 'kill');

  test('ten times over during create, scale and delete leaves one cluster, then nothing', async () => {
    const { objects } = bench();
    const { url } = await bench().startService();
    const tenant = bench().tenant(url);
    const proxy = await startProxy(url);
    const examples = await bench().examples(proxy.url);
    const rounds = { bench: bench(), proxy, chance: createChance(seed), examples };

    await applyAll(objects, examples);
    await killTimes(4, { ...rounds, phase: 'create' });
    for (const count of [5, 2, 6]) {
      await objects.apply(withGroups(cluster(examples, 'analytics'), [{ name: 'worker', count }]));
      await killTimes(1, { ...rounds, phase: 'scale' });
    }

    const survivor = await bench().startOperator();
    await untilReady(objects, examples);
    expect(await remoteCounts(bench(), tenant)).toEqual({
      analytics: { master: 1, worker: 6 },
      scratch: { head: 1, worker: 1 },
    });
    await expectOneOfEach(tenant);
    await killForGood(bench(), survivor.program);

    await removeAll(objects, examples);
    await killTimes(3, { ...rounds, phase: 'delete' });
    await bench().startOperator();
    await untilGone(objects, examples);
    await expectNothing(tenant);
  });
});

interface Rounds {
  readonly bench: Bench;
  readonly proxy: Proxy;
  readonly chance: Chance;
  readonly examples: readonly Manifest[];
  readonly phase: 'create' | 'scale' | 'delete';
}

async function killTimes(times: number, { bench, proxy, chance, examples, phase }: Rounds): Promise<void> {
  const over = async (signal: AbortSignal): Promise<unknown> => {
    const bound = { withinMs: 60_000, signal };
    if (phase === 'delete') return waitForGone(bench.objects, examples, bound);
    return waitForReady(bench.objects, examples.filter(hasStatus), bound);
  };
  for (let time = 1; time <= times; time += 1) {
    const target = chooseTarget(chance);
    const cause = await runAndKill(bench, proxy, { target, over });
    console.info(`${phase} ${time}: killed at ${target.what} ${target.count} ${target.moment}: ${cause}`);
  }
}
