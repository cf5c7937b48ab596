// What a pass needs of the outside, as interfaces: the store, events, leadership and the services behind Connections.

import { memoize } from '../../lib/memoize.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { RawResource } from '../api/definition.ts';
import type { Service } from '../client/service.ts';
import type { AnyKind } from './kind.ts';
import type { Claims, Ledger } from './ledger/ledger.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';

/** Names one object. As text: `Cluster/team-a/etl`. */
export interface Key {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Many are kept, in several places: joined, a text is one piece of memory and not one for each part, and those of one time are the same piece. */
export function keyText({ kind, namespace, name }: Key): string {
  return sharedText([kind, namespace, name].join('/'));
}

const sharedText = memoize((text: string) => text);

/** The inverse: names of Kubernetes objects hold no slash. What is made of the key for a while is this very text. */
export function keyFromText(text: string): Key {
  const [kind = '', namespace = '', name = ''] = sharedText(text).split('/');
  return { kind, namespace, name };
}

export function keyOf(resource: RawResource): Key {
  return { kind: resource.kind, namespace: resource.metadata.namespace, name: resource.metadata.name };
}

/**
 * Why a read or write of the API server failed, as far as a pass must know.
 * conflict: somebody wrote in between; read again and start over. gone: the object is not there any more.
 * invalid: refused for good (a bug of ours, or a CRD of another version). forbidden: RBAC or a namespace that is terminating.
 */
export type StoreErrorCategory = 'conflict' | 'gone' | 'invalid' | 'forbidden' | 'throttled' | 'unreachable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly category: StoreErrorCategory;
  readonly retryAfterMs: number | undefined;
  constructor(category: StoreErrorCategory, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.category = category;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Kubernetes as a pass sees it: reads from the cache, with the answers of our own writes laid over it. */
export interface ResourceStore {
  read(key: Key): RawResource | undefined;
  list(kind: string): Iterable<RawResource>;
  /**
   * True when the first list of this kind has arrived from every namespace that may be read, and subscribers have heard of all of it.
   */
  synced(kind: string): boolean;
  /** Our finalizer and, where given, the ledger annotation: server-side apply with uid and resourceVersion of `resource`. */
  claim(resource: RawResource, ledger: string | undefined): Promise<RawResource>;
  /** Takes our finalizer off, with uid and resourceVersion; the annotation stays. An object that is gone already is a success. */
  release(resource: RawResource): Promise<void>;
  /** The complete status, by server-side apply with resourceVersion. */
  writeStatus(resource: RawResource, status: object): Promise<RawResource>;
  /** The object now, from the API server itself and not from the cache; undefined when it is gone. */
  readFresh(key: Key): Promise<RawResource | undefined>;
}

/** One change of the cache; `current` is undefined after a delete, `previous` for a new object. */
export interface ResourceChange {
  readonly key: Key;
  readonly previous: RawResource | undefined;
  readonly current: RawResource | undefined;
  /** True for the objects of the first list of a start and of a relist that found them unchanged elsewhere. */
  readonly initial: boolean;
}

export interface ChangeSource {
  /** Handlers only note keys: they must be quick and must not throw. */
  subscribe(handler: (change: ResourceChange) => void): void;
}

/** The object of an event: a resource, or what is left of one that somebody keeps for long. */
export interface Regarded extends Pick<RawResource, 'apiVersion' | 'kind'> {
  readonly metadata: Pick<RawResource['metadata'], 'namespace' | 'name' | 'uid' | 'resourceVersion'>;
}

export interface EventNote {
  readonly regarding: Regarded;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from a closed list. */
  readonly reason: string;
  /** What we did, CamelCase: Create, Scale, Delete, Observe. */
  readonly action: string;
  readonly note: string;
}

export interface EventSink {
  /** Never throws and never waits; losing an event never fails a pass. */
  emit(event: EventNote): void;
}

export interface Leadership {
  /** False once we know, or must assume, that another replica may lead by the time at which a write that begins now takes effect. */
  leading(): boolean;
}

/** The service behind a Connection, or why there is none. */
export type ServiceLookup =
  | {
      readonly state: 'usable';
      readonly service: Service;
      readonly endpoint: string;
      /** The endpoint and those it had before: objects pinned to any of them are at the same service. */
      readonly endpoints: readonly string[];
      readonly tenant: string;
      readonly dialect: Dialect;
      readonly pollSeconds: number;
      /** The Connection is Ready and not terminating: creating is allowed. Observing and deleting always are. */
      readonly mayCreate: boolean;
      /** The service has refused the credentials, and has never accepted them. */
      readonly refused?: boolean;
      /** Why creating is not allowed. */
      readonly message?: string;
    }
  /** unchecked: it exists, and this process has not looked at it yet; those who wait for it are woken then. */
  | {
      readonly state: 'missing' | 'broken' | 'unchecked';
      readonly message: string;
      readonly credentials: boolean;
      /** The identity service has refused the credentials, and nobody ever accepted them. */
      readonly refused?: boolean;
    };

export interface Services {
  lookup(namespace: string, connection: string): ServiceLookup;
}

export interface PassPorts {
  readonly store: ResourceStore;
  readonly services: Services;
  readonly events: EventSink;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
  /** By name of the kind. */
  readonly kinds: ReadonlyMap<string, AnyKind>;
  readonly installation: string;
  readonly quarantineMs: number;
  /** All whose confirmed ledger names an object of this one; of each object in the order in which their claims became known. */
  claimants(ledger: Claims): readonly RawResource[];
  /** All that name an object of a ledger, also those whose own was written for another object. */
  rivals(ledger: Ledger): readonly RawResource[];
  /** Who holds what a ledger names that was written for another object, of those whose claim counts. */
  holder(resource: RawResource, ledger: Ledger, counts: (one: RawResource) => boolean): RawResource | undefined;
  /** What is gone at once from the service of a Connection. */
  massDeletion(namespace: string, connection: string): Promise<MassDeletion | undefined>;
  /** All namespaces are watched. */
  readonly seesAll: boolean;
}

export interface PassContext {
  readonly signal: AbortSignal;
  /** How old an observation may be, in ms: less than the delay that the key last polled with. */
  readonly pollMs: number;
}
