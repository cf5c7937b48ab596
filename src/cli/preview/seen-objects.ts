// The objects of Kubernetes as the operator would have them in its cache. Whatever is written here stays here.
import type { RawResource } from '../../kube/resource.ts';
import { finalizer, ledgerAnnotation } from '../../operator/api/shared-api.ts';
import { type Key, keyOf, keyText, type ResourceStore } from '../../operator/reconcile/pass-ports.ts';

export class SeenObjects implements ResourceStore {
  readonly #kinds = new Map<string, Map<string, RawResource>>();
  #claimed: (resource: RawResource) => void = () => undefined;

  constructor(resources: Iterable<RawResource>) {
    for (const one of resources) this.put(one);
  }

  /** In place of the one of its name. */
  put(resource: RawResource): void {
    const ofKind = this.#kinds.get(resource.kind) ?? new Map<string, RawResource>();
    this.#kinds.set(resource.kind, ofKind.set(keyText(keyOf(resource)), resource));
  }

  /** The listener is called with each resource whose ledger is written here. */
  onClaim(listener: (resource: RawResource) => void): void {
    this.#claimed = listener;
  }

  read(key: Key): RawResource | undefined {
    return this.#kinds.get(key.kind)?.get(keyText(key));
  }

  list(kind: string): Iterable<RawResource> {
    return this.#kinds.get(kind)?.values() ?? [];
  }

  synced(): boolean {
    return true;
  }

  async readFresh(key: Key): Promise<RawResource | undefined> {
    return this.read(key);
  }

  async claim(resource: RawResource, ledger: string | undefined): Promise<RawResource> {
    const claimed = marked(resource, ledger === undefined ? {} : { [ledgerAnnotation]: ledger });
    this.put(claimed);
    this.#claimed(claimed);
    return claimed;
  }

  release(): Promise<never> {
    return unwritten();
  }

  create(): Promise<never> {
    return unwritten();
  }

  remove(): Promise<never> {
    return unwritten();
  }

  writeStatus(): Promise<never> {
    return unwritten();
  }
}

/** The resource as the operator has it once it works on it. */
export function marked(resource: RawResource, more: Readonly<Record<string, string>> = {}): RawResource {
  const { metadata } = resource;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
  return { ...resource, metadata: { ...metadata, finalizers, annotations: { ...metadata.annotations, ...more } } };
}

async function unwritten(): Promise<never> {
  throw new Error('a preview writes nothing to the API server');
}
