// The flags of a program as one table, from which its command line is read and its help is written. PURE.
import { parseArgs } from 'node:util';
import { z } from 'zod';

export interface FlagDefinition {
  /** Reads the text of one value. When absent: any text that is not empty. */
  readonly schema?: z.ZodType;
  /** The placeholder of the value in the help. When absent: the flag takes no value, and is true if it is given. */
  readonly value?: string;
  /** As a user would write it. The help shows none that is empty. */
  readonly default?: string | undefined;
  /** Its values are a list, in which each is once, at its last place. Of other flags, the last value counts. */
  readonly repeatable?: true;
  /** What must be given with it. */
  readonly needs?: FlagNeeds;
  readonly help: string;
  readonly short?: string;
}

/** A flag with one of these values. */
interface FlagNeeds {
  readonly flag: string;
  readonly values: readonly string[];
  /** What to do instead. */
  readonly remedy?: string;
}

export type FlagTable = Readonly<Record<string, FlagDefinition>>;

type ItemOf<Flag> = Flag extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : string;
type FlagValue<Flag> = Flag extends { readonly value: string }
  ? Flag extends { readonly repeatable: true }
    ? readonly ItemOf<Flag>[]
    : Flag extends { readonly default: string }
      ? ItemOf<Flag>
      : ItemOf<Flag> | undefined
  : boolean;
export type FlagValues<Table> = { readonly [Name in keyof Table]: FlagValue<Table[Name]> };

/** `read` returns undefined for a text that is not `expected`. */
export const readAs = <Value>(expected: string, read: (text: string) => Value | undefined) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be ${expected}, not "${text}"` });
    return z.NEVER;
  });

export const textLike = (expected: string, pattern: RegExp) =>
  readAs(expected, (text) => (pattern.test(text) ? text : undefined));

export const integer = (min: number, max: number) =>
  readAs(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : -1;
    return value >= min && value <= max ? value : undefined;
  });

/** Items separated by commas. */
export const commaSeparated = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** A flag with a whole number from `min` to `max`. */
export function numberFlag<Usual extends number | undefined = undefined>(
  min: number,
  max: number,
  help: string,
  usual?: Usual,
) {
  const text = (usual === undefined ? undefined : String(usual)) as Usual extends number ? string : undefined;
  return { schema: integer(min, max), value: 'N', default: text, help } as const;
}

export const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

const anyText = z.string().min(1, { error: 'must not be empty' });
/** Also reads the value of an environment variable, which is a text. */
const isTrue = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
    error: 'must be true or false',
  })
  .prefault(false);

export const helpFlag = { help: { short: 'h', help: 'print this text' } } as const;

/** The same flags, each of which needs the same. */
export const flagsWith = <const Table extends FlagTable>(needs: FlagNeeds, table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, { ...flag, needs }])) as Table;

function schemaOf({ schema = anyText, ...flag }: FlagDefinition): z.ZodType {
  if (flag.value === undefined) return isTrue;
  if (flag.repeatable) return z.array(schema).prefault(flag.default === undefined ? [] : [flag.default]);
  return flag.default === undefined ? schema.optional() : schema.prefault(flag.default);
}

interface FlagsRead<Table> {
  /** Undefined if there are problems. */
  readonly values: FlagValues<Table> | undefined;
  /** The arguments that belong to no flag. */
  readonly words: readonly string[];
  /** Sentences, each of which names its flag. */
  readonly problems: readonly string[];
}

interface ReadFlagsInput {
  /** Values of flags that `args` lacks. They precede the defaults. */
  readonly others?: Readonly<Record<string, string>>;
  /** Arguments that belong to no flag are no problem. */
  readonly takesWords?: boolean;
}

export function readFlags<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  { others = {}, takesWords = false }: ReadFlagsInput = {},
): FlagsRead<Table> {
  const { given, words, problems } = readArguments(table, args, takesWords);
  const texts = { ...others, ...given };
  const shape = Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, schemaOf(flag)]));
  const { data, error } = z.object(shape).safeParse(texts);
  const issues = (error?.issues ?? []).map(({ path, message }) => `--${String(path[0])}: ${message}`);
  const all = [...problems, ...issues, ...(data === undefined ? [] : unmetNeeds(table, texts, data))];
  return { values: all.length === 0 ? (data as FlagValues<Table>) : undefined, words, problems: all };
}

/** If the table lacks the needed flag, there is nothing to choose, and no need. */
function unmetNeeds(table: FlagTable, texts: object, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(texts).flatMap((name) => {
    const needs = table[name]?.needs;
    if (needs === undefined || !Object.hasOwn(table, needs.flag)) return [];
    if ([values[needs.flag]].flat().some((value) => needs.values.includes(String(value)))) return [];
    const remedy = needs.remedy === undefined ? '' : `: ${needs.remedy}`;
    return [`--${name} needs --${needs.flag} ${needs.values.join(' or ')}${remedy}`];
  });
}

type ArgumentToken = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Not strict, because parseArgs reports only the first wrong argument, and that at length. */
function readArguments(table: FlagTable, args: readonly string[], takesWords: boolean) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const problems: string[] = [];
  const given = new Map<string, string | boolean | readonly string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    const problem = problemOf(token, table);
    if (takesWords && token.kind === 'positional') words.push(token.value);
    else if (problem !== undefined) problems.push(problem);
    else if (token.kind === 'option') {
      const earlier = [given.get(token.name) ?? []].flat() as readonly string[];
      const { name, value } = token;
      given.set(
        name,
        table[name]?.repeatable && value !== undefined
          ? [...earlier.filter((one) => one !== value), value]
          : (value ?? true),
      );
    }
  }
  return { given: Object.fromEntries(given), words, problems };
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

export function describeFlag(flag: FlagDefinition): string {
  const text = flag.repeatable ? `${flag.help}. Can be repeated` : flag.help;
  return flag.default ? `${text} (default ${flag.default})` : text;
}

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
