// Requests to the API server. Their failures are explained by what is known of earlier ones.
import { ApiError } from '../../../../kube/api-error.ts';
import { type ApiCall, verbOf } from '../../../../kube/http/call.ts';
import { targetOf } from '../../../../kube/target.ts';
import type { Clock } from '../../../../lib/ports.ts';
import { explain, isRefusal, type RequestHistory } from './failures.ts';

interface KnownRequests {
  readonly hasWorked: boolean;
  /** When the first and the last of the refusals in a row came. */
  readonly refusals?: { readonly first: number; readonly last: number };
}

type CallLine = Pick<ApiCall, 'method' | 'path'>;

function keyOf(call: CallLine): string {
  const { resource, namespace } = targetOf(call.path);
  return `${verbOf(call)} ${resource} ${namespace}`;
}

/** More than the backoff between two tries. Refusals that are further apart are not in a row. */
const longestGapMs = 3 * 60_000;

export class Requests {
  readonly #clock: Clock;
  /** By verb, kind and namespace. */
  readonly #known = new Map<string, KnownRequests>();
  /** By kind and namespace: earlier lives of the service have made such objects. */
  readonly #made = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles as the request does. A failure is what `explain` makes of it. */
  async make<T>(call: CallLine, request: () => Promise<T>): Promise<T> {
    try {
      const answer = await request();
      this.#known.set(keyOf(call), { hasWorked: true });
      return answer;
    } catch (error) {
      throw this.explain(call, error);
    }
  }

  /** According to a record, the service has made objects of these kinds in the namespace: requests for them have worked. */
  recall(namespace: string, resources: readonly string[]): void {
    for (const resource of resources) this.#made.add(`${resource} ${namespace}`);
  }

  /** Notes the failure of a request that was made elsewhere, and returns what it means. */
  explain(call: CallLine, error: unknown): unknown {
    const key = keyOf(call);
    if (!isRefusal(error)) return explain(error, this.#failed(key, error));
    const { resource, namespace } = targetOf(call.path);
    const { hasWorked, refusedMs } = this.#refused(key);
    return explain(error, { hasWorked: hasWorked || this.#made.has(`${resource} ${namespace}`), refusedMs });
  }

  /** Whoever learns what the API server has decided about an object is allowed to ask. */
  #failed(key: string, error: unknown): RequestHistory {
    const isAnswered =
      error instanceof ApiError && ['gone', 'conflict', 'invalid', 'forbidden'].includes(error.category);
    if (isAnswered) this.#known.set(key, { hasWorked: true });
    return { hasWorked: this.#known.get(key)?.hasWorked ?? false, refusedMs: 0 };
  }

  #refused(key: string): RequestHistory {
    const now = this.#clock.monotonic();
    const { hasWorked = false, refusals } = this.#known.get(key) ?? {};
    const first = refusals !== undefined && now - refusals.last <= longestGapMs ? refusals.first : now;
    this.#known.set(key, { hasWorked, refusals: { first, last: now } });
    return { hasWorked, refusedMs: now - first };
  }
}
