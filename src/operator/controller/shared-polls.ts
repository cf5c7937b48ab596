// Keys that show in one LIST of the service share their looks at it: each is passed more seldom, and the LIST is asked for as often.
import type { Verdict } from '../reconcile/requeue.ts';

/** So many passes in each interval are enough for a look in time. */
const ENOUGH = 20;
/** However many they are: each is a net under the LIST, which wakes whom a change concerns. */
const SELDOM_MS = 2_400_000;

/** Between two passes of each of `sharers` keys, which together see to it that their LIST is no older than `pollMs`. */
export function sharedMs(pollMs: number, sharers: number): number {
  return Math.max(pollMs, Math.min(SELDOM_MS, (pollMs * sharers) / ENOUGH));
}

/** One LIST, and how many keys are settled in it. */
export interface Look {
  readonly name: string;
  /** Of those who settled last. */
  pollMs: number;
  sharers: number;
  /** The most of them that an interval under way counts on. */
  counted: number;
  failing: boolean;
}

export class Looks {
  readonly #looks = new Map<string, Look>();
  readonly #called = new Set<Look>();

  /** What a key shares after this verdict; `look` is what it shared before. */
  after(look: Look | undefined, verdict: Verdict): Look | undefined {
    const name = verdict.next === 'settled' ? verdict.look : undefined;
    if (look !== undefined && look.name !== name) this.#leave(look);
    if (verdict.next === 'retry' && verdict.look !== undefined) this.#fail(verdict.look);
    if (verdict.next !== 'settled' || name === undefined) return undefined;
    const shared = look?.name === name ? look : this.#join(name);
    shared.pollMs = verdict.pollMs;
    shared.counted = Math.max(shared.counted, shared.sharers);
    shared.failing = false;
    return shared;
  }

  /** Looks whose keys must all come by within its `pollMs`, as each would if it were alone. Told once. */
  called(): readonly Look[] {
    const called = [...this.#called];
    this.#called.clear();
    return called;
  }

  #join(name: string): Look {
    const look = this.#looks.get(name) ?? { name, pollMs: 0, sharers: 0, counted: 0, failing: false };
    look.sharers += 1;
    this.#looks.set(name, look);
    return look;
  }

  #leave(look: Look): void {
    look.sharers -= 1;
    if (look.sharers === 0) this.#looks.delete(look.name);
    // Those who are left counted on many more to come by before them.
    else if (look.sharers * ENOUGH < look.counted) this.#call(look);
  }

  /** That the service cannot be looked at is for each of them to find out. */
  #fail(name: string): void {
    const look = this.#looks.get(name);
    if (look === undefined || look.failing) return;
    look.failing = true;
    if (look.counted > ENOUGH) this.#call(look);
  }

  #call(look: Look): void {
    look.counted = look.sharers;
    this.#called.add(look);
  }
}
