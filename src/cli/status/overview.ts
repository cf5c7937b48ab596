// How many objects of each kind are ready, and what is wrong with the others. PURE.
import { conditionIn, isTrue, type Observed, type ObservedStanding, standingIn, standings } from '../observed.ts';
import type { KindList, UnreadKind } from '../read-all.ts';

/** failed: a run that has ended without success, for which nothing more happens. */
export type CountedStanding = ObservedStanding | 'failed';

export interface KindCount {
  readonly kind: string;
  readonly total: number;
  readonly states: Readonly<Partial<Record<CountedStanding, number>>>;
  /** There are more, which were not read. */
  readonly isPartial?: boolean;
}

export interface Unready {
  readonly kind: string;
  /** Empty: it is in none. */
  readonly namespace: string;
  readonly name: string;
  readonly state: CountedStanding;
  readonly reason: string;
  readonly message: string;
}

export interface Overview {
  readonly kinds: readonly KindCount[];
  /** Those that need a user first. */
  readonly unready: readonly Unready[];
  readonly unread: readonly UnreadKind[];
}

const urgency: readonly CountedStanding[] = [
  'stalled',
  'unapproved',
  'unobserved',
  'deleting',
  'progressing',
  'failed',
  'expired',
  'suspended',
];

export function overviewOf(lists: readonly KindList[], unread: Overview['unread']): Overview {
  const all = lists.flatMap(({ kind, items }) => items.map((item) => ({ ...item, kind })));
  const unready = all.flatMap(unreadyOf);
  return {
    kinds: lists.filter(({ items }) => items.length > 0).map(countOf),
    unready: unready.toSorted((one, other) => urgency.indexOf(one.state) - urgency.indexOf(other.state)),
    unread,
  };
}

export function countedStanding(object: Observed): CountedStanding {
  return isTrue(object, 'Failed') && object.metadata.deletionTimestamp === undefined ? 'failed' : standingIn(object);
}

function countOf({ kind, items, isPartial }: KindList): KindCount {
  const found = items.map(countedStanding);
  const states = [...standings, 'failed' as const].flatMap((state) => {
    const count = found.filter((one) => one === state).length;
    return count === 0 ? [] : [[state, count] as const];
  });
  return { kind, total: items.length, states: Object.fromEntries(states), ...(isPartial ? { isPartial } : {}) };
}

function unreadyOf(object: Observed): readonly Unready[] {
  const state = countedStanding(object);
  if (state === 'ready') return [];
  const { kind, metadata } = object;
  const { reason = 'Pending', message = '' } = conditionIn(object, 'Ready') ?? {};
  const words = state === 'unobserved' ? 'the operator has not reported anything about the current spec' : message;
  return [
    {
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      state,
      reason: state === 'unobserved' ? 'Pending' : reason,
      message: words,
    },
  ];
}

/** Something that time alone does not change. */
export function needsUser({ unready, unread }: Overview): boolean {
  return (
    unread.some(({ isExpected }) => isExpected !== true) ||
    unready.some(({ state }) => state === 'stalled' || state === 'unapproved')
  );
}
