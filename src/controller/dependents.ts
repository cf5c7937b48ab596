// Who refers to what: an index from a dependency, as text, to the keys that name it.

/** The text of an object of the service, by its id or its name. */
export function externalText(connection: string, collection: string, idOrName: string): string {
  return `${connection}/${collection}/${idOrName}`;
}

/** Most dependencies have one dependent: a Set only from the second on saves most of the memory. */
export class Dependents {
  readonly #dependencies = new Map<string, readonly string[]>();
  readonly #dependents = new Map<string, string | Set<string>>();

  /** The number of keys that depend on anything. */
  get size(): number {
    return this.#dependencies.size;
  }

  /** Replaces what `key` depends on; answers with what it depended on before and does not any more. */
  set(key: string, dependencies: readonly string[]): readonly string[] {
    const before = this.#dependencies.get(key) ?? [];
    if (sameInOrder(before, dependencies)) return [];
    for (const dependency of before) this.#unlink(dependency, key);
    for (const dependency of dependencies) this.#link(dependency, key);
    if (dependencies.length > 0) this.#dependencies.set(key, dependencies);
    else this.#dependencies.delete(key);
    return before.filter((dependency) => !dependencies.includes(dependency));
  }

  remove(key: string): readonly string[] {
    return this.set(key, []);
  }

  has(dependency: string): boolean {
    return this.#dependents.has(dependency);
  }

  dependentsOf(dependency: string): readonly string[] {
    const keys = this.#dependents.get(dependency);
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : [...keys];
  }

  #link(dependency: string, key: string): void {
    const keys = this.#dependents.get(dependency);
    if (keys === undefined || keys === key) this.#dependents.set(dependency, key);
    else if (typeof keys === 'string') this.#dependents.set(dependency, new Set([keys, key]));
    else keys.add(key);
  }

  #unlink(dependency: string, key: string): void {
    const keys = this.#dependents.get(dependency);
    if (keys === key) this.#dependents.delete(dependency);
    if (typeof keys !== 'object') return;
    keys.delete(key);
    const [first] = keys;
    if (keys.size === 1 && first !== undefined) this.#dependents.set(dependency, first);
  }
}

function sameInOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
