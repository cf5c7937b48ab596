// The figures that suites leave behind, one file a suite: what `npm run reliability` puts together. Each suite chooses its fields,
// and `test/reliability/table.ts` says which of them it shows.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const folder = new URL('../../reports/', import.meta.url);

export function writeReport(suite: string, figures: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${suite}.json`, folder), `${JSON.stringify(figures, undefined, 2)}\n`);
}

/** undefined: the suite has not been run here. */
export function readReport(suite: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(new URL(`${suite}.json`, folder), 'utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

const progressOf = (suite: string): URL => new URL(`${suite}.jsonl`, folder);

/** Adds a line to what a long suite has done so far; undefined: it begins anew. */
export function writeProgress(suite: string, line: string | undefined): void {
  mkdirSync(folder, { recursive: true });
  if (line === undefined) rmSync(progressOf(suite), { force: true });
  else appendFileSync(progressOf(suite), `${line}\n`);
}

/** None where nothing was done. */
export function readProgress(suite: string): readonly string[] {
  try {
    return readFileSync(progressOf(suite), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
