// Every version of every object of a namespace, as the API server tells them to whoever watches.
import type { RawResource } from '../../src/operator/api/definition.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { statusOf } from '../operator/kinds/support/invariants.ts';
import type { ApiServer, WatchEvent } from '../support/kubernetes/api-server.ts';
import { limitMs } from '../support/patience.ts';

export interface History {
  readonly kind: string;
  readonly name: string;
  /** Oldest first. */
  readonly versions: readonly RawResource[];
  readonly gone: boolean;
}

interface Growing {
  readonly kind: string;
  readonly name: string;
  readonly versions: RawResource[];
  gone: boolean;
}

export class Recorder {
  readonly #histories = new Map<string, Growing>();
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();
  #failure: unknown;

  /** Sees everything that comes into being from now on in a namespace that is empty yet. */
  constructor(api: ApiServer, namespace: string) {
    for (const { plural, scope } of definitions) {
      if (scope !== undefined) continue;
      const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
      api.watch(path, (event) => this.#saw(event), this.#end.signal).catch((error: unknown) => this.#broke(error));
    }
  }

  #saw({ type, object }: WatchEvent): void {
    const resource = object as RawResource;
    const { kind, metadata } = resource;
    const key = `${kind}/${metadata.name}/${metadata.uid}`;
    const known = this.#histories.get(key) ?? { kind, name: metadata.name, versions: [], gone: false };
    this.#histories.set(key, known);
    if (type === 'DELETED') known.gone = true;
    else known.versions.push(resource);
    for (const listener of this.#listeners) listener();
  }

  /** A record with a hole in it proves nothing. */
  #broke(error: unknown): void {
    if (this.#end.signal.aborted) return;
    this.#failure = error;
    for (const listener of this.#listeners) listener();
  }

  get all(): readonly History[] {
    return [...this.#histories.values()];
  }

  /** Of the youngest object of this name. */
  of(kind: string, name: string): History {
    const found = this.all.findLast((one) => one.kind === kind && one.name === name);
    return found ?? { kind, name, versions: [], gone: false };
  }

  /** Resolves to the first version that is so, of all since the `from`th; `latest`: of the last one only. */
  async until(
    { kind, name, from = 0 }: { readonly kind: string; readonly name: string; readonly from?: number | 'latest' },
    what: string,
    holds: (resource: RawResource) => boolean,
  ): Promise<RawResource> {
    const find = () =>
      this.of(kind, name)
        .versions.slice(from === 'latest' ? -1 : from)
        .find(holds);
    return this.#wait(find, `${kind} ${name}: ${what}`);
  }

  async gone(kind: string, name: string): Promise<void> {
    await this.#wait(() => this.of(kind, name).gone || undefined, `${kind} ${name}: gone`);
  }

  async #wait<T>(find: () => T | undefined, what: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const listener = (): void => {
      const found = find();
      if (this.#failure !== undefined) reject(this.#failure as Error);
      else if (found !== undefined) resolve(found);
    };
    const late = () => reject(new Error(`cannot go on: ${what} did not come true.\n${this.describe()}`));
    const timer = setTimeout(late, limitMs);
    this.#listeners.add(listener);
    listener();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#listeners.delete(listener);
    });
  }

  describe(): string {
    return this.all
      .map(({ kind, name, versions }) => `${kind} ${name}: ${describeVersion(versions.at(-1))}`)
      .join('\n');
  }

  close(): void {
    this.#end.abort();
  }
}

export function describeVersion(resource: RawResource | undefined): string {
  if (resource === undefined) return 'never seen';
  const { observedGeneration, conditions = [] } = statusOf(resource);
  const shown = conditions.map(({ type, status, reason, message }) => `${type}=${status}/${reason} (${message})`);
  const { generation, resourceVersion } = resource.metadata;
  return `version ${resourceVersion}, generation ${generation}, observed ${observedGeneration}; ${shown.join(', ')}`;
}
