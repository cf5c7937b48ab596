// The battery that every kind must pass: real API server, real service behind a proxy that loses, delays and falsifies.
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { type Bench, openBench } from './support/bench.ts';
import type { Case } from './support/case.ts';
import { createCases } from './support/cases/create.ts';
import { deleteCases } from './support/cases/delete.ts';
import { ledgerCases } from './support/cases/ledger.ts';
import { nameCases } from './support/cases/names.ts';
import { raceCases } from './support/cases/races.ts';
import { referenceCases } from './support/cases/references.ts';
import { revisionCases } from './support/cases/revisions.ts';
import { statusCases } from './support/cases/status.ts';
import { troubleCases } from './support/cases/troubles.ts';
import { prepare, type Sample } from './support/sample.ts';

const chapters: readonly (readonly [title: string, cases: readonly Case[]])[] = [
  ['create', createCases],
  ['delete', deleteCases],
  ['race', raceCases],
  ['ledger', ledgerCases],
  ['references', referenceCases],
  ['revision', revisionCases],
  ['name', nameCases],
  ['status', statusCases],
  ['trouble', troubleCases],
];

/** Registers the cases that apply to the kind, and prints those that do not, with the reason. */
export function conformance(sample: Sample): void {
  const { kind, plural } = sample.kind.definition;
  const kubeconfig = inject('kubeconfig');
  describe.skipIf(kubeconfig === '')(`a ${kind}`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(kubeconfig, `conformance-${plural}`);
    });
    afterAll(() => bench?.close());
    for (const [title, cases] of chapters) {
      const applicable = cases.filter((one) => one.void?.(sample) === undefined);
      describe.skipIf(applicable.length === 0)(`${title}:`, () => {
        for (const one of applicable) test(`${one.name}`, async () => one.run(await prepare(bench, sample)));
      });
    }
  });
  for (const [title, cases] of chapters)
    for (const one of cases) {
      const why = one.void?.(sample);
      const parts = why === undefined ? (one.without?.(sample) ?? []) : [why];
      for (const part of parts) process.stdout.write(`void for ${kind}: ${title}: ${one.name}: ${part}\n`);
    }
}
