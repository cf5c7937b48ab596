// Who refers to what: an index from a dependency, as text, to the keys that name it.

/** The text of an object of the service, by its id or its name; joined for the same reason as `keyText`. */
export function externalText(connection: string, collection: string, idOrName: string): string {
  return [connection, collection, idOrName].join('/');
}

interface Dependency {
  /** As it was first named: who names it later shares the text. */
  readonly text: string;
  /** Most have one dependent: a Set only from the second on saves most of the memory. */
  dependents: string | Set<string>;
}

export class Dependents {
  /** A list only from the second on. */
  readonly #dependenciesOf = new Map<string, Dependency | readonly Dependency[]>();
  readonly #dependencies = new Map<string, Dependency>();

  /** The number of keys that depend on anything. */
  get size(): number {
    return this.#dependenciesOf.size;
  }

  /** Replaces what `key` depends on; answers with what it depended on before and does not any more. */
  set(key: string, dependencies: readonly string[]): readonly string[] {
    const before = [this.#dependenciesOf.get(key) ?? []].flat();
    if (sameInOrder(before, dependencies)) return [];
    for (const dependency of before) this.#unlink(dependency, key);
    const linked = dependencies.map((text) => this.#link(text, key));
    const [first] = linked;
    if (first === undefined) this.#dependenciesOf.delete(key);
    else this.#dependenciesOf.set(key, linked.length === 1 ? first : linked);
    return before.flatMap(({ text }) => (dependencies.includes(text) ? [] : [text]));
  }

  remove(key: string): readonly string[] {
    return this.set(key, []);
  }

  has(dependency: string): boolean {
    return this.#dependencies.has(dependency);
  }

  dependentsOf(dependency: string): readonly string[] {
    const keys = this.#dependencies.get(dependency)?.dependents;
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : [...keys];
  }

  #link(text: string, key: string): Dependency {
    const known = this.#dependencies.get(text);
    if (known === undefined) {
      const dependency = { text, dependents: key };
      this.#dependencies.set(text, dependency);
      return dependency;
    }
    const { dependents } = known;
    if (typeof dependents !== 'string') dependents.add(key);
    else if (dependents !== key) known.dependents = new Set([dependents, key]);
    return known;
  }

  #unlink(dependency: Dependency, key: string): void {
    const { text, dependents } = dependency;
    if (dependents === key) this.#dependencies.delete(text);
    if (typeof dependents === 'string') return;
    dependents.delete(key);
    const [last] = dependents.size === 1 ? dependents : [];
    if (last !== undefined) dependency.dependents = last;
  }
}

function sameInOrder(before: readonly Dependency[], after: readonly string[]): boolean {
  return before.length === after.length && before.every(({ text }, index) => text === after[index]);
}
