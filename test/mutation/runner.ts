// Runs the fast tests for each mutant in one process that has read them once: a fresh one a mutant would cost seconds instead of milliseconds.
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
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
import fc from 'fast-check';
import { type Collected, collected, collectFrom } from '../support/collected.ts';

/** What the mutated code asks for its mutant, and tells of its coverage. */
const context: InstrumenterContext = ((globalThis as { __stryker__?: InstrumenterContext }).__stryker__ ??= {});

const testFiles = globSync(['test/reconcile/**/*.test.ts', 'test/wire/**/*.test.ts']).sort();

const standIn = new URL('../support/collected.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, where, next) =>
    specifier === 'vitest' && where.parentURL !== standIn
      ? { url: standIn, shortCircuit: true }
      : next(specifier, where),
});

// One seed for all properties: a mutant that is caught today is caught tomorrow. The smallest example is not looked for.
fc.configureGlobal({ seed: 20_261_121, endOnFailure: true });

interface Numbered extends Collected {
  readonly id: string;
}

class Runner implements TestRunner {
  #tests: readonly Numbered[] | undefined;

  /** What was imported cannot be imported anew: Stryker starts another process where that is needed. */
  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const tests = await this.#load();
    const results: TestResult[] = [];
    for (const one of tests) {
      context.currentTestId = one.id;
      results.push(await resultOf(one));
    }
    delete context.currentTestId;
    const { mutantCoverage } = context;
    return { status: DryRunStatus.Complete, tests: results, ...(mutantCoverage ? { mutantCoverage } : {}) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, testFilter } = options;
    if (mutantActivation === 'static') return this.#runStatic(options);
    const tests = await this.#load();
    Object.assign(context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const results = await untilOneFails(tests.filter(({ id }) => testFilter?.includes(id) ?? true));
    const endless = determineHitLimitReached(context.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: [...results] });
  }

  /** Code that runs on import is mutated before anything is imported: for the tests of its folder, the likeliest to notice first. */
  async #runStatic({ activeMutant }: MutantRunOptions): Promise<MutantRunResult> {
    context.activeMutant = activeMutant.id;
    const [, folder = '', name = ''] = /src\/(\w+)\/(\w+)/.exec(activeMutant.fileName) ?? [];
    const near = testFiles.filter((file) => file.startsWith(`test/${folder}/`));
    const likely = near.filter((file) => file.startsWith(`test/${folder}/${name}`));
    const all: TestResult[] = [];
    for (const file of new Set([...likely, ...near])) {
      all.push(...(await this.#read(file).then(untilOneFails, (error: unknown) => [failed(file, error)])));
      if (all.at(-1)?.status === TestStatus.Failed) break;
    }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: all });
  }

  async #load(): Promise<readonly Numbered[]> {
    if (this.#tests) return this.#tests;
    const tests: Numbered[] = [];
    for (const file of testFiles) tests.push(...(await this.#read(file)));
    this.#tests = tests;
    return tests;
  }

  async #read(file: string): Promise<readonly Numbered[]> {
    const before = collected.length;
    collectFrom(file);
    await import(pathToFileURL(file).href);
    return collected.slice(before).map((one, index) => ({ ...one, id: `${file} ${index} ${one.name}` }));
  }
}

async function untilOneFails(tests: readonly Numbered[]): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const one of tests) {
    const result = await resultOf(one);
    results.push(result);
    if (result.status === TestStatus.Failed) break;
  }
  return results;
}

async function resultOf({ id, name, file, run }: Numbered): Promise<TestResult> {
  const since = performance.now();
  try {
    await run();
    return { id, name, fileName: file, status: TestStatus.Success, timeSpentMs: performance.now() - since };
  } catch (error) {
    return { ...failed(id, error), name, fileName: file, timeSpentMs: performance.now() - since };
  }
}

function failed(id: string, error: unknown) {
  const failureMessage = error instanceof Error ? error.message : String(error);
  return { id, name: id, status: TestStatus.Failed, timeSpentMs: 0, failureMessage } as const;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', Runner)];
