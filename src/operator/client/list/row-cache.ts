// What is known about the rows of one route: the newest LIST, with newer answers to own writes laid over it.
import type { AnyRow } from '../../../wire/rows.ts';
import { type Snapshot, type View, viewOfList } from './view.ts';

/** The answer to an own write that is newer than the LIST. */
interface Overlay {
  readonly row: AnyRow;
  readonly order: number;
}

export class RowCache {
  #snapshot: Snapshot | undefined;
  readonly #overlays = new Map<string, Overlay>();
  /** Of the present state: all who look between two changes see the same. */
  #view: View<AnyRow> | undefined;

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** A LIST replaces every row that was written before it was sent, and only those. */
  list(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#view = undefined;
    for (const [id, { order }] of this.#overlays) if (order < snapshot.sent.order) this.#overlays.delete(id);
  }

  /** The answer to an own write; `order` counts from its arrival, so that a LIST under way does not undo it. */
  write(row: AnyRow, order: number): void {
    this.#overlays.set(row.id, { row, order });
    this.#view = undefined;
  }

  /** Forgets what is laid over the LIST for this id, as far as it is older. Only a LIST takes a row of a LIST away. */
  forget(id: string, order: number): void {
    const known = this.#overlays.get(id);
    if (known !== undefined && known.order < order && this.#overlays.delete(id)) this.#view = undefined;
  }

  /** What rests on the newest LIST; undefined before the first. */
  view(): View<AnyRow> | undefined {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return undefined;
    this.#view ??= viewOfList(snapshot, new Map([...this.#overlays].map(([id, { row }]) => [id, row])));
    return this.#view;
  }
}
