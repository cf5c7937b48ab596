// Where records are kept: the interface that the routes see, and the store that lives in memory.
import type { Kind, Records } from './records.ts';

/** Records by kind and tenant, in order of creation. Every change is durable, as far as the store is, when the call returns. */
export interface Store {
  /** How often this store was opened before; 0 for a new one. */
  readonly starts: number;
  tenants(): readonly string[];
  list<K extends Kind>(kind: K, tenant: string): readonly Records[K][];
  /** What a list of the interface tells: the same, unless a personality makes it lag behind. */
  listed<K extends Kind>(kind: K, tenant: string): readonly Records[K][];
  /** The names that a new record of the kind cannot have. */
  names(kind: Kind, tenant: string): readonly string[];
  get<K extends Kind>(kind: K, tenant: string, id: string): Records[K] | undefined;
  /** Adds the record, or replaces the one with its id at the same place in the order. */
  put<K extends Kind>(kind: K, tenant: string, record: Records[K]): void;
  remove(kind: Kind, tenant: string, id: string): void;
  close(): void;
}

type Shelf = Map<string, Records[Kind]>;

/** A store that is gone when the process is. */
export function createMemoryStore(starts = 0): Store {
  const tenants = new Map<string, Record<Kind, Shelf>>();
  // A kind's shelf holds only records of that kind: put is the only writer. So this is the one place that may say so.
  const shelf = <K extends Kind>(kind: K, tenant: string) =>
    tenants.get(tenant)?.[kind] as Map<string, Records[K]> | undefined;
  const empty = () => ({
    images: new Map(),
    nodeGroupTemplates: new Map(),
    clusterTemplates: new Map(),
    clusters: new Map(),
  });
  const list: Store['list'] = (kind, tenant) => [...(shelf(kind, tenant)?.values() ?? [])];
  return {
    starts,
    tenants: () => [...tenants.keys()],
    list,
    listed: list,
    names: (kind, tenant) => list(kind, tenant).map(({ name }) => name),
    get: (kind, tenant, id) => shelf(kind, tenant)?.get(id),
    put(kind, tenant, record) {
      if (!tenants.has(tenant)) tenants.set(tenant, empty());
      shelf(kind, tenant)?.set(record.id, record);
    },
    remove: (kind, tenant, id) => void shelf(kind, tenant)?.delete(id),
    close() {},
  };
}
