// How long a request that was sent may still take effect. PURE.
import type { SentDelete } from './key-memory.ts';
import type { Health, RemoteObject } from './kind/kind.ts';
import { type Claim, openAttempts } from './ledger/ledger.ts';
import type { Now, PlanInput } from './plan-input.ts';

interface Times extends Pick<PlanInput, 'quarantineMs'> {
  readonly now: Pick<Now, 'wall'>;
}

/**
 * From when on (wall clock, ms) a request sent at a time in the ledger can no longer take effect. An unreadable time starts the
 * quarantine again rather than ending it.
 */
export function effectEnd({ now, quarantineMs }: Times, sentAt: string | undefined): number {
  const sent = Date.parse(sentAt ?? '');
  return (Number.isNaN(sent) ? now.wall : sent) + quarantineMs;
}

/** From when on (wall clock, ms) no create of the claim can take effect; undefined: none is open. */
export function quarantineEnd(times: Times, claim: Claim | undefined): number | undefined {
  return openAttempts(claim) === 0 ? undefined : effectEnd(times, claim?.attempts?.lastSentAt);
}

/** A DELETE without visible effect is repeated after this time, in ms: some services redo all the work for each. */
const resendDeleteMs = 60_000;
/** A deletion in progress is asked for again only when it seems stuck. */
const stuckDeleteMs = 10 * 60_000;

/** The DELETE that this process sent for the object; undefined: none, or it is time to repeat it. */
export function recentDelete({ memory, now }: PlanInput, { id }: RemoteObject, health: Health): SentDelete | undefined {
  const sent = memory.deletesSent?.get(id);
  const patienceMs = health.state === 'deleting' ? stuckDeleteMs : resendDeleteMs;
  return sent && now.monotonic - sent.at < patienceMs ? sent : undefined;
}
