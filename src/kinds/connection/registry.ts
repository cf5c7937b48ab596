// What the Connection's pass needs to know and to hand on: the settings of a service, and the registry of services. Types only.
import type { Limits } from '../../adapter/budget.ts';
import type { Service } from '../../adapter/service.ts';
import type { Key } from '../../reconcile/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';

/** Everything that a service is reached with. Holds secrets: never logged. */
export interface Settings {
  readonly uid: string;
  readonly endpoint: string;
  readonly formerEndpoints: readonly string[];
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly token: string | undefined;
  /** PEM. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly timeoutMs: number;
  readonly limits: Limits;
  readonly pollSeconds: number;
}

export interface Registry {
  /** The service for these settings: the same one as long as uid, endpoint, tenant and dialect are the same. Throws on a bad endpoint. */
  apply(key: Key, settings: Settings): Service;
  /** Whether new objects may be made through it, and why not. */
  judge(key: Key, judgement: { readonly mayCreate: boolean; readonly message?: string }): void;
  /** No call can be made: why. `credentials`: for want of these. */
  broken(key: Key, why: { readonly message: string; readonly credentials: boolean }): void;
  /** True once after requests of others began to fail as if the whole service were out of reach. */
  suspected(key: Key): boolean;
  /** True once, a minute after the objects in the service changed: count them anew. */
  countDue(key: Key): boolean;
  forget(key: Key): void;
}
