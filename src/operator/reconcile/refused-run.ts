// Ends a run that was never started, or not again, when its request was refused for long enough.
import { currentClaim, isVoid } from './ledger/ledger.ts';
import { isQuiet, type Outcome, slowRetryMs } from './outcome.ts';
import type { PassState } from './pass-state.ts';
import { ended } from './plan/runs/run-end.ts';
import { wasSeenOver } from './plan/runs/run-progress.ts';
import { isLedgerLost } from './plan/runs/run-start.ts';
import type { Resolution } from './resource/references.ts';

/**
 * The outcome of a pass, or the end of the run if its request was refused for long enough while what it refers to stayed the same. The
 * end is written only upon the version of the resource that this pass knows: if another replica has begun an attempt since, it is not.
 */
export function endIfRefused(pass: PassState, outcome: Outcome): Outcome {
  const { memory, facts, ports } = pass;
  const failsAfterMs = 'failsAfterMs' in outcome ? outcome.failsAfterMs : undefined;
  if (!('message' in outcome) || failsAfterMs === undefined || facts.deleting || !isNoneUnderWay(pass)) {
    if (!isQuiet(outcome)) memory.refused = undefined;
    return outcome;
  }
  const now = ports.clock.monotonic();
  const of = referents(pass.resolutions);
  const refused = memory.refused?.of === of ? memory.refused : { of, since: now };
  const leftMs = refused.since + failsAfterMs - now;
  if (leftMs <= 0) return ended(pass.planInput(), 'Failed', outcome.message);
  memory.refused = refused;
  if (outcome.result !== 'refused' && outcome.result !== 'waiting') return outcome;
  const afterMs = Math.min(leftMs, outcome.afterMs ?? slowRetryMs);
  return { ...outcome, afterMs };
}

/** No request for the current attempt may have started it, or may yet; or it has ended, and another one was to follow. */
function isNoneUnderWay(pass: PassState): boolean {
  const claim = currentClaim(pass.ledger);
  if (claim) return isVoid(claim) || (claim.id !== undefined && wasSeenOver(pass.planInput(), claim));
  return pass.ledger !== undefined || !isLedgerLost(pass);
}

/** What the request is made of besides the spec. */
function referents(resolutions: readonly Resolution[]): string {
  return resolutions.map((one) => (one.state === 'resolved' ? one.id : one.state)).join(' ');
}
