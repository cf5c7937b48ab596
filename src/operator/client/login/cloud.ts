// One cloud of a clouds.yaml: how to log in there, and which endpoint of its catalogue to take; what can go wrong in it, by field.

/** All that a log-in needs. Holds secrets: never logged. */
export interface Cloud {
  /** Ends with `/v3`. */
  readonly authUrl: string;
  /** `auth.identity` of the request for a token. */
  readonly identity: object;
  /** `auth.scope`; undefined: an application credential has its project in itself. */
  readonly scope: object | undefined;
  /** Undefined: the first region of the catalogue. */
  readonly region: string | undefined;
  readonly interface: 'public' | 'internal' | 'admin';
  /** PEM: trusted besides the CA of the Connection. */
  readonly ca: string | undefined;
  /** False: any certificate will do. */
  readonly verify: boolean;
  /** What must never be said. */
  readonly secrets: readonly string[];
}

/** Something is wrong in a clouds.yaml. The message names the field and the remedy, and no value that may be secret. */
export class CloudsError extends Error {
  override readonly name = 'CloudsError';
}

/** The scalars and maps of a cloud as they stand in the file: every scalar is text, so that no password turns into a number. */
export class CloudFields {
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** `path`: empty for the whole file. Throws when `value` is no map. */
  constructor(path: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new CloudsError(`${path === '' ? 'it' : path} must hold fields, each in a line of its own`);
    }
    this.#path = path;
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  map(name: string): CloudFields {
    if (!Object.hasOwn(this.#fields, name)) throw this.wrong(name, 'is missing');
    return new CloudFields(this.#pathTo(name), this.#fields[name]);
  }

  /** The first of these fields that has a value; undefined when none has. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw this.wrong(name, 'must be one word or text');
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  }

  need(name: string, remedy: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.wrong(name, `is missing: ${remedy}`);
    return value;
  }

  wrong(name: string, what: string): CloudsError {
    return new CloudsError(`${this.#pathTo(name)} ${what}`);
  }

  #pathTo(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
