// The store of one process as a pass sees it: each write is noted, and the process can die at any of them.
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import type { Key, ResourceStore } from '../../../../src/operator/reconcile/pass-ports.ts';

export type StoreWrite = 'claim' | 'status' | 'release' | 'create' | 'remove';

/** Where a process dies: right before or right after its n-th write of a kind, counted from when it is told. */
export interface CrashPoint {
  readonly at: StoreWrite | 'POST' | 'PUT' | 'DELETE';
  readonly nth: number;
  readonly side: 'before' | 'after';
}

/** One life of the operator's process: dead, it does nothing any more, and what it waited for never comes. */
export class Life {
  #crash: { point: CrashPoint; left: number } | undefined;
  #dead = false;
  readonly died: Promise<'crashed'>;
  #die: () => void = () => {};

  constructor() {
    this.died = new Promise((resolve) => {
      this.#die = () => resolve('crashed');
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  crashAt(point: CrashPoint): void {
    this.#crash = { point, left: point.nth };
  }

  end(): void {
    this.#dead = true;
    this.#die();
  }

  /** Never comes back when the process is dead, or dies here. */
  async passes(at: CrashPoint['at'], side: CrashPoint['side']): Promise<void> {
    const crash = this.#crash;
    if (crash && crash.point.at === at && crash.point.side === side) {
      crash.left -= 1;
      if (crash.left === 0) this.end();
    }
    if (this.#dead) await new Promise(() => {});
  }
}

export interface GateOptions {
  readonly store: ResourceStore;
  readonly life: Life;
  readonly noted: (write: StoreWrite, key: Key) => void;
  /** Each status as the API server stored it. */
  readonly shown: (resource: RawResource) => void;
}

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
}

export function gate({ store, life, noted, shown }: GateOptions): ResourceStore {
  async function through<T>(write: StoreWrite, resource: Named, act: () => Promise<T>): Promise<T> {
    await life.passes(write, 'before');
    noted(write, { kind: resource.kind, namespace: resource.metadata.namespace, name: resource.metadata.name });
    const answer = await act();
    await life.passes(write, 'after');
    return answer;
  }
  return {
    read: (key) => store.read(key),
    list: (kind, of) => store.list(kind, of),
    synced: (kind) => store.synced(kind),
    claim: (resource, ledger) => through('claim', resource, () => store.claim(resource, ledger)),
    release: (resource) => through('release', resource, () => store.release(resource)),
    create: (object) => through('create', object, () => store.create(object)),
    remove: (resource) => through('remove', resource, () => store.remove(resource)),
    writeStatus: (resource, status) =>
      through('status', resource, async () => {
        const stored = await store.writeStatus(resource, status);
        shown(stored);
        return stored;
      }),
    readFresh: (key) => store.readFresh(key),
  };
}
