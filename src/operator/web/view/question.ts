// What a request to /api/objects asks for.
import type { AnyDefinition } from '../../api/definition.ts';
import type { WebState } from './answer.ts';

export interface Question {
  /** The plural of a kind; all kinds without it. */
  readonly resource?: string;
  readonly namespace?: string;
  /** Only with resource, and with the namespace where its objects are in one. */
  readonly name?: string;
  readonly state?: WebState;
}

/** In the order in which they need attention. */
export const states = [
  'Stalled',
  'Waiting',
  'Progressing',
  'Failed',
  'Suspended',
  'Ready',
  'Succeeded',
] as const satisfies readonly WebState[];

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

/** A text says what is wrong with the query. It repeats nothing of it. */
export function readQuestion(query: URLSearchParams, definitions: readonly AnyDefinition[]): Question | string {
  const plurals = definitions.map(({ plural }) => plural);
  const rules: Readonly<Record<string, readonly [isValid: (text: string) => boolean, expected: string]>> = {
    resource: [(text) => plurals.includes(text), `one of ${plurals.join(', ')}`],
    namespace: [(text) => label.test(text), 'the name of a namespace'],
    name: [(text) => subdomain.test(text), 'the name of an object'],
    state: [(text) => states.some((state) => state === text), `one of ${states.join(', ')}`],
  };
  for (const [field, value] of query) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (rule === undefined) return `the query has an unknown field: use ${Object.keys(rules).join(', ')}`;
    if (!rule[0](value)) return `${field}: must be ${rule[1]}`;
  }
  const question = Object.fromEntries(query) as Question;
  const isInNone = definitions.some(({ plural, scope }) => plural === question.resource && scope === 'Cluster');
  const isNamed = question.resource !== undefined && (question.namespace !== undefined || isInNone);
  if (question.name !== undefined && !isNamed) return 'name: needs resource and namespace';
  return question;
}
