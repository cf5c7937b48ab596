// Keys that appear in one LIST of the service share their polls: each is reconciled less often, and the LIST is read as often. With 1000
// clusters at rest, polls of each key's own take 2.4 s of CPU time a minute instead of 1.1, and keep 127 MiB instead of 110, because V8
// returns memory only while little is allocated. Both grow with the clusters.
import type { Requeue } from '../reconcile/requeue.ts';

/** So many passes in each interval are enough for a look in time. */
const enoughPasses = 20;
/** However many they are: each is a net under the LIST, which wakes whom a change concerns. */
const seldomMs = 2_400_000;

/** Between two passes of each of `sharers` keys, which together see to it that their LIST is no older than `pollMs`. */
export function sharedMs(pollMs: number, sharers: number): number {
  return Math.max(pollMs, Math.min(seldomMs, (pollMs * sharers) / enoughPasses));
}

/** One LIST, and how many keys are settled in it. */
export interface SharedPoll {
  readonly name: string;
  /** Of those who settled last. */
  pollMs: number;
  sharers: number;
  /** The most of them that an interval under way counts on. */
  counted: number;
  failing: boolean;
}

export class SharedPolls {
  readonly #looks = new Map<string, SharedPoll>();
  readonly #called = new Set<SharedPoll>();

  /** What a key shares after this requeue; `look` is what it shared before. */
  after(look: SharedPoll | undefined, requeue: Requeue): SharedPoll | undefined {
    const name = requeue.next === 'settled' ? requeue.sharedPoll : undefined;
    if (look !== undefined && look.name !== name) this.#leave(look);
    if (requeue.next === 'retry' && requeue.sharedPoll !== undefined) this.#fail(requeue.sharedPoll);
    if (requeue.next !== 'settled' || name === undefined) return undefined;
    const shared = look?.name === name ? look : this.#join(name);
    shared.pollMs = requeue.pollMs;
    shared.counted = Math.max(shared.counted, shared.sharers);
    shared.failing = false;
    return shared;
  }

  /** Looks whose keys must all come by within its `pollMs`, as each would if it were alone. Told once. */
  called(): readonly SharedPoll[] {
    const called = [...this.#called];
    this.#called.clear();
    return called;
  }

  #join(name: string): SharedPoll {
    const look = this.#looks.get(name) ?? { name, pollMs: 0, sharers: 0, counted: 0, failing: false };
    look.sharers += 1;
    this.#looks.set(name, look);
    return look;
  }

  #leave(look: SharedPoll): void {
    look.sharers -= 1;
    if (look.sharers === 0) this.#looks.delete(look.name);
    // Those who are left counted on many more to come by before them.
    else if (look.sharers * enoughPasses < look.counted) this.#call(look);
  }

  /** That the service cannot be looked at is for each of them to find out. */
  #fail(name: string): void {
    const look = this.#looks.get(name);
    if (look === undefined || look.failing) return;
    look.failing = true;
    if (look.counted > enoughPasses) this.#call(look);
  }

  #call(look: SharedPoll): void {
    look.counted = look.sharers;
    this.#called.add(look);
  }
}
