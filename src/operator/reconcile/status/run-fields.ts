// The fields of a status for a run: its state in one word, the number of runs, and its times. PURE.
import { currentClaim, isVoid } from '../ledger/ledger.ts';
import type { PassResult } from '../plan-input.ts';
import { runTimes } from '../resource/run-times.ts';
import { transitionTime } from './conditions.ts';

/** Status fields of the kinds that stand for a run. */
export function runFields(result: PassResult): Readonly<Record<string, unknown>> {
  const { kind, ledger } = result;
  if (kind.identity !== 'once') return {};
  // Without what the service refused. One without an answer may have run.
  const attempts = ledger?.claims.filter((one) => !isVoid(one)).length ?? 0;
  return { state: stateOf(result), ...(attempts === 0 ? {} : { attempts }), ...timeFields(result) };
}

/** Those of a run that has ended stay as they are. */
function timeFields({ kind, ledger, remote, facts, now }: PassResult): Readonly<Record<string, unknown>> {
  const claim = currentClaim(ledger);
  const run = remote && kind.identity === 'once' ? kind.progress(remote) : undefined;
  if (facts.ended || !claim || !run) return {};
  const { startedAt, endedAt } = runTimes({ facts, now }, claim, run);
  return {
    ...(startedAt === undefined ? {} : { startTime: transitionTime(startedAt) }),
    ...(endedAt === undefined ? {} : { completionTime: transitionTime(endedAt) }),
    ...(startedAt === undefined || endedAt === undefined ? {} : { duration: durationText(endedAt - startedAt) }),
  };
}

/** As kubectl and Go write it: 45s, 1m30s, 2h5m. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (hours > 0) return minutes > 0 ? `${hours}h${minutes}m` : `${hours}h`;
  if (minutes > 0) return rest > 0 ? `${minutes}m${rest}s` : `${minutes}m`;
  return `${rest}s`;
}

function stateOf({ kind, outcome, remote, facts }: PassResult): string {
  const reason = facts.ended?.reason ?? ('reason' in outcome ? outcome.reason : undefined);
  switch (reason) {
    case 'Succeeded':
    case 'Failed':
    case 'Cancelled':
    case 'Suspended':
      return reason;
    case 'OOMKilled':
    case 'Evicted':
    case 'Signal':
    case 'DeadlineExceeded':
      return 'Failed';
    case 'OutcomeUnknown':
    case 'ExternalDeleted':
      return 'Unknown';
    // Also between two attempts.
    case 'WaitingForCluster':
    case 'Retrying':
      return 'Pending';
    default:
      break;
  }
  const before = (facts.resource.status as { readonly state?: unknown } | null | undefined)?.state;
  const run = remote && kind.identity === 'once' ? kind.progress(remote) : undefined;
  if (run) return run.state === 'queued' ? 'Pending' : 'Running';
  return typeof before === 'string' ? before : 'Pending';
}
