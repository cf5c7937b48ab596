// Who refers to what: an index from a dependency, as text, to the keys that name it.

/** The text of an object of the service, by its id or its name. */
export function externalText(connection: string, collection: string, idOrName: string): string {
  return `${connection}/${collection}/${idOrName}`;
}

export class Dependents {
  readonly #dependenciesOf = new Map<string, readonly string[]>();
  readonly #dependentsOf = new Map<string, Set<string>>();

  /** The number of keys that depend on anything. */
  get size(): number {
    return this.#dependenciesOf.size;
  }

  /** Replaces what `key` depends on; returns what it no longer depends on. */
  set(key: string, dependencies: readonly string[]): readonly string[] {
    const before = this.#dependenciesOf.get(key) ?? [];
    if (dependencies.length === 0) this.#dependenciesOf.delete(key);
    else this.#dependenciesOf.set(key, dependencies);
    const dropped = before.filter((dependency) => !dependencies.includes(dependency));
    for (const dependency of dropped) this.#unlink(dependency, key);
    for (const dependency of dependencies) {
      const dependents = this.#dependentsOf.get(dependency) ?? new Set();
      this.#dependentsOf.set(dependency, dependents.add(key));
    }
    return dropped;
  }

  remove(key: string): readonly string[] {
    return this.set(key, []);
  }

  has(dependency: string): boolean {
    return this.#dependentsOf.has(dependency);
  }

  dependentsOf(dependency: string): readonly string[] {
    return [...(this.#dependentsOf.get(dependency) ?? [])];
  }

  #unlink(dependency: string, key: string): void {
    const dependents = this.#dependentsOf.get(dependency);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#dependentsOf.delete(dependency);
  }
}
