// What is known about the rows of one route: the newest LIST, with newer single reads and answers to own writes laid over it.
import type { AnyRow } from '../../../wire/rows.ts';
import { type Moment, type Snapshot, type View, viewOfGet, viewOfList } from './view.ts';

/** What a GET found. */
export interface FoundRow {
  readonly row: AnyRow;
  readonly sent: Moment;
}

/** A row that is newer than the LIST. `read`: when the GET was sent; undefined for the answer to an own write. */
interface Overlay {
  readonly row: AnyRow;
  readonly order: number;
  readonly read: Moment | undefined;
}

export class RowCache {
  #snapshot: Snapshot | undefined;
  readonly #overlays = new Map<string, Overlay>();
  /** Of the present state: all who look between two changes see the same. */
  #view: View<AnyRow> | undefined;

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** A LIST replaces every row that was read or written before it was sent, and only those. */
  list(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#view = undefined;
    for (const [id, { order }] of this.#overlays) if (order < snapshot.sent.order) this.#overlays.delete(id);
  }

  /** The answer to an own write; `order` counts from its arrival, so that a LIST under way does not undo it. */
  write(row: AnyRow, order: number): void {
    this.#overlay({ row, order, read: undefined });
  }

  /** A single read. What arrived from a write after it was sent stays, and so does a LIST that was sent after it. */
  read({ row, sent }: FoundRow): void {
    if ((this.#snapshot?.sent.order ?? Number.NEGATIVE_INFINITY) > sent.order) return;
    if (this.#isOlder(row.id, sent.order)) this.#overlay({ row, order: sent.order, read: sent });
  }

  /** Forgets what is laid over the LIST for this id, as far as it is older. Only a LIST takes a row of a LIST away. */
  forget(id: string, order: number): void {
    if (this.#isOlder(id, order) && this.#overlays.delete(id)) this.#view = undefined;
  }

  /** What the newest GET of this id read, as long as no own write and no LIST came after it. */
  readOf(id: string): FoundRow | undefined {
    const overlay = this.#overlays.get(id);
    return overlay?.read === undefined ? undefined : { row: overlay.row, sent: overlay.read };
  }

  /** What rests on the newest LIST; undefined before the first. */
  view(): View<AnyRow> | undefined {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return undefined;
    this.#view ??= viewOfList(snapshot, new Map([...this.#overlays].map(([id, { row }]) => [id, row])));
    return this.#view;
  }

  /** What rests on one GET. An own write that was answered meanwhile shows in it. */
  viewOfOne(id: string, sentAt: number, row: AnyRow | undefined): View<AnyRow> {
    return viewOfGet(id, { sentAt, row: row === undefined ? undefined : (this.#overlays.get(id)?.row ?? row) });
  }

  #overlay(overlay: Overlay): void {
    this.#overlays.set(overlay.row.id, overlay);
    this.#view = undefined;
  }

  #isOlder(id: string, order: number): boolean {
    return (this.#overlays.get(id)?.order ?? Number.NEGATIVE_INFINITY) < order;
  }
}
