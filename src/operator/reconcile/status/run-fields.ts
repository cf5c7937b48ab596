// What a status says of a run: its state in one word, and how many there were. PURE.
import { isVoid } from '../ledger/ledger.ts';
import type { PassResult } from './types.ts';

/** Status fields of the kinds that stand for a run. */
export function runFields(result: PassResult): Readonly<Record<string, unknown>> {
  const { kind, ledger } = result;
  if (kind.identity !== 'once') return {};
  // Without what the service refused. One without an answer may have run.
  const attempts = ledger?.claims.filter((one) => !isVoid(one)).length ?? 0;
  return { state: stateOf(result), ...(attempts === 0 ? {} : { attempts }) };
}

function stateOf({ kind, outcome, remote, facts }: PassResult): string {
  const reason = facts.ended?.reason ?? ('reason' in outcome ? outcome.reason : undefined);
  switch (reason) {
    case 'Succeeded':
    case 'Failed':
    case 'Cancelled':
    case 'Suspended':
      return reason;
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
  const run = remote && kind.runs?.progress(remote);
  if (run) return run.state === 'queued' ? 'Pending' : 'Running';
  return typeof before === 'string' ? before : 'Pending';
}
