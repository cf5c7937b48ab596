// What a cell plays in: a real API server and a real service, or the simulated ones; the same to the user who acts there.
import type { Store } from '../../../src/service/model/store/store.ts';
import type { Seen } from '../plane/mirror.ts';

export interface Scene {
  /** All names begin with it, and the tenant is called so. */
  readonly cell: string;
  readonly namespace: string;
  /** Of the service, as the operator is told. */
  readonly endpoint: string;
  readonly token: string;
  /** Of the operator. */
  readonly installation: string;
  /** What the service really has, whatever it tells. */
  readonly store: Store;
  /** On the clock of the operator, in ms. */
  now(): number;
  /** What the API server has of the cell. */
  objects(): readonly Seen[];
  get(kind: string, name: string): Seen | undefined;
  /** As `kubectl apply` does it. Throws with the refusal. */
  apply(kind: string, name: string, object: object): Promise<void>;
  annotate(kind: string, name: string, annotations: Readonly<Record<string, string>>): Promise<void>;
  remove(kind: string, name: string): Promise<void>;
  /** Resolves when `missing` finds nothing missing any more. Throws with what it said last, when nobody would wait any longer. */
  until(missing: () => string | undefined, how?: 'seldom'): Promise<void>;
  /** The operator works. */
  running(): Promise<void>;
  /** The operator is asked to end, and another one starts. */
  handOver(): Promise<void>;
  /** Resolves when nothing was written for a while, by either count; throws when that does not come. */
  rest(): Promise<void>;
}
