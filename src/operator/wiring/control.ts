// Joins controller, services and passes: who wakes whom, and which pass a key gets.

import type { Registry } from 'prom-client';
import type { Clock, Log, Random } from '../../lib/ports.ts';
import { finalizer } from '../api/common.ts';
import type { RawResource } from '../api/definition.ts';
import type { Transport } from '../client/http/proxied.ts';
import type { Proxies } from '../client/http/proxy.ts';
import type { RequestNote } from '../client/http/request.ts';
import { MassDeletions, viewsOf } from '../connections/mass-deletion.ts';
import { createConnectionPass } from '../connections/pass/pass.ts';
import { createSecretPass } from '../connections/pass/secret.ts';
import { ServicePool } from '../connections/pool.ts';
import { Controller, type Pass } from '../controller/controller.ts';
import { connection } from '../kinds/connection/schema.ts';
import { kinds as registered } from '../kinds/index.ts';
import type { KubernetesEventSink } from '../kube/events/events.ts';
import type { KubernetesStore } from '../kube/store.ts';
import { collectionOf } from '../reconcile/kind.ts';
import type { Claims } from '../reconcile/ledger/ledger.ts';
import { countObjects, type ObjectCount } from '../reconcile/lists/object-count.ts';
import { ClaimIndex } from '../reconcile/ownership/claim-index.ts';
import { createPass } from '../reconcile/pass.ts';
import type { Key, Leadership, PassPorts, ResourceChange, ResourceStore } from '../reconcile/ports.ts';
import { connectionName } from '../reconcile/resource/references.ts';
import { createMeasures, watchFigures } from './measures.ts';
import { createKnowledge } from './resource-index.ts';

export interface ControlOptions {
  readonly installation: string;
  /** Those that are watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly quarantineMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** On the way to services, and never to the API server; none where it is missing. */
  readonly proxies?: Proxies | undefined;
  /** For tests: how services are reached. */
  readonly serviceTransport?: Transport | undefined;
  /** Hears of every request to a service. */
  readonly onServiceRequest?: (key: Key, note: RequestNote) => void;
}

interface ControlParts {
  readonly store: KubernetesStore;
  readonly events: KubernetesEventSink;
  readonly registry: Registry;
  readonly leadership: Leadership;
}

/** How often it is looked whether a namespace can be read again, in ms. Its changes wake their keys by themselves. */
const forbiddenMs = 30_000;

/** The one controller, and what wakes it. */
export function createControl(options: ControlOptions, { store, events, registry, leadership }: ControlParts) {
  const { clock, random, log, installation, quarantineMs } = options;
  const kinds = new Map(registered.map((kind) => [kind.definition.kind, kind]));
  const claims = new ClaimIndex(installation);
  const measures = createMeasures(registry, clock, leadership);
  const mayWrite = () => leadership.leading();
  const connections = openConnections({ ...options, ...measures, mayWrite }, store, () => controller);
  const losses = new MassDeletions({ store, connections, installation, look: (key) => controller.wake(key) });
  const ports = {
    store,
    services: connections,
    events,
    leadership,
    clock,
    log,
    kinds,
    installation,
    quarantineMs,
    ...claimantsAmong(claims, connections),
    massDeletion: losses.of.bind(losses),
    seesAll: options.namespaces.length === 0,
  };
  indexClaims(store, claims, connections);
  const guard = guardOf(store, (key) => censusOf(connections, claims, { installation, key }));
  const controller: Controller = new Controller({
    source: store,
    leadership,
    clock,
    random,
    log,
    observer: measures.observer,
    knowledge: createKnowledge({ kinds, installation, read: (key) => store.read(key) }),
    pass: createPasses(ports, connections, guard),
  });
  store.subscribeWrites((change) => controller.wrote(change));
  watchFigures(registry, { ...measures, store, connections, statistics: () => controller.statistics() });
  return { controller, connections };
}

/** A service may be known by several endpoints: whoever claims by one of them claims. */
function claimantsAmong(
  claims: ClaimIndex,
  connections: ServicePool,
): Pick<PassPorts, 'claimants' | 'rivals' | 'holder'> {
  const everywhere = <L extends Claims>(ledger: L): readonly L[] =>
    connections.aliasesOf(ledger).map((endpoint) => ({ ...ledger, endpoint }));
  return {
    claimants: (ledger) => everywhere(ledger).flatMap((one) => claims.claimants(one)),
    rivals: (ledger) => everywhere(ledger).flatMap((one) => claims.rivals(one)),
    holder: (resource, ledger, counts) =>
      claims.holder(resource, ledger, { counts, endpoints: connections.aliasesOf(ledger) }),
  };
}

