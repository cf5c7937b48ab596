// The health checks of the process.
import type { QueueStatistics } from '../controller/queue/queue.ts';
import type { Check } from './health-server.ts';
import type { LifecycleState } from './process-lifecycle.ts';

/** Every request of a pass has a deadline, so a pass that takes longer than `limitMs` hangs. */
export function passesEnd(statistics: () => Pick<QueueStatistics, 'longest'>, limitMs: () => number): Check {
  const trouble = () => {
    const { longest } = statistics();
    const limit = limitMs();
    if (longest === undefined || longest.ms <= limit) return undefined;
    return `the reconciliation of ${longest.key} has taken ${seconds(longest.ms)}, longer than ${seconds(limit)}`;
  };
  return { name: 'passes', trouble };
}

export function cachesSynced(synced: (kind: string) => boolean, kinds: readonly string[]): Check {
  const trouble = () => {
    const missing = kinds.filter((kind) => !synced(kind));
    return missing.length === 0 ? undefined : `the first list has not arrived of: ${missing.join(', ')}`;
  };
  return { name: 'cachesSynced', trouble };
}

interface OngoingFailure {
  /** For how long it has lasted. */
  readonly ms: number;
  readonly why: string;
}

interface LeaseAccess {
  /** The Lease was read at least once. */
  readonly seen: boolean;
  /** Why it cannot be read or written now. */
  readonly trouble: OngoingFailure | undefined;
}

/** A standby that could take over is as ready as the leader. */
export function leaseWorks(access: () => LeaseAccess, limitMs: number): Check {
  const trouble = () => {
    const { seen, trouble: now } = access();
    if (!seen) return `the lease has not been read yet${now === undefined ? '' : `: ${now.why}`}`;
    if (now === undefined || now.ms <= limitMs) return undefined;
    return `the lease has not been reached for ${seconds(now.ms)}: ${now.why}`;
  };
  return { name: 'lease', trouble };
}

/** `failing` returns the watches that do not work now. The check reports the one that has failed longest. */
export function watchesWork(failing: () => readonly OngoingFailure[], limitMs: number): Check {
  const trouble = () => {
    const [longest] = failing().toSorted((one, other) => other.ms - one.ms);
    if (longest === undefined || longest.ms <= limitMs) return undefined;
    return `the API server has not been watched for ${seconds(longest.ms)}: ${longest.why}`;
  };
  return { name: 'watches', trouble };
}

interface ForbiddenKinds {
  readonly namespace: string;
  /** Kinds that the operator may not read there. */
  readonly forbidden: readonly string[];
}

/** Fails only if no namespace is readable, because the operator continues in the others. A lost one is reported as a remark. */
export function namespacesReadable(namespaces: () => readonly ForbiddenKinds[]): Check {
  const lost = () => namespaces().filter(({ forbidden }) => forbidden.length > 0);
  const text = () => {
    const named = lost().map(({ namespace, forbidden }) => `${namespace} (${forbidden.join(', ')})`);
    return named.length === 0 ? undefined : `the operator lacks the permission to read: ${named.join('; ')}`;
  };
  const all = () => namespaces().length > 0 && lost().length === namespaces().length;
  return { name: 'namespaces', trouble: () => (all() ? text() : undefined), remark: text };
}

export function notDraining(state: () => LifecycleState): Check {
  const trouble = () => {
    const now = state();
    return now === 'draining' || now === 'stopped' ? `the process is ${now}` : undefined;
  };
  return { name: 'notDraining', trouble };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
