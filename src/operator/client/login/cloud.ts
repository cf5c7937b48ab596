// One cloud of a clouds.yaml, and typed access to its fields.

/** Never logged, because it contains secrets. */
export interface Cloud {
  /** Ends with `/v3`. */
  readonly authUrl: string;
  /** `auth.identity` of the token request. */
  readonly identity: object;
  /** `auth.scope` of the token request; undefined for an application credential, which implies its project. */
  readonly scope: object | undefined;
  /** Defaults to the first region of the catalogue. */
  readonly region: string | undefined;
  readonly interface: 'public' | 'internal' | 'admin';
  /** PEM, trusted in addition to the CA of the Connection. */
  readonly ca: string | undefined;
  /** If false, any certificate is accepted. */
  readonly verify: boolean;
  /** Texts to redact. */
  readonly secrets: readonly string[];
}

/** A clouds.yaml is invalid. The message names the field and the remedy, but no value that may be secret. */
export class CloudsError extends Error {
  override readonly name = 'CloudsError';
}

/** A map of the file. Every scalar is a string, so that no password becomes a number. */
export class CloudFields {
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** `path` is empty for the whole file. Throws CloudsError if `value` is not a map. */
  constructor(path: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new CloudsError(`${path === '' ? 'the file' : path} must be a map of fields`);
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

  /** The value of the first of these fields that is set. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw this.wrong(name, 'must be a string');
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
