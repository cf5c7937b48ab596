// What the service was seen to have, as values: a row, a view over many of them, and the times that say how fresh they are.
import type { AnyRow } from '../wire/rows.ts';

export type { AnyRow } from '../wire/rows.ts';

/** A row of a LIST that its schema refuses: it is there, and nothing more is known about it. */
export interface UnreadableRow {
  readonly id?: string;
  readonly name?: string;
  readonly problem: string;
}

/** When a request was sent. `order` tells apart what happened in the same millisecond: sends and ends of own writes count up. */
export interface Moment {
  readonly at: number;
  readonly order: number;
}

/** What the service had, as of one read. It does not change any more. */
export interface View<Row> {
  /**
   * `Clock.monotonic()` when the read that it rests on was sent: nothing in it is older. Newer single reads and answers to own
   * writes are in it, but never make it count as newer.
   */
  readonly sentAt: number;
  /** The same for the LIST that it rests on; undefined when it rests on one GET: then it speaks only about the id asked for. */
  readonly listSentAt: number | undefined;
  /** False when a row could not be read, or the answer says that there is more: then nothing that is missing is proven absent. */
  readonly complete: boolean;
  readonly unreadable: readonly UnreadableRow[];
  byId(id: string): Row | undefined;
  byName(name: string): readonly Row[];
  all(): Iterable<Row>;
}

/** One GET by id. `row` undefined: 404 in the service's own shape. */
export interface Sighting<Row> {
  readonly sentAt: number;
  readonly row: Row | undefined;
}

/** One LIST. It does not change any more. */
export interface Snapshot {
  readonly sent: Moment;
  readonly rows: ReadonlyMap<string, AnyRow>;
  /** The rows by the digest of their bytes: equal bytes need no second parse. */
  readonly digests: ReadonlyMap<string, AnyRow>;
  readonly byName: ReadonlyMap<string, readonly AnyRow[]>;
  readonly unreadable: readonly UnreadableRow[];
  readonly complete: boolean;
}

/** A view of a LIST with newer rows laid over it. */
export function viewOfList(snapshot: Snapshot, newer: ReadonlyMap<string, AnyRow>): View<AnyRow> {
  const { sent, rows, byName, complete, unreadable } = snapshot;
  function* all(): Generator<AnyRow> {
    for (const [id, row] of rows) if (!newer.has(id)) yield row;
    yield* newer.values();
  }
  return {
    sentAt: sent.at,
    listSentAt: sent.at,
    complete,
    unreadable,
    byId: (id) => newer.get(id) ?? rows.get(id),
    byName: (name) => [
      ...(byName.get(name) ?? []).filter((row) => !newer.has(row.id)),
      ...[...newer.values()].filter((row) => row.name === name),
    ],
    all: () => ({ [Symbol.iterator]: all }),
  };
}

/** A view of one GET. */
export function viewOfGet(id: string, { sentAt, row }: Sighting<AnyRow>): View<AnyRow> {
  const rows = row === undefined ? [] : [row];
  return {
    sentAt,
    listSentAt: undefined,
    complete: true,
    unreadable: [],
    byId: (wanted) => (wanted === id ? row : undefined),
    byName: (name) => rows.filter((one) => one.name === name),
    all: () => rows,
  };
}
