// Runs the fast tests for each mutant in one process that has read them once: a fresh one a mutant would cost seconds instead of milliseconds.
import type { InstrumenterContext, Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { beginEdition, failed, type Numbered, readTests, resultOf, testFiles, untilOneFails } from './suite.ts';

/** What the mutated code asks for its mutant, and tells of its coverage. */
const context: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: context });

class Runner implements TestRunner {
  #tests: readonly Numbered[] | undefined;

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const results: TestResult[] = [];
    for (const one of await this.#read()) {
      context.currentTestId = one.id;
      results.push(await resultOf(one));
    }
    delete context.currentTestId;
    const { mutantCoverage } = context;
    return { status: DryRunStatus.Complete, tests: results, ...(mutantCoverage ? { mutantCoverage } : {}) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, testFilter } = options;
    const tests = await this.#read();
    Object.assign(context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const results =
      mutantActivation === 'static'
        ? await anew(activeMutant)
        : await untilOneFails(tests.filter(({ id }) => testFilter?.includes(id) ?? true));
    const endless = determineHitLimitReached(context.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: [...results] });
  }

  async #read(): Promise<readonly Numbered[]> {
    if (this.#tests) return this.#tests;
    const tests: Numbered[] = [];
    for (const file of testFiles) tests.push(...(await readTests(file)));
    this.#tests = tests;
    return tests;
  }
}

/** Code that runs on import, with its mutant active from the start: with the tests of its folder, the likeliest to notice first. */
async function anew({ id, fileName }: Mutant): Promise<readonly TestResult[]> {
  beginEdition(id);
  const [, folder = '', name = ''] = /src\/(\w+)\/(\w+)/.exec(fileName) ?? [];
  const near = testFiles.filter((file) => file.startsWith(`test/${folder}/`));
  const likely = near.filter((file) => file.startsWith(`test/${folder}/${name}`));
  const results: TestResult[] = [];
  for (const file of new Set([...likely, ...near])) {
    results.push(...(await readTests(file).then(untilOneFails, (error: unknown) => [failed(file, error)])));
    if (results.at(-1)?.status === TestStatus.Failed) break;
  }
  return results;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', Runner)];
