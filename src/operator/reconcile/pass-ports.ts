// What a pass needs of the outside, as interfaces: the store, events, leadership and the services behind Connections.
import type { CommonPorts } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { RawResource } from '../api/definition.ts';
import type { Service } from '../client/service-client.ts';
import type { Kind } from './kind/kind.ts';
import type { Claims, Ledger } from './ledger/ledger.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';

/** Names one object. As text: `Cluster/team-a/etl`. */
export interface Key {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function keyText({ kind, namespace, name }: Key): string {
  return `${kind}/${namespace}/${name}`;
}

/** The inverse of keyText: names of Kubernetes objects contain no slash. */
export function keyFromText(text: string): Key {
  const [kind = '', namespace = '', name = ''] = text.split('/');
  return { kind, namespace, name };
}

/** For people: `Connection default`. */
export function nameText({ kind, name }: Pick<Key, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function keyOf(resource: RawResource): Key {
  return { kind: resource.kind, namespace: resource.metadata.namespace, name: resource.metadata.name };
}

export { StoreError } from '../../lib/store-error.ts';

/** An object of the operator's own to create. */
export interface NewObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly [field: string]: unknown;
  };
  readonly spec: unknown;
}

/** Kubernetes as a pass sees it: reads from the cache, overlaid with the answers to our own writes. */
export interface ResourceStore {
  read(key: Key): RawResource | undefined;
  /** With `of`, those that the index of the kind has for this object; all of a kind without an index, so filter them. */
  list(kind: string, of?: Key): Iterable<RawResource>;
  /**
   * The first list of this kind has arrived from every readable namespace, and subscribers have received all of it.
   */
  synced(kind: string): boolean;
  /** Writes our finalizer and, where given, the ledger annotation: server-side apply with uid and resourceVersion of `resource`. */
  claim(resource: RawResource, ledger: string | undefined): Promise<RawResource>;
  /** Removes our finalizer, with uid and resourceVersion; the annotation stays. Succeeds if the object is gone already. */
  release(resource: RawResource): Promise<void>;
  /** `exists`: an object of this name exists already, and may be somebody else's. After an error without an answer the object may exist. */
  create(object: NewObject): Promise<'created' | 'exists'>;
  /** Deletes the object, if it still has this uid and resourceVersion. Succeeds if it is gone already. */
  remove(resource: RawResource): Promise<void>;
  /** Writes the complete status, by server-side apply with resourceVersion. */
  writeStatus(resource: RawResource, status: object): Promise<RawResource>;
  /** Reads the object from the API server, not from the cache; undefined when it is gone. */
  readFresh(key: Key): Promise<RawResource | undefined>;
}

/** One change of the cache; `current` is undefined after a deletion, `previous` for a new object. */
export interface ResourceChange {
  readonly key: Key;
  readonly previous: RawResource | undefined;
  readonly current: RawResource | undefined;
  /** True for objects of the first list after a start, and of a relist that found them unchanged. */
  readonly initial: boolean;
}

export interface ChangeSource {
  /** Handlers only note keys: they must be quick and must not throw. */
  subscribe(handler: (change: ResourceChange) => void): void;
}

/** The object of an event: a resource, or the part of one that is kept for long. */
export interface Regarded extends Pick<RawResource, 'apiVersion' | 'kind'> {
  readonly metadata: Pick<RawResource['metadata'], 'namespace' | 'name' | 'uid' | 'resourceVersion'>;
}

export interface EventNote {
  readonly regarding: Regarded;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from a closed list. */
  readonly reason: string;
  /** What the operator did, CamelCase: Create, Scale, Delete, Observe. */
  readonly action: string;
  readonly note: string;
}

export interface EventSink {
  /** Never throws and never waits; losing an event never fails a pass. */
  emit(event: EventNote): void;
}

export interface Leadership {
  /** False once another replica may lead by the time at which a write that begins now takes effect. */
  leading(): boolean;
}

/** The service behind a Connection, or why there is none. */
export type ServiceLookup =
  | {
      readonly state: 'usable';
      readonly service: Service;
      readonly endpoint: string;
      /** The endpoint and former ones: objects pinned to any of them are at the same service. */
      readonly endpoints: readonly string[];
      readonly tenant: string;
      readonly dialect: Dialect;
      readonly pollSeconds: number;
      /** The Connection is Ready and not terminating: creating is allowed. Observing and deleting always are. */
      readonly mayCreate: boolean;
      /** The service has accepted the credentials at least once. */
      readonly accepted: boolean;
      /** The service has refused the credentials and has never accepted them. */
      readonly refused?: boolean;
      /** Why creating is not allowed. */
      readonly message?: string;
      /** The Connection is being deleted. */
      readonly leaving?: true;
    }
  /** unchecked: it exists, and this process has not observed it yet; those who wait for it are woken then. notAllowed: not for this resource. */
  | {
      readonly state: 'missing' | 'broken' | 'unchecked' | 'notAllowed';
      readonly message: string;
      readonly credentials: boolean;
      /** The identity service has refused the credentials and never accepted them. */
      readonly refused?: boolean;
    };

export interface Services {
  lookup(connection: Key): ServiceLookup;
}

export interface PassPorts extends CommonPorts {
  readonly store: ResourceStore;
  readonly services: Services;
  readonly events: EventSink;
  readonly leadership: Leadership;
  /** By name of the kind. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly installation: string;
  /** Identifies this process in the ledger. Not its pod or its replica, which may have had processes before. */
  readonly process: string;
  readonly quarantineMs: number;
  /** All resources whose confirmed ledger names an object of this one; for each object, in the order in which the claims became known. */
  claimants(ledger: Claims): readonly RawResource[];
  /** All resources whose confirmed ledger names the object of a tenant with this id, at whatever address. */
  claimantsOfId(place: { readonly tenant: string; readonly collection: string }, id: string): readonly RawResource[];
  /** All resources that name an object of a ledger, including those whose own ledger was written for another object. */
  rivals(ledger: Ledger): readonly RawResource[];
  /** Who holds what a ledger names that was written for another object, among those whose claim counts. */
  holder(resource: RawResource, ledger: Ledger, counts: (one: RawResource) => boolean): RawResource | undefined;
  /** Whether any ledger names the object, at whatever address. */
  isNamed(collection: string, object: { readonly id: string; readonly name: string }): boolean;
  /** The objects that vanished at once from the service of a Connection: all of them, or those of a namespace. */
  massDeletion(connection: Key, namespace?: string): Promise<MassDeletion | undefined>;
  /** Few enough objects have gone by themselves lately that this one may. */
  mayExpire(key: Key): boolean;
  /** All namespaces are watched. */
  readonly seesAll: boolean;
}

export interface PassContext {
  readonly signal: AbortSignal;
  /** The greatest age of an observation, in ms: less than the delay that the key last polled with. */
  readonly pollMs: number;
}
