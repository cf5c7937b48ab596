// Keys that wait for the service share their polls: one LIST shows them all, and wakes those whose objects have changed. So one key polls,
// at the pace of the youngest, and the others only as a safety net. With separate polls, 1000 clusters in progress would take 1000 passes
// a second.

/** Before the first poll. Objects that were applied together are made within a moment, and one LIST is to see all of them end. */
const firstMs = 1_250;
const shortestMs = 1_000;
/** An object may be seen late by this share of the time it has taken. */
const share = 0.1;
const longestMs = 30_000;
/** Between two passes of a key that does not poll, at least. */
const safetyNetMs = 10_000;
/** As a share of the delay before a poll: the previous LIST must not pass for a new one. */
const ageShare = 0.5;

/** From now to the next poll of something that has been in progress for `elapsedMs`: a tenth of that, at least 1 s and at most 30 s. */
export function progressMs(elapsedMs: number): number {
  return elapsedMs === 0 ? firstMs : Math.min(longestMs, Math.max(shortestMs, elapsedMs * share));
}

/** When a key is reconciled again, and how old an observation may be then. */
export interface BusyDelay {
  readonly delayMs: number;
  readonly ageMs: number;
}

interface BusyPoll {
  /** Since when each key has been in progress. */
  readonly since: Map<string, number>;
  /** Of the youngest key. */
  latest: number;
  /** The key whose passes read the LIST, and when the next one is due. */
  poller: string;
  dueAt: number;
}

/** All times are those of `Clock.monotonic()`. */
export class BusyPolls {
  readonly #polls = new Map<string, BusyPoll>();
  readonly #appointed = new Map<string, BusyDelay>();

  /** The key, in progress since `since`, waits for a change in the LIST `name`. */
  wait(key: string, name: string, { since, now }: { readonly since: number; readonly now: number }): BusyDelay {
    const poll = this.#polls.get(name) ?? { since: new Map<string, number>(), latest: since, poller: key, dueAt: now };
    this.#polls.set(name, poll);
    const isYounger = since > (poll.since.get(key) ?? since);
    poll.since.set(key, since);
    poll.latest = Math.max(poll.latest, since);
    const pollMs = progressMs(now - poll.latest);
    // The service has received another request since the next poll was planned.
    if (isYounger && poll.poller === key) poll.dueAt = Math.min(poll.dueAt, now + pollMs);
    if (poll.poller !== key && poll.dueAt <= now + pollMs) {
      const delayMs = Math.max(safetyNetMs, progressMs(now - since));
      return { delayMs, ageMs: delayMs * ageShare };
    }
    return pollBy(poll, key, now);
  }

  /** The key no longer waits for a change in this LIST. */
  leave(key: string, name: string, now: number): void {
    const poll = this.#polls.get(name);
    const since = poll?.since.get(key);
    if (poll === undefined || since === undefined) return;
    poll.since.delete(key);
    this.#appointed.delete(key);
    if (poll.since.size === 0) {
      this.#polls.delete(name);
      return;
    }
    if (since === poll.latest) poll.latest = latestOf(poll);
    const [next = key] = poll.since.keys();
    if (poll.poller === key) this.#appointed.set(next, pollBy(poll, next, now));
  }

  /** Keys that poll from now on, each with its next pass. Returned once. */
  appointed(): ReadonlyMap<string, BusyDelay> {
    const appointed = new Map(this.#appointed);
    this.#appointed.clear();
    return appointed;
  }
}

function latestOf({ since }: BusyPoll): number {
  return [...since.values()].reduce((latest, each) => Math.max(latest, each), Number.NEGATIVE_INFINITY);
}

/** The key makes the next poll. What was due for another key comes sooner if the youngest key needs it. */
function pollBy(poll: BusyPoll, key: string, now: number): BusyDelay {
  const pollMs = progressMs(now - poll.latest);
  // What was due by now has been made. A pass that something else caused comes earlier, and is no poll.
  if (poll.dueAt <= now) poll.dueAt = now + pollMs;
  else if (poll.poller !== key) poll.dueAt = Math.min(poll.dueAt, now + pollMs);
  poll.poller = key;
  return { delayMs: poll.dueAt - now, ageMs: pollMs * ageShare };
}
