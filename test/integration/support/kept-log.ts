// A log that is kept.
import type { Log, LogFields } from '../../../src/lib/ports.ts';

/** A log whose lines hold all that any log could write: the fields, and what errors and their causes carry. */
export function keptLog(): { readonly lines: readonly string[]; readonly log: Log } {
  const lines: string[] = [];
  const note = (level: string) => (fields: LogFields, message: string) => {
    const { err, ...rest } = fields;
    lines.push(`${level} ${message} ${JSON.stringify(rest)} ${errorText(err)}`);
  };
  return { lines, log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } };
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : JSON.stringify(error);
  const fields = Object.getOwnPropertyNames(error).map((name) => [name, Reflect.get(error, name) as unknown]);
  return `${JSON.stringify(Object.fromEntries(fields))} ${errorText(error.cause)}`;
}
