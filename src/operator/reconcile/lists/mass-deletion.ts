// Many objects that vanish at once are more likely a mistake than intended: nothing is made again until somebody confirms it. PURE.
import type { View } from '../../client/list/list-view.ts';
import type { RemoteObject } from '../kind/kind.ts';
import { contentHash } from '../ledger/naming.ts';

/** An object that a ledger records. */
export interface Recorded {
  readonly collection: string;
  readonly id: string;
}

export interface MassDeletion {
  /** What vanished, as `collection id`, sorted. */
  readonly gone: readonly string[];
  /** How many are recorded and could be looked for. */
  readonly of: number;
  /** Identifies exactly these objects: confirming one mass deletion does not confirm another. */
  readonly hash: string;
}

/** How many may vanish without a question: this number, or this share of all, whichever is more. */
const harmless = 2;
const harmlessShare = 0.2;

/** Ids of entries that cannot be read; undefined: any object may be among them. */
function hiddenIn({ unreadable }: View<RemoteObject>): ReadonlySet<string> | undefined {
  const ids = unreadable.flatMap(({ id }) => id || []);
  return ids.length < unreadable.length ? undefined : new Set(ids);
}

/**
 * By namespace; none: no more vanished than is allowed. A collection without a readable list proves nothing about its objects. Ledgers are for
 * users to write, so what one namespace lacks holds up no other that shares its connection: others count only where more than one of them lacks
 * too much.
 */
export function detectMassDeletions(
  recorded: ReadonlyMap<string, Iterable<Recorded>>,
  views: Views,
): ReadonlyMap<string, MassDeletion> {
  const all = [...recorded].map(([namespace, one]) => [namespace, vanishedOf(one, views)] as const);
  const [, ...others] = all.map(([, one]) => one).toSorted((one, other) => other.gone.length - one.gone.length);
  const isEverywhere = isTooMuch(sumOf(others));
  const lost = all.filter(([, one]) => isTooMuch(one) || (isEverywhere && one.gone.length > 0));
  return new Map(lost.map(([namespace, one]) => [namespace, lossOf(one)]));
}

/** What vanished in several places: one confirmation is for all of it. */
export function together(losses: readonly MassDeletion[]): MassDeletion | undefined {
  return losses.length === 0 ? undefined : lossOf(sumOf(losses));
}

type Views = ReadonlyMap<string, View<RemoteObject>>;
type Vanished = Omit<MassDeletion, 'hash'>;

function vanishedOf(recorded: Iterable<Recorded>, views: Views): Vanished {
  let of = 0;
  const gone: string[] = [];
  const hidden = new Map([...views].map(([collection, view]) => [collection, hiddenIn(view)]));
  for (const { collection, id } of recorded) {
    const unread = hidden.get(collection);
    if (unread === undefined || unread.has(id)) continue;
    of += 1;
    if (!views.get(collection)?.has(id)) gone.push(`${collection} ${id}`);
  }
  return { gone, of };
}

function isTooMuch({ gone, of }: Vanished): boolean {
  return gone.length > Math.max(harmless, harmlessShare * of);
}

function sumOf(all: readonly Vanished[]): Vanished {
  return { gone: all.flatMap(({ gone }) => gone), of: all.reduce((sum, { of }) => sum + of, 0) };
}

function lossOf({ gone, of }: Vanished): MassDeletion {
  const sorted = gone.toSorted();
  return { gone: sorted, of, hash: contentHash(sorted) };
}

interface Confirmation {
  /** The annotation on the Connection that confirms the loss. */
  readonly annotation: string;
  /** Of a SharedConnection, the namespace is empty. */
  readonly connection: { readonly namespace: string; readonly name: string };
}

/** For people: what happened, and both ways out. */
export function massDeletionText({ gone, of, hash }: MassDeletion, confirmation: Confirmation): string {
  const { annotation, connection } = confirmation;
  const { namespace, name } = connection;
  const target = namespace === '' ? `dpshared ${name}` : `dpconn ${name} -n ${namespace}`;
  return (
    `${gone.length} of ${of} objects disappeared from the service at once, so the operator recreates none of them. ` +
    'It continues when they are back. ' +
    `If they are lost, run: kubectl annotate ${target} --overwrite ${annotation}=${hash}`
  );
}
