// What the API server has of the kinds that matter here, kept up to date by watches; waits end as soon as a condition holds.
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import type { ApiServer } from '../../support/kubernetes/api-server.ts';

export interface Seen {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly deletionPolicy?: string };
  readonly status?: {
    readonly id?: string;
    readonly ledger?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message?: string;
      readonly observedGeneration: number;
    }[];
  };
}

const everyMs = 50;

/** Kinds without a namespace are those of everybody on the API server. */
const namespaced = definitions.filter(({ scope }) => scope === undefined);
const paths: Readonly<Record<string, string>> = {
  Secret: '/api/v1/secrets',
  ...Object.fromEntries(namespaced.map(({ kind, plural }) => [kind, `/apis/${apiVersion}/${plural}`])),
};

export function pathOf(kind: string, namespace: string, name: string): string {
  return `${paths[kind]?.replace(/(\/v1[^/]*)\//, `$1/namespaces/${namespace}/`)}/${name}`;
}

export class Mirror implements AsyncDisposable {
  readonly #objects = new Map<string, Seen>();
  readonly #stop = new AbortController();
  readonly #watches: readonly Promise<void>[];

  /** Of all namespaces whose name begins so. */
  constructor(api: ApiServer, namespaces: string) {
    this.#watches = Object.entries(paths).map(([kind, path]) =>
      api.watch(
        path,
        ({ type, object }) => {
          const seen = { ...(object as Seen), kind };
          if (!seen.metadata.namespace.startsWith(namespaces)) return;
          const key = keyOf(kind, seen.metadata);
          if (type === 'DELETED') this.#objects.delete(key);
          else this.#objects.set(key, seen);
        },
        this.#stop.signal,
      ),
    );
  }

  get(kind: string, namespace: string, name: string): Seen | undefined {
    return this.#objects.get(keyOf(kind, { namespace, name }));
  }

  /** All whose names belong to this cell. */
  of(cell: string): readonly Seen[] {
    return [...this.#objects.values()].filter(({ metadata: { name } }) => name === cell || name.startsWith(`${cell}-`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#watches);
  }
}

export function isReady({ metadata, status }: Seen): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

/** Resolves when `missing` finds nothing missing any more. Throws with what it said last. `seldom`: it has a lot to look at. */
export async function until(missing: () => string | undefined, withinMs: number, how?: 'seldom'): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const what = missing();
    if (what === undefined) return;
    if (performance.now() - begun > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, how === 'seldom' ? 5 * everyMs : everyMs));
  }
}

function keyOf(kind: string, { namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${kind} ${namespace}/${name}`;
}
