// The health checks of this process; each answers with its trouble, or undefined.

import type { QueueStatistics } from '../controller/queue/queue.ts';
import type { Check } from './health.ts';
import type { LifecycleState } from './lifecycle.ts';

/** A pass that lasts longer than `limitMs` hangs: every call that it makes has a deadline of its own. */
export function passesEnd(statistics: () => Pick<QueueStatistics, 'longest'>, limitMs: () => number): Check {
  const trouble = () => {
    const { longest } = statistics();
    const limit = limitMs();
    if (longest === undefined || longest.ms <= limit) return undefined;
    return `the pass of ${longest.key} has lasted ${seconds(longest.ms)}, longer than ${seconds(limit)}`;
  };
  return { name: 'passes', trouble };
}

/** Until the first list of every kind has arrived. */
export function cachesSynced(synced: (kind: string) => boolean, kinds: readonly string[]): Check {
  const trouble = () => {
    const missing = kinds.filter((kind) => !synced(kind));
    return missing.length === 0 ? undefined : `the first list has not arrived of: ${missing.join(', ')}`;
  };
  return { name: 'cachesSynced', trouble };
}

export interface WatchTrouble {
  /** For how long the watch has failed. */
  readonly ms: number;
  readonly why: string;
}

export interface LeaseSight {
  /** It was read at least once. */
  readonly seen: boolean;
  /** Why it cannot be read or written now. */
  readonly trouble: WatchTrouble | undefined;
}

/** A standby is as ready as the leader, as long as it could take over. */
export function leaseWorks(sight: () => LeaseSight, limitMs: number): Check {
  const trouble = () => {
    const { seen, trouble: now } = sight();
    if (!seen) return `the lease has not been read yet${now === undefined ? '' : `: ${now.why}`}`;
    if (now === undefined || now.ms <= limitMs) return undefined;
    return `the lease has not been reached for ${seconds(now.ms)}: ${now.why}`;
  };
  return { name: 'lease', trouble };
}

/** `failing`: the watches that do not work now. Names the cause of the one that has failed longest. */
export function watchesWork(failing: () => readonly WatchTrouble[], limitMs: number): Check {
  const trouble = () => {
    const [longest] = failing().toSorted((one, other) => other.ms - one.ms);
    if (longest === undefined || longest.ms <= limitMs) return undefined;
    return `the API server has not been watched for ${seconds(longest.ms)}: ${longest.why}`;
  };
  return { name: 'watches', trouble };
}

export interface NamespaceSight {
  readonly namespace: string;
  /** Kinds that may not be read there. */
  readonly forbidden: readonly string[];
}

/** Losing one namespace is told, and only losing all of them is trouble: the work in the others goes on. */
export function namespacesReadable(namespaces: () => readonly NamespaceSight[]): Check {
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
