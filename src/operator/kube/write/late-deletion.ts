// A deletion that began before a finalizer was put on, and is carried out after it.

import type { Clock } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/sleep.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError } from '../api-error.ts';
import { placeOf } from '../resource.ts';
import type { Cache } from '../watch/cache.ts';

/** Then the watch is too far behind to wait for it. */
const mostPauses = 8;

/** In ms. */
export interface LateDeletion {
  /** How long a deletion may still be carried out where the server is quick. */
  readonly leastMs: number;
  /** From the start of the claim; who claims must go on by then. */
  readonly withinMs: number;
}

interface DeletionWait {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly late: LateDeletion;
  /** When the claim was sent, by the monotonic clock. */
  readonly sentAt: number;
  /** From the API server itself. */
  readonly readFresh: () => Promise<RawResource | undefined>;
  readonly signal: AbortSignal;
}

/**
 * An API server that deletes an object looks for finalizers once, at first: one that is put on while it goes on is answered with 200
 * and goes with the object, some ms later. Nothing may be made for such an object: nobody would delete it. Rejects with an ApiError
 * `gone` when it went.
 */
export async function outlastDeletion(claimed: RawResource, waiting: DeletionWait): Promise<void> {
  const { cache, clock, late, readFresh, signal } = waiting;
  const place = placeOf(claimed.metadata);
  await sleep(clock, pauseOf(waiting), signal);
  for (let pauses = 1; cache.awaitsEcho(place) && pauses < mostPauses; pauses += 1)
    await sleep(clock, late.leastMs, signal);
  const now = cache.awaitsEcho(place) ? await readFresh() : cache.get(place);
  if (now?.metadata.uid === claimed.metadata.uid) return;
  throw new ApiError('gone', `${claimed.kind} ${place} was deleted while the finalizer was put on`);
}

/** A server that is slow to put a finalizer on is as slow to delete: twice as long as the first took it, if there is time. */
function pauseOf({ clock, late, sentAt }: DeletionWait): number {
  const tookMs = clock.monotonic() - sentAt;
  return Math.max(late.leastMs, Math.min(2 * tookMs, late.withinMs - tookMs));
}
