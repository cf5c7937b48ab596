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
  const resolve = (url: string) =>
    url
      .replaceAll(placeholder, (_text, length: string) => draw(random, Number(length)))
      .replaceAll('%JOB_EXEC_ID%', id);
  return Object.fromEntries(sources.map((source) => [source.id, resolve(source.url)]));
}

/** `%RANDSTR(n)%` in a URL stands for n random letters, which differ between executions. */
export const placeholder = /%RANDSTR\((-?\d+)\)%/g;
