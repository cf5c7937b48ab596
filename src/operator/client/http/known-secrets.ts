// Secrets that were sent lately: a service may repeat one long after it was exchanged, and to another Connection than the one that sent it.

/** What is shorter could stand in any text, name or identifier, which must stay as they are. */
export const shortestSecret = 8;
/** Each is looked for in each text. */
const remembered = 32;

export class KnownSecrets {
  readonly #known = new Set<string>();
  #all: readonly string[] | undefined;

  /** To be told of each one that is sent; the others are forgotten first. */
  note(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < shortestSecret) continue;
      // Of a set the first is the oldest.
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

  /** With what a request was sent with, however short that is. */
  and(secrets: readonly string[]): readonly string[] {
    return [...new Set([...secrets, ...this.all()])];
  }
}

/** One for the process: services that share a tenant see each other's objects. */
export const knownSecrets = new KnownSecrets();
