// Lists in the order in which a test has spoken of what is in them: the interface promises none, and tests compare whole lists.
import type { Json } from '../../peer.ts';

const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

export class Mentions {
  readonly #order = new Map<string, number>();

  /** `first`: words whose order all tests agree on. */
  constructor(first: readonly string[]) {
    for (const word of first) this.#mention(word);
  }

  #mention(word: unknown): void {
    if (typeof word === 'string' && !this.#order.has(word)) this.#order.set(word, this.#order.size);
  }

  /** What a test sends, from the outside to the inside. */
  noteSent(value: Json): void {
    if (Array.isArray(value)) for (const each of value) this.noteSent(each);
    else if (isObject(value)) for (const each of Object.values<Json>(value)) this.noteSent(each);
    else this.#mention(value);
  }

  /** The identifiers of what was created. */
  noteCreated(body: Json): void {
    if (isObject(body)) for (const row of Object.values<Json>(body)) this.#mention(row?.id);
  }

  #rank(item: Json): number {
    const words = isObject(item) ? [item.id, item.name, item.instance_name] : [item];
    const found = words.map((word) => this.#order.get(word)).find((index) => index !== undefined);
    return found ?? this.#order.size;
  }

  #compare(one: Json, other: Json): number {
    const byName = String(one?.instance_name ?? '').localeCompare(String(other?.instance_name ?? ''));
    return this.#rank(one) - this.#rank(other) || byName;
  }

  /** The same, with every list in that order, but for lists whose order has a meaning; what nobody spoke of comes last, as it came. */
  arrange(value: Json): Json {
    if (Array.isArray(value))
      return value.map((item: Json) => this.arrange(item)).toSorted((one, other) => this.#compare(one, other));
    if (!isObject(value)) return value;
    const arranged = ([key, inner]: [string, Json]) => [key, key === 'args' ? inner : this.arrange(inner)];
    return Object.fromEntries(Object.entries<Json>(value).map(arranged));
  }
}
