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
  throw new Error(result.error.issues.flatMap(problemsOf).join('; '));
}

/** A key that the schema does not have is named by its own path. */
function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [`${pathText(path)}: ${message}`];
  const why = message.startsWith('Unrecognized key') ? 'is not known here; remove it' : message;
  return issue.keys.map((key) => `${pathText([...path, key])}: ${why}`);
}

/** Such as `flavors.gpu.pod.labels[example.com/team]`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    const name = String(part);
    if (/[./]/.test(name)) return `${text}[${name}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '') || 'the file';

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
