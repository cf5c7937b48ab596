// The URLs of an execution: those of its data sources, with placeholders filled in. PURE.
import type { Random } from '../../../lib/ports.ts';
import type { DataSourceRecord, JobExecutionRecord } from '../../model/records/records.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const draw = (random: Random, length: number): string =>
  Array.from({ length }, () => letters[Math.floor(random.next() * letters.length)]).join('');

/** URLs by the identifier of the data source. Random letters are drawn for each placeholder. */
export function resolveUrls(
  { id, input_id, output_id }: JobExecutionRecord,
  others: readonly string[],
  sourceOf: (id: string) => DataSourceRecord | undefined,
  random: Random,
): Readonly<Record<string, string>> {
  const ids = new Set([input_id, output_id, ...others]);
  const sources = [...ids].flatMap((source) => (source === undefined ? [] : (sourceOf(source) ?? [])));
  return Object.fromEntries(sources.map((source) => [source.id, resolve(source.url, id, random)]));
}

const resolve = (url: string, id: string, random: Random): string =>
  url.replaceAll(placeholder, (_text, length: string) => draw(random, Number(length))).replaceAll('%JOB_EXEC_ID%', id);

/** The letters of placeholders are drawn when the run begins. Those of a check are of no account. */
export const anyLetter: Random = { next: () => 0 };

/** How many characters the URL has in each execution, with its placeholders filled in. */
export const resolvedLength = (url: string): number => resolve(url, 'x'.repeat(36), anyLetter).length;

/** `%RANDSTR(n)%` in a URL stands for n random letters, which differ between executions. */
export const placeholder = /%RANDSTR\((-?\d+)\)%/g;
