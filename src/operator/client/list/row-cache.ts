// What is known about the rows of one route: the newest LIST, overlaid with newer answers to writes of ours.
import type { AnyRow } from '../../../wire/routes.ts';
import { type Snapshot, type View, viewOfList } from './list-view.ts';

/** The answer to a write of ours that is newer than the LIST. */
interface Overlay {
  readonly row: AnyRow;
  readonly order: number;
}

const nothing: Snapshot = {
  sent: { at: Number.NEGATIVE_INFINITY, order: Number.NEGATIVE_INFINITY },
  rows: new Map(),
  unreadable: [],
  complete: false,
};

export class RowCache {
  #snapshot: Snapshot | undefined;
  readonly #overlays = new Map<string, Overlay>();
  /** Of the present state: everyone who reads between two changes sees the same. */
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

  /** The answer to a write of ours; `order` counts from its arrival, so that a LIST in flight does not undo it. */
  write(row: AnyRow, order: number): void {
    this.#overlays.set(row.id, { row, order });
    this.#view = undefined;
  }

  /** Forgets the overlay for this id, as far as it is older. Only a LIST removes a row of a LIST. */
  forget(id: string, order: number): void {
    const known = this.#overlays.get(id);
    if (known !== undefined && known.order < order && this.#overlays.delete(id)) this.#view = undefined;
  }

  /** The same before the first LIST: only what was written since is known then. */
  known(): View<AnyRow> {
    return this.view() ?? viewOfList(nothing, this.#newer());
  }

  #newer(): ReadonlyMap<string, AnyRow> {
    return new Map([...this.#overlays].map(([id, { row }]) => [id, row]));
  }

  /** The newest LIST with its overlay; undefined before the first. */
  view(): View<AnyRow> | undefined {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return undefined;
    this.#view ??= viewOfList(snapshot, this.#newer());
    return this.#view;
  }
}
