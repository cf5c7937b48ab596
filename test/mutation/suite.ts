// The fast tests, read by the mutated code's own module graph, and run as often as is asked for.
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type TestResult, TestStatus } from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { type Collected, collected, collectFrom } from '../support/collected.ts';

export const testFiles = globSync(['test/operator/reconcile/**/*.test.ts', 'test/wire/**/*.test.ts']).sort();

const standIn = new URL('../support/collected.ts', import.meta.url).href;
const ownFolder = new URL('.', import.meta.url).href;
const root = new URL('../../', import.meta.url).href;
let edition = '';

/** What is imported from now on is imported anew, all but what comes from packages. */
export function beginEdition(name: string): void {
  edition = name;
}

const isRenewed = (url: string): boolean =>
  url.startsWith(root) && !url.startsWith(ownFolder) && !url.includes('/node_modules/') && url !== standIn;

registerHooks({
  resolve: (specifier, where, next) => {
    const isTest = specifier === 'vitest' && where.parentURL !== standIn;
    const found = isTest ? { url: standIn, shortCircuit: true } : next(specifier, where);
    return edition !== '' && isRenewed(found.url) ? { ...found, url: `${found.url}?${edition}` } : found;
  },
});

// One seed for all properties: a mutant that is caught today is caught tomorrow. The smallest example is not looked for.
fc.configureGlobal({ seed: 20_261_121, endOnFailure: true });

export interface Numbered extends Collected {
  readonly id: string;
}

export async function readTests(file: string): Promise<readonly Numbered[]> {
  const before = collected.length;
  collectFrom(file);
  await import(pathToFileURL(file).href);
  return collected.slice(before).map((one, index) => ({ ...one, id: `${file} ${index} ${one.name}` }));
}

export async function untilOneFails(tests: readonly Numbered[]): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const one of tests) {
    const result = await resultOf(one);
    results.push(result);
    if (result.status === TestStatus.Failed) break;
  }
  return results;
}

export async function resultOf({ id, name, file, run }: Numbered): Promise<TestResult> {
  const since = performance.now();
  try {
    await run();
    return { id, name, fileName: file, status: TestStatus.Success, timeSpentMs: performance.now() - since };
  } catch (error) {
    return { ...failed(id, error), name, fileName: file, timeSpentMs: performance.now() - since };
  }
}

export function failed(id: string, error: unknown) {
  const failureMessage = error instanceof Error ? error.message : String(error);
  return { id, name: id, status: TestStatus.Failed, timeSpentMs: 0, failureMessage } as const;
}
