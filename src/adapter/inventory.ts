// The shared LIST: what the service was last seen to have, with the time each read was sent; answers to own writes enter it.
import type { z } from 'zod';
import type { Immutable } from '../wire/common.ts';
import type { Route } from '../wire/routes.ts';

/** A route whose rows have identifiers: all but plugins. */
export type Collection = Route<z.ZodType<{ readonly id: string; readonly name?: string | undefined }>>;
export type RowOf<R extends Route> = Immutable<z.output<R['answer']>>;

/** A row of a LIST that its schema refuses: it is there, and nothing more is known about it. */
export interface UnreadableRow {
  readonly id?: string;
  readonly name?: string;
  readonly problem: string;
}

/** What the service had, as of one read. It does not change any more. */
export interface View<Row> {
  /** `Clock.monotonic()` when the request of the newest read below it was sent. Answers to own writes never make it newer. */
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

export interface Wanted {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Only an answer will do whose request was sent at this time or later, and after every own write that had ended by then. */
  readonly notBefore: number;
  /** True: only a LIST will do. */
  readonly list?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Changed {
  readonly ids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

export interface Inventory {
  observe<R extends Collection>(route: R, wanted: Wanted): Promise<View<RowOf<R>>>;
  /** The last snapshot, without any request; undefined before the first LIST. */
  peek<R extends Collection>(route: R): View<RowOf<R>> | undefined;
  /** Always sends one GET. With a later LIST that lacks the id it is the proof that something is gone. */
  sight<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<Sighting<RowOf<R>>>;
  /** Called after each LIST that differs from the one before; the first LIST of a route reports every row. */
  onChange(listener: (route: Collection, changed: Changed) => void): void;
  /** Milliseconds since the request of the newest LIST was sent; undefined before the first. */
  age(route: Collection): number | undefined;
}
