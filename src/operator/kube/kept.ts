// A cached object with a compressed status and ledger, which saves memory because few of thousands are in use at a time.

import { memoize } from '../../lib/memoize.ts';
import { type Packed, Packer } from '../../lib/packing.ts';
import { ledgerAnnotation } from '../api/common.ts';
import type { Metadata, RawResource } from '../api/definition.ts';

interface Parts {
  readonly ledger: string | undefined;
  readonly status: unknown;
}

const packer = new Packer();

/** The status usually mirrors the ledger annotation. The common text is then packed once. */
function packParts(kind: string, ledger: string | undefined, status: { readonly ledger?: unknown }): Packed {
  const mirrored = ledger !== undefined && status.ledger === ledger;
  const text = JSON.stringify({ ledger, mirrored, status: mirrored ? { ...status, ledger: undefined } : status });
  return packer.pack(text, `${kind} ${mirrored}`);
}

/** Parsed on demand and cached for a while. */
const partsOf = memoize((packed: Packed): Parts => {
  const { ledger, mirrored, status } = JSON.parse(packed.text()) as Parts & { readonly mirrored: boolean };
  return { ledger, status: mirrored ? { ...(status as object), ledger } : status };
});

/** The getter is an own property, so that spreads and comparisons see it. All objects share one descriptor. */
class KeptMetadata {
  readonly #others: Metadata['annotations'];
  readonly #packed: Packed;

  constructor({ annotations, ...rest }: Metadata, packed: Packed) {
    const { [ledgerAnnotation]: _ledger, ...others } = annotations ?? {};
    this.#others = Object.keys(others).length > 0 ? others : undefined;
    this.#packed = packed;
    Object.assign(this, rest);
    Object.defineProperty(this, 'annotations', KeptMetadata.#accessor);
  }

  static readonly #accessor: PropertyDescriptor & ThisType<KeptMetadata> = {
    enumerable: true,
    get() {
      return { ...this.#others, [ledgerAnnotation]: partsOf(this.#packed).ledger };
    },
  };
}

/** Behaves like a plain object. */
export class Kept implements RawResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: unknown;
  declare readonly status: unknown;
  readonly #packed: Packed;

  private constructor({ apiVersion, kind, metadata, spec }: RawResource, packed: Packed) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.metadata = metadata;
    this.spec = spec;
    this.#packed = packed;
    Object.defineProperty(this, 'status', Kept.#accessor);
  }

  static of(resource: RawResource, status: { readonly ledger?: unknown }): Kept {
    const { metadata } = resource;
    const ledger = metadata.annotations?.[ledgerAnnotation];
    const packed = packParts(resource.kind, ledger, status);
    if (ledger === undefined) return new Kept(resource, packed);
    return new Kept({ ...resource, metadata: new KeptMetadata(metadata, packed) as unknown as Metadata }, packed);
  }

  withSpec(spec: unknown): Kept {
    const { apiVersion, kind, metadata } = this;
    return new Kept({ apiVersion, kind, metadata, spec }, this.#packed);
  }

  static readonly #accessor: PropertyDescriptor & ThisType<Kept> = {
    enumerable: true,
    get() {
      return partsOf(this.#packed).status;
    },
  };
}
