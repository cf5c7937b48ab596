// How many objects of this installation a service has, as the status of a Connection reports it. PURE.
import type { ObjectCount } from '../../reconcile/lists/object-count.ts';

export interface Count {
  readonly managedCount: number;
  readonly unclaimedCount: number;
  readonly unclaimed?: ObjectCount['unclaimed'];
}

const unclaimedShown = 50;

export function countOf({ managed, unclaimed }: ObjectCount): Count {
  const shown = unclaimed.slice(0, unclaimedShown);
  return { managedCount: managed, unclaimedCount: unclaimed.length, ...(shown.length > 0 ? { unclaimed: shown } : {}) };
}
