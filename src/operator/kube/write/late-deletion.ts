// Detects a deletion that started before the finalizer was added and takes effect after it.

import type { Clock } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/wait.ts';
import type { RawResource } from '../../api/definition.ts';
import { ApiError } from '../api-error.ts';
import { placeOf } from '../resource.ts';
import type { Cache } from '../watch/cache.ts';

/** After this many pauses the watch is too far behind to wait for it. */
const mostPauses = 8;

export interface LateDeletion {
  /** How long a deletion in progress may take on a fast server. */
  readonly leastMs: number;
  /** The limit of the wait, from the start of the claim. */
  readonly withinMs: number;
}

interface DeletionWait {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly late: LateDeletion;
  /** Monotonic ms when the claim was sent. */
  readonly sentAt: number;
  readonly readFresh: () => Promise<RawResource | undefined>;
  readonly signal: AbortSignal;
}

/**
 * An API server checks for finalizers only at the start of a deletion. A finalizer that is added during it is accepted with 200, and the
 * object still disappears some ms later. Nothing may be created for such an object, because nobody would delete it. Rejects with an
 * ApiError `gone` if the object disappeared.
 */
export async function outlastDeletion(claimed: RawResource, waiting: DeletionWait): Promise<void> {
  const { cache, clock, late, readFresh, signal } = waiting;
  const place = placeOf(claimed.metadata);
  await sleep(clock, pauseOf(waiting), signal);
  for (let pauses = 1; cache.awaitsEcho(place) && pauses < mostPauses; pauses += 1)
    await sleep(clock, late.leastMs, signal);
  const now = cache.awaitsEcho(place) ? await readFresh() : cache.get(place);
  if (now?.metadata.uid === claimed.metadata.uid) return;
  throw new ApiError('gone', `${claimed.kind} ${place} was deleted while the finalizer was added`);
}

/** A server that is slow to add a finalizer is slow to delete as well, so the pause is twice as long as the claim took. */
function pauseOf({ clock, late, sentAt }: DeletionWait): number {
  const tookMs = clock.monotonic() - sentAt;
  return Math.max(late.leastMs, Math.min(2 * tookMs, late.withinMs - tookMs));
}
