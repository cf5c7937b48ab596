// The table's vocabulary: what is wrong, how it comes about, and where and how it must be told. Rows are data.

import type { Spec } from '../operator/kinds/schema/api.ts';
import type { Fault, Match } from '../support/service/service-proxy.ts';

/** Told in the Ready condition of an object. */
export interface Told {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly says: RegExp;
  /** Of Ready; False when absent. */
  readonly status?: 'True' | 'False' | 'Unknown';
}

export interface Part {
  readonly kind: string;
  readonly name: string;
  readonly spec: Spec;
}

/**
 * One trouble, from its beginning to its end, in a tenant and with a Connection `@` of its own. In names and specs `@` stands for
 * the row, so that rows can run side by side.
 */
export interface TroubleRow {
  readonly name: string;
  readonly secrets?: readonly Part[];
  /** On top of endpoint, tenant and the right token; null: there is no Connection. */
  readonly connection?: Spec | null;
  /**
   * What the service does wrong until it is mended: from the start, once the Connection is Ready, or when the first part, which was
   * Ready, is edited or deleted.
   */
  readonly fault?: Match & { readonly does: Fault; readonly from: 'start' | 'ready' | 'edit' | 'delete' };
  /** The edited spec of the first part. */
  readonly edit?: Spec;
  readonly parts: readonly Part[];
  /** What somebody does by hand to the first part when it is Ready. */
  readonly hand?: Hand;
  readonly told: readonly Told[];
  /** Also seen in the status of the first part. */
  readonly status?: Spec;
  readonly externalName?: RegExp;
  /** Whether everything can be deleted while the trouble lasts. */
  readonly deletable: 'during' | 'after';
  /** What the message asks for: how the first part looks once it is done. Nothing is wrong with it then. */
  readonly remedy?: Remedy;
  /** Rows of the service that are there while the trouble lasts; those that stay in the end when nothing may be touched. */
  readonly made: number;
  readonly left?: number;
}

/** edit: in place. anew: it must be deleted and made again, as the edit is refused. */
export interface Remedy {
  readonly by: 'edit' | 'anew';
  readonly spec: Spec;
  /** The Cluster that is well then, where it is not the part itself. */
  readonly heals?: string;
}

/** A merge patch on the object or its status. `heals`: the operator writes the status again as it was. */
export interface Hand {
  readonly on: 'object' | 'status';
  readonly patch: (current: Mangled) => Spec;
  readonly heals: boolean;
}

export interface Mangled {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: Readonly<Record<string, unknown>>;
}
