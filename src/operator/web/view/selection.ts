// Chooses which objects an answer has: those that need attention first, and of the same state those that changed last.
import type { AnyDefinition, RawResource } from '../../api/definition.ts';
import type { WebState } from './answer.ts';
import { type Question, states } from './question.ts';
import { stateOf } from './state.ts';

export interface FoundObject {
  readonly definition: AnyDefinition;
  readonly resource: RawResource;
  readonly state: WebState;
}

interface Rank {
  readonly state: WebState;
  readonly since: string;
}

interface Ranked extends FoundObject, Rank {}

/** To read a status takes much longer than all the rest, and most objects do not change between two answers. */
const ranks = new WeakMap<RawResource, Rank>();

function rankOf(resource: RawResource): Rank {
  const known = ranks.get(resource);
  if (known !== undefined) return known;
  const { state, condition } = stateOf(resource);
  const rank = { state, since: condition?.lastTransitionTime ?? resource.metadata.creationTimestamp ?? '' };
  ranks.set(resource, rank);
  return rank;
}

/** Keeps the first `most`, and sorts at most twice as many at a time, so that a large cache does not block the event loop. */
export class Selection {
  readonly #question: Question;
  readonly #most: number;
  readonly #counts = new Map<string, Partial<Record<WebState, number>>>();
  #found: Ranked[] = [];
  #matching = 0;

  constructor(question: Question, most: number) {
    this.#question = question;
    this.#most = most;
  }

  /** Counts the object, and keeps it if it answers the question. */
  add(definition: AnyDefinition, resource: RawResource): void {
    const rank = rankOf(resource);
    const { state } = rank;
    const counts = this.#counts.get(definition.plural) ?? {};
    counts[state] = (counts[state] ?? 0) + 1;
    this.#counts.set(definition.plural, counts);
    if (!this.#matches(definition, resource, state)) return;
    this.#matching += 1;
    this.#found.push({ definition, resource, ...rank });
    if (this.#found.length >= 2 * this.#most) this.#found = this.#first();
  }

  #matches({ plural }: AnyDefinition, { metadata }: RawResource, state: WebState): boolean {
    const { resource, name, state: wanted } = this.#question;
    return (
      (resource === undefined || resource === plural) &&
      (name === undefined || name === metadata.name) &&
      (wanted === undefined || wanted === state)
    );
  }

  #first(): Ranked[] {
    return this.#found.sort(byAttention).slice(0, this.#most);
  }

  objects(): readonly FoundObject[] {
    return this.#first();
  }

  /** All that answer the question, with those that are not kept. */
  get matching(): number {
    return this.#matching;
  }

  statesOf(plural: string): Readonly<Partial<Record<WebState, number>>> {
    return this.#counts.get(plural) ?? {};
  }
}

function byAttention(one: Ranked, other: Ranked): number {
  return (
    states.indexOf(one.state) - states.indexOf(other.state) ||
    compare(other.since, one.since) ||
    compare(placeOf(one), placeOf(other))
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function placeOf({ resource: { metadata, kind } }: FoundObject): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`;
}
