// The interface of the store of records, and the store in memory.
import type { Volume } from '../disk/volume.ts';
import type { Kind, Records } from '../records/records.ts';

export const kinds: readonly Kind[] = [
  'images',
  'nodeGroupTemplates',
  'clusterTemplates',
  'clusters',
  'dataSources',
  'jobBinaryInternals',
  'jobBinaries',
  'jobs',
  'jobExecutions',
];

/** A change was not stored, for example because the disk is full. It has no effect. Users see the message. */
export class NotStored extends Error {}

export interface Owned<K extends Kind> {
  readonly tenant: string;
  readonly record: Records[K];
}

/** Records by kind and tenant, in order of creation. Every change is as durable as the store when the call returns. */
export interface Store {
  /** How often this store was opened before, 0 for a new one. */
  readonly starts: number;
  /** The volume of a store on disk. */
  readonly volume?: Volume;
  tenants(): readonly string[];
  list<K extends Kind>(kind: K, tenant: string): readonly Records[K][];
  /** The records that a list request returns: the same, unless a wrapper makes lists lag behind. */
  listed<K extends Kind>(kind: K, tenant: string): readonly Records[K][];
  /** Whether a new record of the kind cannot have the name. */
  isTaken(kind: Kind, tenant: string, name: string): boolean;
  get<K extends Kind>(kind: K, tenant: string, id: string): Records[K] | undefined;
  /** The number of records of the kind that the tenant has. */
  count(kind: Kind, tenant: string): number;
  /** About how many bytes of memory all rows of the tenant take. */
  size(tenant: string): number;
  /** About how many bytes of memory the row takes, 0 if there is none. */
  sizeOf(kind: Kind, tenant: string, id: string): number;
  /** The bytes of an internal binary. A store on disk reads them on demand, and keeps none of them in memory. */
  bytes(tenant: string, id: string): Uint8Array | undefined;
  /** Adds the record, or replaces the one with its id at the same position. Without `bytes`, existing bytes stay. */
  put<K extends Kind>(kind: K, tenant: string, record: Records[K], bytes?: Uint8Array): void;
  /** Replaces the records, all or none of them, for little more than one takes. */
  putAll<K extends Kind>(kind: K, records: readonly Owned<K>[]): void;
  remove(kind: Kind, tenant: string, id: string): void;
  close(): void;
}

const rowBytes = 1024;
/** Of each property of an object, with its name, and of each element of an array. */
const [propertyBytes, elementBytes] = [64, 24];

/** What a record takes besides its characters, in bytes. */
function structureOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + elementBytes + structureOf(each), 0);
  let sum = 0;
  for (const each of Object.values(value)) sum += propertyBytes + structureOf(each);
  return sum;
}

/**
 * About how many bytes of memory a row takes: as a record, and as JSON, which is kept once it was shown. V8 has two bytes for each character of a text in
 * which one does not fit into a byte.
 */
export function memoryOf(record: Records[Kind]): number {
  const text = JSON.stringify(record);
  // oxlint-disable-next-line eslint/no-control-regex
  return rowBytes + structureOf(record) + text.length * (/^[\u0000-\u00ff]*$/.test(text) ? 2 : 4);
}

/** The records of one kind and tenant, and the number of records with each name. */
class KindRecords {
  readonly rows = new Map<string, Records[Kind]>();
  readonly bytes = new Map<string, Uint8Array>();
  readonly #names = new Map<string, number>();
  readonly #sizes = new Map<string, number>();
  size = 0;

  has(name: string): boolean {
    return this.#names.has(name);
  }

  put(record: Records[Kind]): void {
    this.#count(this.rows.get(record.id), -1);
    this.rows.set(record.id, record);
    this.#measure(record.id, memoryOf(record));
    this.#count(record, 1);
  }

  sizeOf(id: string): number {
    return this.#sizes.get(id) ?? 0;
  }

  remove(id: string): void {
    this.#count(this.rows.get(id), -1);
    this.rows.delete(id);
    this.#measure(id, 0);
    this.bytes.delete(id);
  }

  #measure(id: string, size: number): void {
    this.size += size - (this.#sizes.get(id) ?? 0);
    if (size === 0) this.#sizes.delete(id);
    else this.#sizes.set(id, size);
  }

  #count(record: Records[Kind] | undefined, by: 1 | -1): void {
    if (record === undefined) return;
    const count = (this.#names.get(record.name) ?? 0) + by;
    if (count > 0) this.#names.set(record.name, count);
    else this.#names.delete(record.name);
  }
}

/** A store that is lost when the process ends. */
export function createMemoryStore(starts = 0): Store {
  const tenants = new Map<string, Map<Kind, KindRecords>>();
  const recordsOf = (kind: Kind, tenant: string) => tenants.get(tenant)?.get(kind);
  // Only records of the kind are stored under it, because `put` is the only writer.
  const rows = <K extends Kind>(kind: K, tenant: string) =>
    recordsOf(kind, tenant)?.rows as ReadonlyMap<string, Records[K]> | undefined;
  const list: Store['list'] = (kind, tenant) => [...(rows(kind, tenant)?.values() ?? [])];
  const put: Store['put'] = (kind, tenant, record, bytes) => {
    const byKind = tenants.get(tenant) ?? new Map<Kind, KindRecords>();
    tenants.set(tenant, byKind);
    const kept = byKind.get(kind) ?? new KindRecords();
    byKind.set(kind, kept);
    kept.put(record);
    if (bytes !== undefined) kept.bytes.set(record.id, bytes);
  };
  /** A tenant without rows is forgotten: anybody can name any number of them, no quota counts them, and some requests look at each one. */
  const remove: Store['remove'] = (kind, tenant, id) => {
    const byKind = tenants.get(tenant);
    byKind?.get(kind)?.remove(id);
    if (byKind !== undefined && [...byKind.values()].every((kept) => kept.rows.size === 0)) tenants.delete(tenant);
  };
  return {
    starts,
    tenants: () => [...tenants.keys()],
    list,
    listed: list,
    isTaken: (kind, tenant, name) => recordsOf(kind, tenant)?.has(name) ?? false,
    get: (kind, tenant, id) => rows(kind, tenant)?.get(id),
    count: (kind, tenant) => rows(kind, tenant)?.size ?? 0,
    size: (tenant) => kinds.reduce((sum, kind) => sum + (recordsOf(kind, tenant)?.size ?? 0), 0),
    sizeOf: (kind, tenant, id) => recordsOf(kind, tenant)?.sizeOf(id) ?? 0,
    bytes: (tenant, id) => recordsOf('jobBinaryInternals', tenant)?.bytes.get(id),
    put,
    putAll(kind, records) {
      for (const { tenant, record } of records) put(kind, tenant, record);
    },
    remove,
    close() {},
  };
}
