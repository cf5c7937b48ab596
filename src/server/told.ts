// What the service is told by files: YAML, hence JSON, too, with a line that names file and field where it cannot be used.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';

/** Throws an Error that names each wrong field, and quotes none. */
export function parseTold<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const result = schema.safeParse(parse(text, { prettyErrors: false, logLevel: 'silent' }));
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(problems.join('; '));
}

/** Throws `cannot read WHAT FILE: ...`. */
export function readTold<Result>(what: string, file: string, read: (text: string) => Result): Result {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read ${what} ${file}: ${why}`, { cause });
  }
}
