// Uids of the objects of a simulated API server: by what the object is, so that what else was made makes no difference to it.

export class Uids {
  readonly #incarnations = new Map<string, number>();

  next(key: string): string {
    const incarnation = (this.#incarnations.get(key) ?? 0) + 1;
    this.#incarnations.set(key, incarnation);
    return `uid-${key}-${incarnation}`;
  }
}
