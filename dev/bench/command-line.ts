// Parses the options of a benchmark, and reports all invalid ones in one line.
import { parseArgs } from 'node:util';
import { z } from 'zod';

export const integer = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^\d+$/.test(text) ? Number(text) : undefined;
    if (value !== undefined && value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}, not "${text}"` });
    return z.NEVER;
  });

export const path = z.string().min(1, { error: 'must be a path, not ""' });

/** Throws `cannot read options: ...` that names every wrong one. `--help` is a flag, all else has a value. */
export function readOptionsOf<Shape extends z.ZodRawShape>(
  wanted: z.ZodObject<Shape>,
  args: readonly string[],
): z.output<z.ZodObject<Shape>> {
  const { values, problems } = readArguments(Object.keys(wanted.shape), args);
  const result = wanted.safeParse(values);
  if (result.success && problems.length === 0) return result.data;
  const issues = result.error?.issues.map(({ path: [name], message }) => `--${String(name)} ${message}`) ?? [];
  throw new Error(`cannot read options: ${[...problems, ...issues].join('; ')}`);
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Not strict: the parser's own complaints are of several lines, and of one argument only. */
function readArguments(names: readonly string[], args: readonly string[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });
  const problems: string[] = [];
  const values = new Map<string, string | boolean>();
  for (const token of tokens) {
    const problem = problemOf(token, names, values);
    if (problem !== undefined) problems.push(problem);
    else if (token.kind === 'option') values.set(token.name, token.value ?? true);
  }
  return { values: Object.fromEntries(values), problems };
}

function problemOf(token: Token, names: readonly string[], values: ReadonlyMap<string, unknown>): string | undefined {
  if (token.kind === 'positional') return `there is no argument "${token.value}"`;
  if (token.kind === 'option-terminator') return undefined;
  const { name, rawName, value, inlineValue } = token;
  if (!names.includes(name)) return `there is no option ${rawName}: --help tells those there are`;
  if (values.has(name)) return `--${name} must be given once`;
  if (name === 'help') return value === undefined ? undefined : '--help takes no value';
  // Another option in its place: the value was forgotten.
  return value === undefined || (!inlineValue && value.startsWith('--')) ? `--${name} needs a value` : undefined;
}
