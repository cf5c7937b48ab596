// An object of the API server as it is kept: its status packed, because of thousands hardly one is looked at at a time.
import { ledgerAnnotation } from '../api/common.ts';
import type { Metadata, RawResource } from '../api/definition.ts';
import { type Packed, Packer } from '../packing.ts';
import { recently } from '../reconcile/recently.ts';

/** Reads like any other object. */
export class Kept implements RawResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: unknown;
  /** Parsed when it is read, and remembered for a while. */
  declare readonly status: unknown;
  /** Without the ledger where that is the text of the annotation, as it is in an object at rest. */
  readonly #packed: Packed;
  readonly #mirrors: boolean;

  private constructor({ apiVersion, kind, metadata, spec }: RawResource, packed: Packed, mirrors: boolean) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.metadata = metadata;
    this.spec = spec;
    this.#packed = packed;
    this.#mirrors = mirrors;
    // Its own and not the class's, so that copies and comparisons have it; one getter for all, so that it takes no memory.
    Object.defineProperty(this, 'status', Kept.#accessor);
  }

  static of(resource: RawResource, status: { readonly ledger?: unknown }): Kept {
    const { ledger, ...own } = status;
    const mirrors = ledger !== undefined && ledger === resource.metadata.annotations?.[ledgerAnnotation];
    return new Kept(resource, Kept.#statuses.pack(JSON.stringify(mirrors ? own : status)), mirrors);
  }

  withSpec(spec: unknown): Kept {
    const { apiVersion, kind, metadata } = this;
    return new Kept({ apiVersion, kind, metadata, spec }, this.#packed, this.#mirrors);
  }

  static readonly #statuses = new Packer();

  static readonly #read = recently((kept: Kept): unknown => {
    const own = JSON.parse(kept.#packed.text()) as object;
    return kept.#mirrors ? { ...own, ledger: kept.metadata.annotations?.[ledgerAnnotation] } : own;
  });

  static readonly #accessor: PropertyDescriptor & ThisType<Kept> = {
    enumerable: true,
    get() {
      return Kept.#read(this);
    },
  };
}
