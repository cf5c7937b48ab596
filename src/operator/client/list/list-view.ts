// What the service was observed to have, as values: a row, a view of many rows, and the times that say how fresh they are.
import type { Identified } from '../../../wire/common.ts';
import type { AnyRow } from '../../../wire/routes.ts';

/**
 * A row of a LIST that its schema refuses: it exists, and nothing more is known of it than what identifies it. Without id and name
 * it may stand for several objects.
 */
export interface UnreadableRow extends Identified {
  readonly problem: string;
}

/** When a request was sent. `order` distinguishes what happened in the same millisecond: sends and ends of our writes count up. */
export interface Moment {
  readonly at: number;
  readonly order: number;
}

/** What the service had, as of one LIST. Immutable. */
export interface View<Row extends AnyRow> {
  /**
   * `Clock.monotonic()` when the LIST was sent: nothing in it is older. Newer answers to our writes are included, but never make it
   * count as newer.
   */
  readonly listSentAt: number;
  /** False if a row could not be read, or the list has more pages: then nothing that is missing is proven absent. */
  readonly complete: boolean;
  readonly unreadable: readonly UnreadableRow[];
  has(id: string): boolean;
  byId(id: string): Row | undefined;
  byName(name: string): readonly Row[];
  all(): Iterable<Row>;
  /** Of all rows; takes far less time than the rows themselves. */
  names(): Iterable<Pick<Row, 'id' | 'name'>>;
}

/** One GET by id. `row` undefined: 404 in the service's own shape. */
export interface Observation<Row> {
  readonly sentAt: number;
  readonly row: Row | undefined;
}

/** A row of a LIST. Many are never asked for: it stays a text until somebody does. */
export interface KeptRow {
  readonly id: string;
  readonly name: string | undefined;
  /** The checked row in neutral words, as JSON; the same text for the same row, whatever the order of its keys. */
  readonly text: string;
  /** The same of the fields that change all the time. A row with others counts as the same. */
  readonly fleeting: string | undefined;
  /** Of the bytes in which it was last received. */
  readonly digest: string;
}

/** One LIST. Immutable. */
export interface Snapshot {
  readonly sent: Moment;
  readonly rows: ReadonlyMap<string, KeptRow>;
  readonly unreadable: readonly UnreadableRow[];
  readonly complete: boolean;
}

function rowOf({ text, fleeting }: KeptRow): AnyRow {
  const row = JSON.parse(text) as AnyRow;
  return fleeting === undefined ? row : { ...row, ...(JSON.parse(fleeting) as object) };
}

/** A pass asks for the same row several times: the last one stays parsed. */
function reader(): (kept: KeptRow) => AnyRow {
  let last: { readonly kept: KeptRow; readonly row: AnyRow } | undefined;
  return (kept) => {
    if (last?.kept !== kept) last = { kept, row: rowOf(kept) };
    return last.row;
  };
}

/** Made on demand, which is rare while nothing is created. */
const named = new WeakMap<Snapshot['rows'], ReadonlyMap<string, readonly KeptRow[]>>();

function namesOf(rows: Snapshot['rows']): ReadonlyMap<string, readonly KeptRow[]> {
  const found = named.get(rows) ?? Map.groupBy(rows.values(), ({ name = '' }) => name);
  named.set(rows, found);
  return found;
}

/** A view of a LIST, overlaid with newer rows. */
export function viewOfList(snapshot: Snapshot, newer: ReadonlyMap<string, AnyRow>): View<AnyRow> {
  const { sent, rows, complete, unreadable } = snapshot;
  const read = reader();
  const older = (): readonly KeptRow[] => [...rows.values()].filter(({ id }) => !newer.has(id));
  function* all(): Generator<AnyRow> {
    for (const kept of older()) yield rowOf(kept);
    yield* newer.values();
  }
  return {
    listSentAt: sent.at,
    complete,
    unreadable,
    has: (id) => newer.has(id) || rows.has(id),
    byId: (id) => {
      const kept = rows.get(id);
      return newer.get(id) ?? (kept && read(kept));
    },
    byName: (name) => [
      ...(namesOf(rows).get(name) ?? []).flatMap((kept) => (newer.has(kept.id) ? [] : read(kept))),
      ...[...newer.values()].filter((row) => row.name === name),
    ],
    all,
    names: () => [...older(), ...newer.values()],
  };
}
