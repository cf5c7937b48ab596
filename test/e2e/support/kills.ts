// The operator is killed again and again in the middle of its work: nothing is made twice, nothing is lost, nothing is left over.
import { describe, expect, inject, test } from 'vitest';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { hasStatus, waitForGone, waitForReady } from '../../../dev/demo/readiness.ts';
import { type Bench, useBench } from './bench.ts';
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
} from './checks.ts';
import { type Proxy, startProxy } from './proxy.ts';
import { type Chance, chooseTarget, createChance, killForGood, runAndKill } from './victim.ts';

const kubeconfig = inject('kubeconfig');
const seed = Number(process.env['E2E_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

export interface Times {
  readonly create: number;
  /** Of the workers: one kill on the way to each; the last is 6. */
  readonly counts: readonly number[];
  readonly delete: number;
}

/** How often, by phase. */
export function kills(name: string, times: Times): void {
  describe.skipIf(kubeconfig === '')(`an operator that is killed (E2E_SEED=${seed})`, () => {
    const bench = useBench(kubeconfig, 'kill');

    test(`${name} during create, scale and delete leaves one cluster, then nothing`, async () => {
      const { objects } = bench();
      const { url } = await bench().startService();
      const tenant = bench().tenant(url);
      const proxy = await startProxy(url);
      const examples = await bench().examples(proxy.url);
      const rounds = { bench: bench(), proxy, chance: createChance(seed), examples };

      await applyAll(objects, examples);
      await killTimes(times.create, { ...rounds, phase: 'create' });
      for (const count of times.counts) {
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
      await killTimes(times.delete, { ...rounds, phase: 'delete' });
      await bench().startOperator();
      await untilGone(objects, examples);
      await expectNothing(tenant);
    });
  });
}

interface Rounds {
  readonly bench: Bench;
  readonly proxy: Proxy;
  readonly chance: Chance;
  readonly examples: readonly Manifest[];
  readonly phase: 'create' | 'scale' | 'delete';
}

async function killTimes(many: number, { bench, proxy, chance, examples, phase }: Rounds): Promise<void> {
  const over = async (signal: AbortSignal): Promise<unknown> => {
    const bound = { withinMs: 60_000, signal };
    if (phase === 'delete') return waitForGone(bench.objects, examples, bound);
    return waitForReady(bench.objects, examples.filter(hasStatus), bound);
  };
  for (let time = 1; time <= many; time += 1) {
    const target = chooseTarget(chance);
    const cause = await runAndKill(bench, proxy, { target, over });
    console.info(`${phase} ${time}: killed at ${target.what} ${target.count} ${target.moment}: ${cause}`);
  }
}
