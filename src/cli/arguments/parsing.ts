// What the readers of all commands share: the errors of parseArgs in one sentence, formats and durations. PURE.
import { type Format, formats, givenOf } from './cli-flags.ts';
import { UsageError } from './usage-error.ts';

export function formatOf({ output: given }: { readonly output?: string | undefined }): Format {
  const output = givenOf(given) ?? 'text';
  const format = formats.find((one) => one === output);
  if (format === undefined) throw new UsageError(`-o must be json or yaml, and not ${JSON.stringify(output)}`);
  return format;
}

/** Only the first sentence of the error: parseArgs explains at length how to pass arguments that begin with a hyphen. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${first}: see kubectl dataprocessing --help`);
  }
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const longestMs = 24 * unitMs.h;

/** `30s`, `5m` or `1h`, in ms. */
export function durationOf(flag: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * unitMs[unit as keyof typeof unitMs];
  if (!(ms > 0 && ms <= longestMs))
    throw new UsageError(`${flag} must be a time of up to 24 hours, such as 30s, 5m or 1h`);
  return ms;
}
