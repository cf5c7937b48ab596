// What is wrong with objects of a fixtures file: where each stands, which field it is, and what can be done about it. PURE.
import { unknownField } from './narrowing.ts';
import type { Refusal } from './refusal.ts';

/** An object that cannot be made: a line for everything that is wrong with it. */
export class Unusable extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('; '), { cause });
    this.lines = lines;
  }
}

const otherName = 'use another name';

/** What can be done about what the message only states. */
const remedies: Readonly<Record<string, string>> = {
  CLUSTER_NAME_ALREADY_EXISTS: otherName,
  NAME_ALREADY_EXISTS: otherName,
  DB_DUPLICATE_ENTRY: otherName,
  QUOTA_ERROR: 'ask for fewer machines, or start with a larger --quota',
  INVALID_CREDENTIALS: 'add it',
};

/** Some say themselves what can be done. */
const withRemedy = (line: string, remedy: string | undefined): string =>
  remedy === undefined || line.includes('; ') ? line : `${line}; ${remedy}`;

/** The refusal of the request that was to make the object at this place. */
export function refusedAt(at: string, refusal: Refusal): Unusable {
  const { message, errorName } = refusal;
  const ofField = (line: string) => withRemedy(`${at}.${line}`, line.endsWith(unknownField) ? 'remove it' : undefined);
  const isShape = errorName === 'VALIDATION_ERROR';
  const lines = message
    .split('\n')
    .map((line) =>
      isShape && !line.startsWith('body: ') ? ofField(line) : withRemedy(`${at}: ${line}`, remedies[String(errorName)]),
    );
  return new Unusable(lines, refusal);
}

/** Everything that is wrong with the file, as one text. */
export function refusedFile(refused: readonly Unusable[], count: number): Error {
  const lines = refused.flatMap((each) => each.lines.map((line) => `\n  ${line}`));
  const what = `${refused.length} of ${count} objects cannot be made, so none has been`;
  return new Error(`${what}:${lines.join('')}`, { cause: new AggregateError(refused) });
}
