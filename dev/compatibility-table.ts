// The table of docs/development.md that shows which versions of Kubernetes the tests passed on. PURE.
import { table } from './generate/markdown.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** From the last line of a test run, such as `7 passed, 0 failed, 1 skipped`. Undefined if the run did not get that far. */
export function countsOf(output: string): Counts | undefined {
  const [passed, failed, skipped] = (/(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(output) ?? [])
    .slice(1)
    .map(Number);
  if (passed === undefined || failed === undefined || skipped === undefined) return undefined;
  return { passed, failed, skipped };
}

const format = new Intl.NumberFormat('en-US');

export const compatibilityTable = (runs: ReadonlyMap<string, Counts | undefined>): string =>
  table(
    ['Kubernetes', 'Passed', 'Failed', 'Skipped'],
    [...runs].map(([version, counts]) => [
      version,
      ...[counts?.passed, counts?.failed, counts?.skipped].map((count) =>
        count === undefined ? '?' : format.format(count),
      ),
    ]),
  );
