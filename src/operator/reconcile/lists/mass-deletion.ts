// Many objects that vanish at once are more likely a mistake than intended: nothing is made again until somebody confirms it. PURE.
import type { View } from '../../client/list/list-view.ts';
import type { RemoteObject } from '../kind.ts';
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

/** Undefined: no more vanished than is allowed. A collection without a readable list proves nothing about its objects. */
export function detectMassDeletion(
  recorded: Iterable<Recorded>,
  views: ReadonlyMap<string, View<RemoteObject>>,
): MassDeletion | undefined {
  let of = 0;
  const gone: string[] = [];
  const hidden = new Map([...views].map(([collection, view]) => [collection, hiddenIn(view)]));
  for (const { collection, id } of recorded) {
    const unread = hidden.get(collection);
    if (unread === undefined || unread.has(id)) continue;
    of += 1;
    if (!views.get(collection)?.has(id)) gone.push(`${collection} ${id}`);
  }
  if (gone.length <= Math.max(harmless, harmlessShare * of)) return undefined;
  gone.sort();
  return { gone, of, hash: contentHash(gone) };
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
