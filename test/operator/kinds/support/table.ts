// Runs special cases of one kind on a bench of their own, each in a world of its own.
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { type Bench, openBench } from './bench.ts';
import { prepare, type Sample, type Trial } from './sample.ts';
import type { WorldOptions } from './world.ts';

export interface SpecialCase {
  readonly name: string;
  /** Fields in place of those of the sample. */
  readonly spec?: Sample['spec'];
  readonly options?: WorldOptions;
  readonly run: (trial: Trial) => Promise<void>;
}

export interface Table {
  readonly title: string;
  /** Of the API server; no other file uses it. */
  readonly namespace: string;
  readonly sample: Sample;
  readonly cases: readonly SpecialCase[];
}

export function runTable({ title, namespace, sample, cases }: Table): void {
  const kubeconfig = inject('kubeconfig');
  describe.skipIf(kubeconfig === '')(`${title}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(kubeconfig, namespace);
    });
    afterAll(() => bench?.close());
    for (const { name, spec = sample.spec, options, run } of cases)
      test(`${name}`, async () => run(await prepare(bench, { ...sample, spec }, options)));
  });
}
