// A store with the faults of a personality: lists lag behind, and names are released too early or too late.
import type { Clock } from '../../src/lib/ports.ts';
import type { Kind, Records } from '../../src/service/model/records/records.ts';
import type { Store } from '../../src/service/model/store/store.ts';
import type { Injector } from './injector.ts';

/** One change of a record, and the record before it. Undefined if it did not exist. */
interface LaggingChange {
  readonly at: number;
  readonly kind: Kind;
  readonly tenant: string;
  readonly id: string;
  readonly before: Records[Kind] | undefined;
}

/** The records as they were before the changes, which are ordered from old to new. */
export function undo<Row extends { readonly id: string }>(
  records: readonly Row[],
  changes: readonly { readonly id: string; readonly before: Row | undefined }[],
): readonly Row[] {
  const rows = new Map(records.map((record) => [record.id, record]));
  for (const { id, before } of changes.toReversed()) {
    if (before === undefined) rows.delete(id);
    else rows.set(id, before);
  }
  return [...rows.values()];
}

/** The recent changes, as far back as the personality needs them. */
class History {
  readonly #injector: Injector;
  readonly #clock: Clock;
  #changes: readonly LaggingChange[] = [];

  constructor(injector: Injector, clock: Clock) {
    this.#injector = injector;
    this.#clock = clock;
  }

  note(change: Omit<LaggingChange, 'at'>): void {
    const { names, listLagMs = 0 } = this.#injector.personality;
    const span = Math.max(listLagMs, names?.freed === 'late' ? names.ms : 0);
    this.#changes = [...this.#within(span), ...(span === 0 ? [] : [{ ...change, at: this.#clock.monotonic() }])];
  }

  of(kind: Kind, tenant: string, ms: number): readonly LaggingChange[] {
    return this.#within(ms).filter((change) => change.kind === kind && change.tenant === tenant);
  }

  #within(ms: number): readonly LaggingChange[] {
    const since = this.#clock.monotonic() - ms;
    return this.#changes.filter(({ at }) => at > since);
  }
}

const isBeingDeleted = (record: Records[Kind]): boolean => 'work' in record && record.work?.operation === 'delete';

const notingWrites = (
  store: Store,
  note: (kind: Kind, tenant: string, id: string) => void,
): Pick<Store, 'put' | 'putAll' | 'remove'> => ({
  put(kind, tenant, record, bytes) {
    note(kind, tenant, record.id);
    store.put(kind, tenant, record, bytes);
  },
  putAll(kind, records) {
    for (const { tenant, record } of records) note(kind, tenant, record.id);
    store.putAll(kind, records);
  },
  remove(kind, tenant, id) {
    note(kind, tenant, id);
    store.remove(kind, tenant, id);
  },
});

/** The same records with the faults of the injector. Its history is lost when the process ends. */
export function createLaggingStore(store: Store, injector: Injector, clock: Clock): Store {
  const history = new History(injector, clock);
  const note = (kind: Kind, tenant: string, id: string) =>
    history.note({ kind, tenant, id, before: store.get(kind, tenant, id) });
  return {
    ...store,
    ...notingWrites(store, note),
    listed<K extends Kind>(kind: K, tenant: string) {
      const { listLagMs = 0 } = injector.personality;
      if (listLagMs === 0) return store.listed(kind, tenant);
      // The changes of a kind contain only records of that kind.
      type ChangeOfKind = LaggingChange & { before: Records[K] | undefined };
      const changes = history.of(kind, tenant, listLagMs) as readonly ChangeOfKind[];
      injector.count('listLagMs', changes.length > 0);
      return undo(store.listed(kind, tenant), changes);
    },
    isTaken(kind, tenant, name) {
      const { names } = injector.personality;
      if (names === undefined) return store.isTaken(kind, tenant, name);
      const present = store.list(kind, tenant);
      if (names.freed === 'early') {
        const kept = present.filter((record) => !isBeingDeleted(record));
        injector.count('names', kept.length < present.length);
        return kept.some((record) => record.name === name);
      }
      const gone = history
        .of(kind, tenant, names.ms)
        .flatMap(({ id, before }) => (before === undefined || store.get(kind, tenant, id) ? [] : [before.name]));
      injector.count('names', gone.length > 0);
      return store.isTaken(kind, tenant, name) || gone.includes(name);
    },
  };
}
