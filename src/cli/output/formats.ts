// Prints what a command has found: as a page for people, or as JSON or YAML for programs.
import { writeDocuments } from '../../kube/yaml/write.ts';
import type { Format } from '../arguments/cli-flags.ts';
import type { Printer } from './run-output.ts';
import { visible } from './visible.ts';

export interface Printed {
  readonly found: object;
  /** The page for people, without control characters of others. */
  readonly page: () => string;
}

export async function printFound(printer: Printer, format: Format, { found, page }: Printed): Promise<void> {
  await printer.print(Buffer.from(format === 'text' ? page() : shown(printer, formatted(format, found))));
}

/** The items of a list one by one, as kubectl applies them. */
export async function printManifests(printer: Printer, format: Format, items: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items };
  const text = format === 'json' ? formatted('json', list) : writeDocuments(items);
  await printer.print(Buffer.from(shown(printer, text)));
}

function formatted(format: Exclude<Format, 'text'>, value: object): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : writeDocuments([value]);
}

/** What others wrote must not reprogram a terminal. A program gets it as it is. */
function shown({ isTerminal }: Printer, text: string): string {
  return isTerminal ? visible(text) : text;
}
