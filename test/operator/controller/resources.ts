// Resources for tests that need nothing of a kind, and a cache that hands them out.
import type { Metadata, RawResource } from '../../../src/operator/api/definition.ts';
import { type ChangeSource, keyOf, keyText, type ResourceChange } from '../../../src/operator/reconcile/pass-ports.ts';

/** A Cluster `team/etl` without spec and status. */
export function resource(metadata: Partial<Metadata> = {}): RawResource {
  const common = { name: 'etl', namespace: 'team', uid: 'uid-1', resourceVersion: '1', generation: 1 };
  return { apiVersion: 'dataprocessing.dev/v1alpha1', kind: 'Cluster', metadata: { ...common, ...metadata } };
}

/** Holds objects and tells its subscribers of each change, as the cache of the API server does. */
export class FakeSource implements ChangeSource {
  readonly #handlers: ((change: ResourceChange) => void)[] = [];
  readonly #objects = new Map<string, RawResource>();

  subscribe(handler: (change: ResourceChange) => void): void {
    this.#handlers.push(handler);
  }

  put(current: RawResource, initial = false): void {
    const key = keyOf(current);
    const previous = this.#objects.get(keyText(key));
    this.#objects.set(keyText(key), current);
    for (const handler of this.#handlers) handler({ key, previous, current, initial });
  }

  delete(previous: RawResource): void {
    const key = keyOf(previous);
    this.#objects.delete(keyText(key));
    for (const handler of this.#handlers) handler({ key, previous, current: undefined, initial: false });
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }
}
