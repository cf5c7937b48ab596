// The battery that every kind must pass, each case first with one kind: real API server, real service behind a proxy that loses, delays and falsifies.
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { type Bench, openBench } from './support/bench.ts';
import { type Case, voidFor } from './support/case.ts';
import { adoptionCases } from './support/cases/adoption.ts';
import { createCases } from './support/cases/create.ts';
import { deleteCases } from './support/cases/delete.ts';
import { ledgerCases } from './support/cases/ledger.ts';
import { nameCases } from './support/cases/names.ts';
import { policyCases } from './support/cases/policies.ts';
import { raceCases } from './support/cases/races.ts';
import { referenceCases } from './support/cases/references.ts';
import { revisionCases } from './support/cases/revisions.ts';
import { runCases } from './support/cases/runs.ts';
import { statusCases } from './support/cases/status.ts';
import { troubleCases } from './support/cases/troubles.ts';
import { prepare, type Sample } from './support/sample.ts';
import {
  clusterSample,
  clusterTemplateSample,
  dataSourceSample,
  imageRegistrationSample,
  jobBinarySample,
  jobExecutionSample,
  jobSample,
  nodeGroupTemplateSample,
} from './support/samples.ts';

const chapters: readonly (readonly [title: string, cases: readonly Case[]])[] = [
  ['create', createCases],
  ['delete', deleteCases],
  ['race', raceCases],
  ['ledger', ledgerCases],
  ['references', referenceCases],
  ['revision', revisionCases],
  ['name', nameCases],
  ['status', statusCases],
  ['policy', policyCases],
  ['adoption', adoptionCases],
  ['trouble', troubleCases],
  ['run', runCases],
];

/** In this order: a case is proven with the first of them that it applies to, unless it is a long one, and `long` tries it with all the others. */
export const samples: readonly Sample[] = [
  clusterSample,
  imageRegistrationSample,
  nodeGroupTemplateSample,
  clusterTemplateSample,
  dataSourceSample,
  jobBinarySample,
  jobSample,
  jobExecutionSample,
];
const applies = (one: Case, sample: Sample): boolean => voidFor(one, sample) === undefined;
const isFirst = (one: Case, sample: Sample): boolean =>
  one.isLong !== true && samples.find((each) => applies(one, each)) === sample;

type Share = 'first' | 'others';
const casesOf = (cases: readonly Case[], sample: Sample, share: Share): readonly Case[] =>
  cases.filter((one) => applies(one, sample) && isFirst(one, sample) === (share === 'first'));

/** Whether the kind has any cases of the share. */
export const hasShare = (sample: Sample, share: Share): boolean =>
  chapters.some(([, cases]) => casesOf(cases, sample, share).length > 0);

/** Registers the cases that apply to the kind, each of them in one of the shares, and prints those that do not, with the reason. */
export function conformance(sample: Sample, share: Share): void {
  const { kind, plural } = sample.kind.definition;
  const kubeconfig = inject('kubeconfig');
  describe.skipIf(kubeconfig === '')(`a ${kind}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      // No other file uses the namespace.
      const other = sample.isStored ? '-stored' : share === 'others' ? '-long' : '';
      bench = await openBench(kubeconfig, `conformance-${plural}${other}`);
    });
    afterAll(() => bench?.close());
    for (const [title, cases] of chapters) {
      const applicable = casesOf(cases, sample, share);
      describe.skipIf(applicable.length === 0)(`${title}:`, () => {
        for (const one of applicable) test(`${one.name}`, async () => one.run(await prepare(bench, sample)));
      });
    }
  });
  if (share === 'others' || !hasShare(sample, 'others')) tellVoid(sample);
}

function tellVoid(sample: Sample): void {
  const { kind } = sample.kind.definition;
  const { identity } = sample.kind;
  if (identity === 'once') process.stdout.write(`void for ${kind}: all but the cases of runs\n`);
  for (const [title, cases] of chapters)
    for (const one of cases) {
      if ((identity === 'once') !== (one.ofRuns ?? false)) continue;
      const why = voidFor(one, sample);
      const parts = why === undefined ? (one.without?.(sample) ?? []) : [why];
      for (const part of parts) process.stdout.write(`void for ${kind}: ${title}: ${one.name}: ${part}\n`);
    }
}
