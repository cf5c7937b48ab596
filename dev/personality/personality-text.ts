// Reads personalities from YAML or JSON, and checks them against the routes and states that exist.
import { parse } from 'yaml';
import { messageOf } from '../../src/lib/errors.ts';
import { readSettings } from '../../src/lib/settings-file.ts';
import { Refusal } from '../../src/service/model/refusal.ts';
import { clusterStages } from '../../src/service/model/stages/cluster-stages.ts';
import { executionStages } from '../../src/service/model/stages/execution-stages.ts';
import { endpoints } from '../../src/service/resources/all-routes.ts';
import { readExactBody } from '../../src/service/resources/bodies/bodies.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { type Personality, type PersonalityWords, personalitySchema } from './personality.ts';

const vocabulary = (dialect: Dialect): PersonalityWords => ({
  methods: [...new Set(endpoints.map(({ method }) => method))],
  paths: [...new Set(endpoints.map(({ path }) => path))],
  statuses: clusterStages.statuses(dialect),
  executionStatuses: executionStages.statuses(dialect),
});

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Refusal([400, 'MALFORMED_REQUEST_BODY'], `it is neither YAML nor JSON: ${why}`);
  }
}

/** Throws a Refusal with one line for each problem, by field. */
export const parsePersonality = (dialect: Dialect, text: string): Personality =>
  // The fields of a personality are not renamed by dialects.
  readExactBody('neutral', personalitySchema(vocabulary(dialect)), parseText(text));

/** Throws `cannot read personality FILE: ...`. */
export const readPersonality = (dialect: Dialect, file: string): Personality =>
  readSettings('personality', file, (text) => parsePersonality(dialect, text));
