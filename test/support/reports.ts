// The figures that suites leave behind, one file a suite: what `npm run reliability` puts together. Each suite chooses its fields,
// and `test/reliability/table.ts` says which of them it shows.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

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