/** The operator lacks the permission to read something in this namespace. */
const isForbidden = (store: KubernetesStore, namespace: string): boolean =>
  store.namespaces().some((one) => one.namespace === namespace && one.forbidden.length > 0);

/** The objects of a service are counted anew where others claim them now. */
function indexClaims(store: KubernetesStore, claims: ClaimIndex, connections: ServicePool): void {
  const index = (change: ResourceChange): void => {
    const claimant = claims.changed(change);
    if (claimant) connections.recount(connectionKeyOf(claimant));
  };
  store.subscribe(index);
  store.subscribeWrites(index);
}

/** The services, which wake the controller: it is made after them, so it comes in as a function. */
function openConnections(
  options: ControlOptions & ReturnType<typeof createMeasures> & { readonly mayWrite: () => boolean },
  store: KubernetesStore,
  controller: () => Controller,
): ServicePool {
  const { clock, random, log, proxies, serviceTransport, onServiceRequest, requested, permitted, mayWrite } = options;
  return new ServicePool({
    clock,
    random,
    log,
    changed: (key, collection, idsAndNames) =>
      controller().wakeExternal(`${key.namespace}/${key.name}`, collection, idsAndNames),
    free: (user) => controller().wakeBudget(user),
    look: (key) => controller().wake(key),
    judged: (key) => controller().wakeDependents(key),
    // One that cannot be worked on is not waited for: whoever asks goes by what is known.
    exists: (namespace, name) =>
      !isForbidden(store, namespace) && store.read({ kind: connection.kind, namespace, name }) !== undefined,
    onRequest: (key, note) => {
      requested(note);
      onServiceRequest?.(key, note);
    },
    onPermit: permitted,
    proxies,
    transport: serviceTransport,
    mayWrite,
  });
}

interface Guard {
  readonly census: (key: Key) => ObjectCount | undefined;
  readonly isForbidden: (namespace: string) => boolean;
}

/** What a namespace holds that could never be read may claim anything: then nothing is counted. */
function guardOf(store: KubernetesStore, count: Guard['census']): Guard {
  const isUnread = () => store.namespaces().some(({ access }) => access === 'unread');
  return {
    census: (key) => (isUnread() ? undefined : count(key)),
    isForbidden: (namespace) => isForbidden(store, namespace),
  };
}

/** The pass of each kind of key. */
function createPasses(ports: PassPorts, registry: ServicePool, { census, isForbidden: forbidden }: Guard): Pass {
  const { store, events, clock, kinds } = ports;
  const loss = (namespace: string, name: string) => ports.massDeletion(namespace, name);
  const users = (key: Key) => usersOf(store, [...kinds.keys()], key);
  const ofConnection = createConnectionPass({
    store,
    registry,
    events,
    clock,
    users,
    objectCount: census,
    massDeletion: loss,
  });
  const ofSecret = createSecretPass(store);
  const ofKind = createPass(ports);
  return (key, context) => {
    // What is known of it may be long out of date, and nothing could be recorded. Its claims stand; it goes on when it can be read again.
    if (forbidden(key.namespace)) return Promise.resolve({ next: 'at', afterMs: forbiddenMs });
    if (key.kind === connection.kind) return ofConnection(key, context.signal);
    return key.kind === 'Secret' ? ofSecret(key) : ofKind(key, context);
  };
}

/** What the lists show of this installation; undefined while one is missing of what somebody claims: part of it would be told for all. */
function censusOf(
  connections: ServicePool,
  claims: ClaimIndex,
  { installation, key }: { readonly installation: string; readonly key: Key },
): ObjectCount | undefined {
  const found = connections.lookup(key.namespace, key.name);
  if (found.state !== 'usable') return undefined;
  const { endpoints, tenant } = found;
  const views = viewsOf(found);
  const placeOf = (collection: string) => ({ endpoints, tenant, collection });
  const unseen = registered.map(collectionOf).some((one) => !views.has(one) && claims.hasAny(placeOf(one)));
  if (views.size === 0 || unseen) return undefined;
  const claimed = (collection: string, idOrName: string) => claims.has(placeOf(collection), idOrName);
  return countObjects({ installation, views, claimed });
}

const connectionKeyOf = (resource: RawResource): Key => {
  const { namespace } = resource.metadata;
  return { kind: connection.kind, namespace, name: connectionName(resource) };
};

/** Resources of the namespace that hold our finalizer and name this Connection. */
function usersOf(store: ResourceStore, kinds: readonly string[], key: Key): readonly RawResource[] {
  return kinds.flatMap((kind) =>
    [...store.list(kind)].filter(
      (resource) =>
        resource.metadata.namespace === key.namespace &&
        resource.metadata.finalizers?.includes(finalizer) &&
        connectionName(resource) === key.name,
    ),
  );
}
