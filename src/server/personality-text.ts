// Personalities as text: YAML, hence JSON, too, checked against the routes and states that there are.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Dialect } from '../wire/dialect.ts';
import { readExactBody } from './bodies.ts';
import { type Personality, personalitySchema, type Vocabulary } from './personality.ts';
import { Refusal } from './refusal.ts';
import { endpoints } from './routes.ts';
import { statusWords } from './stages.ts';

const vocabulary = (dialect: Dialect): Vocabulary => ({
  paths: [...new Set(endpoints.map(({ path }) => path))],
  statuses: statusWords(dialect),
});

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal([400, 'MALFORMED_REQUEST_BODY'], `it is neither YAML nor JSON: ${why}`);
  }
}

/** Throws a Refusal with a line for each problem, by field. */
export const parsePersonality = (dialect: Dialect, text: string): Personality =>
  // The fields of a personality are no words of the wire, and are the same in all dialects.
  readExactBody('neutral', personalitySchema(vocabulary(dialect)), parseText(text));

/** Throws `cannot read personality FILE: ...`. */
export function readPersonality(dialect: Dialect, file: string): Personality {
  try {
    return parsePersonality(dialect, readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read personality ${file}: ${why}`, { cause });
  }
}
