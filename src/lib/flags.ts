// The flags of a program as one table, from which its command line is read and its help is written. PURE.
import { parseArgs } from 'node:util';
import { z } from 'zod';

export interface FlagDefinition {
  /** Reads the text of the value. A flag without a value is true if it is given. */
  readonly schema: z.ZodType;
  /** The placeholder of the value in the help. Missing: the flag takes no value. */
  readonly value?: string;
  /** As a user would write it. */
  readonly default?: string;
  readonly help: string;
  readonly short?: string;
}

export type FlagTable = Readonly<Record<string, FlagDefinition>>;
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>;
};

/** A flag without a value. */
export const isGiven = z.boolean().default(false);

export const helpFlag = { help: { schema: isGiven, short: 'h', help: 'print this text' } } as const;

export type FlagsRead<Table extends FlagTable> =
  | { readonly values: FlagValues<Table>; readonly problems: readonly [] }
  /** Sentences, each of which names its flag. */
  | { readonly values?: undefined; readonly problems: readonly string[] };

/** Values that `args` lacks come from `others`, and then from the defaults. The last one of a repeated flag counts. */
export function readFlags<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  others: Readonly<Record<string, string>> = {},
): FlagsRead<Table> {
  const { given, problems } = readArguments(table, args);
  const shape = Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
  const defaults = Object.entries(table).flatMap(([name, flag]) =>
    flag.default === undefined ? [] : [[name, flag.default]],
  );
  const result = z.object(shape).safeParse({ ...Object.fromEntries(defaults), ...others, ...given });
  if (result.success && problems.length === 0) return { values: result.data as FlagValues<Table>, problems: [] };
  const issues = result.error?.issues ?? [];
  return { problems: [...problems, ...issues.map(({ path, message }) => `--${String(path[0])}: ${message}`)] };
}

type ArgumentToken = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Not strict, because parseArgs reports only the first wrong argument, and that at length. */
function readArguments(table: FlagTable, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const problems: string[] = [];
  const given = new Map<string, string | boolean>();
  for (const token of tokens) {
    const problem = problemOf(token, table);
    if (problem !== undefined) problems.push(problem);
    else if (token.kind === 'option') given.set(token.name, token.value ?? true);
  }
  return { given: Object.fromEntries(given), problems };
}

function problemOf(token: ArgumentToken, table: FlagTable): string | undefined {
  if (token.kind === 'positional') return `there is no argument "${token.value}"`;
  if (token.kind === 'option-terminator') return undefined;
  const { name, rawName, value, inlineValue } = token;
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag === undefined) return `there is no option ${rawName}: --help tells those there are`;
  if (flag.value === undefined) return value === undefined ? undefined : `--${name} takes no value`;
  // Another option in its place: the value was forgotten.
  return value === undefined || (!inlineValue && value.startsWith('--')) ? `--${name} needs a value` : undefined;
}

export const describeFlag = (flag: FlagDefinition): string =>
  flag.default === undefined ? flag.help : `${flag.help} (default ${flag.default})`;

/** `--name VALUE`. */
export const usageOf = (name: string, { value }: FlagDefinition): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}`;

const helpColumns = 120;

/** Two columns: how each flag is given, and what it does. */
export function helpLines(entries: readonly (readonly [name: string, text: string])[]): string {
  const indent = Math.max(...entries.map(([name]) => name.length)) + 4;
  return entries.map(([name, text]) => `${`  ${name}`.padEnd(indent)}${wrap(text, indent)}\n`).join('');
}

export const flagsHelp = (table: FlagTable): string =>
  helpLines(Object.entries(table).map(([name, flag]) => [usageOf(name, flag), describeFlag(flag)]));

function wrap(text: string, indent: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (indent + line.length + 1 + word.length > helpColumns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
