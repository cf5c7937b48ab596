// What a status reports of a lifecycle: the times that deadlines count from, and whether one is near or has passed. PURE.
import type { ExpiryReason } from '../../api/lifecycle.ts';
import { currentClaim } from '../ledger/ledger.ts';
import type { PassResult } from '../plan-input.ts';
import { expiringText, type LifecycleFinding } from '../resource/lifecycle.ts';
import { conditionOf } from '../resource/read-conditions.ts';
import { type Circumstances, type Standing, transitionTime } from './conditions.ts';

/** Before the service was observed, what was reported last stays. */
export function lifecycleFields(result: PassResult, standing: Standing): Readonly<Record<string, unknown>> {
  const { facts, ledger, lifecycle } = result;
  if (facts.lifecycle === undefined || facts.deleting || currentClaim(ledger)?.id === undefined) return {};
  if (lifecycle === undefined) return ledger?.expired ? {} : reported(result);
  const firstReadyAt = lifecycle.firstReadyAt ?? readySince(result, standing);
  const lastUsedAt = firstReadyAt === undefined ? undefined : usedUntil(result, lifecycle);
  return {
    ...(firstReadyAt === undefined ? {} : { firstReadyAt: transitionTime(firstReadyAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: transitionTime(lastUsedAt) }),
    ...(lifecycle.loadReported ? { loadReported: true } : {}),
  };
}

function reported({ facts, ledger }: PassResult): Readonly<Record<string, unknown>> {
  const status = (facts.resource.status ?? {}) as Readonly<Record<string, unknown>>;
  if (status['id'] !== currentClaim(ledger)?.id) return {};
  const fields = ['firstReadyAt', 'lastUsedAt', 'loadReported'] as const;
  return Object.fromEntries(fields.flatMap((field) => (field in status ? [[field, status[field]]] : [])));
}

/** Where the lifecycle was added later, it counts from when the object became Ready last. */
function readySince({ facts, now }: PassResult, { state }: Standing): number | undefined {
  if (state !== 'ready') return undefined;
  const ready = conditionOf(facts, 'Ready');
  const since = ready?.status === 'True' ? Date.parse(ready.lastTransitionTime) : Number.NaN;
  return Number.isNaN(since) ? now.wall : Math.min(since, now.wall);
}

/** What is idle and was not so before has just come to rest. */
function usedUntil({ now }: PassResult, { use, lastUsedAt }: LifecycleFinding): number | undefined {
  if (use === 'in use') return undefined;
  return use === 'idle' ? (lastUsedAt ?? now.wall) : lastUsedAt;
}

/** `Expiring` is kept until the service was observed, so that no restart announces the same deadline twice. */
export function expiryOf(
  { outcome, lifecycle, facts, ledger }: PassResult,
  { state }: Standing,
): Circumstances['expiry'] {
  if (outcome.result === 'expired')
    return { type: 'Expired', reason: outcome.reason as ExpiryReason, message: outcome.message };
  if (facts.lifecycle === undefined || facts.deleting || ledger?.expired) return undefined;
  if (lifecycle === undefined) return state === 'unobserved' ? undefined : told(facts);
  const message = expiringText(lifecycle);
  const reason = lifecycle.isHeld ? 'ExpiryHeld' : lifecycle.expiry?.reason;
  return message === undefined || reason === undefined ? undefined : { type: 'Expiring', reason, message };
}

function told(facts: PassResult['facts']): Circumstances['expiry'] {
  const before = conditionOf(facts, 'Expiring');
  return before?.status === 'True' ? { type: 'Expiring', reason: before.reason, message: before.message } : undefined;
}
