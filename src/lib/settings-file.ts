// Reads settings from YAML or JSON files. Messages name the file and the field.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { messageOf } from './errors.ts';

/** Schemas drop this key without a word. */
function reviver(key: unknown, value: unknown): unknown {
  if (key === '__proto__') throw new Error('it has the key __proto__, which cannot be used: choose another name');
  return value;
}

/** Messages quote nothing of the text, which can contain secrets. */
function parseText(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [error] = document.errors;
  if (error === undefined) return document.toJS({ reviver });
  const { line, col } = lines.linePos(error.pos[0]);
  throw new Error(`it is neither YAML nor JSON: line ${line}, column ${col} (${error.code})`);
}

/** Throws an Error that names each wrong field, and quotes no value. */
export function parseSettings<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const result = schema.safeParse(parseText(text));
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new Error(problems.join('; '));
}

/** Throws `cannot read WHAT FILE: ...`, or with another verb. */
export function readSettings<Result>(
  what: string,
  file: string,
  read: (text: string) => Result,
  verb = 'read',
): Result {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`cannot ${verb} ${what} ${file}: ${why}`, { cause });
  }
}
