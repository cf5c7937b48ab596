// The paths of what a run makes, in a file, so that it is deleted even if the process that runs the tests is killed.
import { appendFileSync, readFileSync } from 'node:fs';
import type { Target } from '../command/description.ts';

/** To be called before anything else is done with the row. */
export function record({ journal }: Pick<Target, 'journal'>, path: string): void {
  if (journal !== undefined) appendFileSync(journal, `${path}\n`);
}

/** Every path once, in the order in which the rows were made. */
export function recorded({ journal }: Pick<Target, 'journal'>): readonly string[] {
  if (journal === undefined) return [];
  return [...new Set(readFileSync(journal, 'utf8').split('\n'))].filter((line) => line !== '');
}
