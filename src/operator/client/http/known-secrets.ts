// Recently sent secrets. A service may echo one long after it was replaced, and to another Connection.

/** Shorter texts could be part of any word, name or identifier. */
export const shortestSecret = 8;
/** Limited, because each text is searched for each secret. */
const remembered = 32;

export class KnownSecrets {
  readonly #known = new Set<string>();
  #all: readonly string[] | undefined;

  /** Must be called for each secret that is sent. The least recently used ones are forgotten first. */
  note(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < shortestSecret) continue;
      if (!this.#known.delete(secret)) this.#all = undefined;
      this.#known.add(secret);
    }
    for (const oldest of this.#known) {
      if (this.#known.size <= remembered) return;
      this.#known.delete(oldest);
      this.#all = undefined;
    }
  }

  all(): readonly string[] {
    this.#all ??= [...this.#known];
    return this.#all;
  }

  /** All known secrets and these, however short. */
  and(secrets: readonly string[]): readonly string[] {
    return [...new Set([...secrets, ...this.all()])];
  }
}

/** Shared by all services, because services that share a tenant see each other's objects. */
export const knownSecrets = new KnownSecrets();
