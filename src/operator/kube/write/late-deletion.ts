// Detects a deletion that started before the finalizer was added and takes effect after it.
import { ApiError } from '../../../kube/api-error.ts';
import { placeOf } from '../../../kube/resource.ts';
import type { Clock } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/timing/wait.ts';
import type { RawResource } from '../../api/definition.ts';

export interface LateDeletion {
  /** How long a deletion in progress may take on a fast server. */
  readonly leastMs: number;
  /** The limit of the wait, from the start of the claim. */
  readonly withinMs: number;
}

interface LateDeletionInput {
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
 * ApiError `gone` if the object disappeared. The API server is asked, because the watch may deliver a deletion later than the answer to it.
 */
export async function waitForLateDeletion(claimed: RawResource, waiting: LateDeletionInput): Promise<void> {
  await sleep(waiting.clock, pauseOf(waiting), waiting.signal);
  const now = await waiting.readFresh();
  if (now?.metadata.uid === claimed.metadata.uid) return;
  const object = `${claimed.kind} ${placeOf(claimed.metadata)}`;
  throw new ApiError('gone', `${object} was deleted while the finalizer was added`);
}

/** A server that is slow to add a finalizer is slow to delete as well, so the pause is twice as long as the claim took. */
function pauseOf({ clock, late, sentAt }: LateDeletionInput): number {
  const tookMs = clock.monotonic() - sentAt;
  return Math.max(late.leastMs, Math.min(2 * tookMs, late.withinMs - tookMs));
}
