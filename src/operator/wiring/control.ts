// Joins the controller with the services and the passes of each kind.
import type { Registry } from 'prom-client';
import type { CommonPorts, Random } from '../../lib/ports.ts';
import type { RawResource } from '../api/definition.ts';
import { finalizer, isConnection } from '../api/shared-api.ts';
import type { Proxies } from '../client/http/proxy.ts';
import type { RequestNote } from '../client/http/request.ts';
import type { Transport } from '../client/http/service-transport.ts';
import { MassDeletions, objectRoutes, viewsOf } from '../connections/accepted-losses.ts';
import { createConnectionPass } from '../connections/pass/connection-pass.ts';
import { createSecretPass } from '../connections/pass/secret-finalizers.ts';
import { ServicePool } from '../connections/pool.ts';
import type { PoolEntry } from '../connections/pool-entry.ts';
import { Controller, type Pass } from '../controller/controller.ts';
import { kinds as registered } from '../kinds/index.ts';
import type { KubernetesStore } from '../kube/kubernetes-store.ts';
import { createNodeGroupPass } from '../node-groups/node-group-pass.ts';
import { collectionOf, type Kind } from '../reconcile/kind/kind.ts';
import { type Claim, type Claims, recordedLedger } from '../reconcile/ledger/ledger.ts';
import { countObjects, type ObjectCount } from '../reconcile/lists/object-count.ts';
import { ClaimIndex } from '../reconcile/ownership/claim-index.ts';
import { createPass } from '../reconcile/pass.ts';
import {
  type EventSink,
  type Key,
  keyText,
  type Leadership,
  type PassPorts,
  type ResourceChange,
  type ResourceStore,
} from '../reconcile/pass-ports.ts';
import { connectionOf, ledgerOf } from '../reconcile/resource/references.ts';
import { scalerKind } from '../reconcile/resource/scalers.ts';
import { scheduleKind } from '../reconcile/resource/scheduled.ts';
import type { SchedulePorts } from '../schedules/schedule-context.ts';
import { createSchedulePass } from '../schedules/schedule-pass.ts';
import { connectMetrics, createMetrics } from './connect-metrics.ts';
import { followFiles } from './follow-files.ts';
import { createUseWaker, expiryLimit } from './lifecycles.ts';
import { createNodeGroupWaker } from './node-groups.ts';
import { createResourceIndex } from './resource-index.ts';
import { createScheduleWaker } from './schedules.ts';

export interface ControlOptions extends CommonPorts {
  readonly installation: string;
  /** The watched namespaces; empty for all. */
  readonly namespaces: readonly string[];
  readonly quarantineMs: number;
  readonly random: Random;
  /** For services, never for the API server. */
  readonly proxies?: Proxies | undefined;
  /** For tests: identifies this process. Random by default. */
  readonly process?: string;
  /** For tests. */
  readonly serviceTransport?: Transport | undefined;
  /** Called after every request to a service. */
  readonly onServiceRequest?: (key: Key, note: RequestNote) => void;
}

interface ControlParts {
  readonly store: KubernetesStore;
  readonly events: EventSink;
  readonly registry: Registry;
  readonly leadership: Leadership;
}

/** How soon a key in a forbidden namespace is tried again. Once the namespace is readable, changes in it wake their keys anyway. */
const forbiddenMs = 30_000;

export function createControl(options: ControlOptions, { store, events, registry, leadership }: ControlParts) {
  const { clock, random, log, installation, quarantineMs } = options;
  const kinds = new Map(registered.map((kind) => [kind.definition.kind, kind]));
  const claims = new ClaimIndex(installation);
  const metrics = createMetrics(registry, clock, leadership);
  const mayWrite = () => leadership.leading();
  const connections = openConnections({ ...options, ...metrics, mayWrite }, store, () => controller);
  const massDeletions = new MassDeletions({ store, connections, installation, check: (key) => controller.wake(key) });
  const ports = {
    store,
    missed: metrics.missed,
    services: connections,
    events: counting(events, [metrics.left, metrics.scaled, metrics.expired]),
    leadership,
    clock,
    log,
    kinds,
    quarantineMs,
    ...namesOf(options),
    ...claimantsAmong(claims, connections),
    massDeletion: massDeletions.of.bind(massDeletions),
    mayExpire: expiryLimit(clock, store),
    seesAll: options.namespaces.length === 0,
  };
  indexClaims(store, claims, connections, installation);
  const controller: Controller = new Controller({
    source: store,
    leadership,
    clock,
    random,
    log,
    observer: metrics.observer,
    knowledge: knowledgeOf(ports, connections),
    pass: createPasses(ports, connections, (key) => objectCountOf({ ...ports, connections, claims }, key)),
  });
  followWrites(store, controller, kinds);
  const statistics = () => controller.statistics();
  connectMetrics(registry, { ...metrics, store, connections, statistics, leading: mayWrite });
  return { controller, connections };
}

function knowledgeOf({ kinds, installation, store }: PassPorts, connections: ServicePool) {
  const read = (key: Key) => store.read(key);
  return createResourceIndex({ kinds, installation, read, maxInFlightOf: (key) => connections.maxInFlightOf(key) });
}

function namesOf({ installation, process, random }: ControlOptions): Pick<PassPorts, 'installation' | 'process'> {
  return { installation, process: process ?? random.next().toString(36).slice(2) };
}

/** ConfigMaps are followed, too. Also what the operator writes itself concerns dependents, the end of a run concerns its JobSchedule, and a NodeGroup its Cluster. */
function followWrites(store: KubernetesStore, controller: Controller, kinds: ReadonlyMap<string, Kind>): void {
  followFiles(store, kinds);
  store.subscribeWrites((change) => controller.wrote(change));
  const wake = (key: Key) => controller.wake(key);
  const nodeGroups = createNodeGroupWaker((of) => store.list(scalerKind, of), wake);
  const uses = createUseWaker((key) => store.read(key), wake);
  for (const waker of [createScheduleWaker(wake), nodeGroups, uses]) {
    store.subscribe(waker);
    store.subscribeWrites(waker);
  }
}

/** Kubernetes keeps an event for an hour, and takes none in a namespace that is being deleted. */
function counting(events: EventSink, counters: readonly ReturnType<typeof createMetrics>['left'][]): EventSink {
  return {
    emit(event) {
      for (const count of counters) count({ kind: event.regarding.kind, reason: event.reason });
      events.emit(event);
    },
  };
}

/** A service may have several endpoints. A claim by one of them counts for all. */
function claimantsAmong(
  claims: ClaimIndex,
  connections: ServicePool,
): Pick<PassPorts, 'claimants' | 'claimantsOfId' | 'rivals' | 'holder' | 'isNamed'> {
  const everywhere = <L extends Claims>(ledger: L): readonly L[] =>
    connections.aliasesOf(ledger).map((endpoint) => ({ ...ledger, endpoint }));
  return {
    claimants: (ledger) => everywhere(ledger).flatMap((one) => claims.claimants(one)),
    claimantsOfId: claims.claimantsOfId.bind(claims),
    rivals: (ledger) => everywhere(ledger).flatMap((one) => claims.rivals(one)),
    holder: (resource, ledger, counts) =>
      claims.holder(resource, ledger, { counts, endpoints: connections.aliasesOf(ledger) }),
    isNamed: claims.isNamed.bind(claims),
  };
}

function isForbidden(store: KubernetesStore, namespace: string): boolean {
  return store.namespaces().some((one) => one.namespace === namespace && one.forbidden.length > 0);
}

/** A new claim changes which objects of the service are unclaimed, also for Connections that reach it at another address. */
function indexClaims(store: KubernetesStore, claims: ClaimIndex, connections: ServicePool, installation: string): void {
  const index = (change: ResourceChange): void => {
    const claimant = claims.changed(change);
    if (!claimant) return;
    connections.recount(connectionOf(claimant));
    const named = recordedLedger(ledgerOf(claimant, installation))?.claims ?? [];
    for (const entry of connections.entries()) if (isAnyListed(entry, named)) entry.count.changed();
  };
  store.subscribe(index);
  store.subscribeWrites(index);
}

function isAnyListed(entry: PoolEntry, claims: readonly Claim[]): boolean {
  const views = viewsOf(entry);
  return claims.some(({ collection, id }) => id !== undefined && views.get(collection)?.has(id) === true);
}

/** `controller` is a function, because the controller is created after the services that wake it. */
function openConnections(
  options: ControlOptions & ReturnType<typeof createMetrics> & { readonly mayWrite: () => boolean },
  store: KubernetesStore,
  controller: () => Controller,
): ServicePool {
  const { clock, random, log, namespaces, proxies, onServiceRequest, requested, mayWrite } = options;
  return new ServicePool({
    clock,
    random,
    log,
    changed: (key, collection, idsAndNames) =>
      controller().wakeExternal(`${key.namespace}/${key.name}`, collection, idsAndNames),
    free: (user) => controller().wakeBudget(user),
    check: (key) => controller().wake(key),
    judged: (key) => controller().wakeDependents(key),
    // A Connection that cannot be reconciled is not waited for.
    exists: (key) => !isForbidden(store, key.namespace) && store.read(key) !== undefined,
    onRequest: (key, note) => {
      requested(note);
      onServiceRequest?.(key, note);
    },
    seesAll: namespaces.length === 0,
    onPermit: options.permitted,
    onLowered: options.lowered,
    proxies,
    transport: options.serviceTransport,
    mayWrite,
  });
}

/** Dispatches a key to the pass of its kind. */
function createPasses(
  ports: PassPorts & SchedulePorts & { readonly store: KubernetesStore },
  registry: ServicePool,
  objectCount: (key: Key) => ObjectCount | undefined,
): Pass {
  const { store, events, clock, kinds } = ports;
  const massDeletion: PassPorts['massDeletion'] = (key) => ports.massDeletion(key);
  const users = (key: Key) => usersOf(store, [...kinds.keys()], key);
  const ofConnection = createConnectionPass({ store, registry, events, clock, users, objectCount, massDeletion });
  const ofSecret = createSecretPass(store);
  const ofSchedule = createSchedulePass(ports);
  const ofNodeGroup = createNodeGroupPass(ports);
  const ofKind = createPass(ports);
  return (key, context) => {
    // The cache may be outdated, and no status could be written. The claims stay, and work resumes once the namespace is readable.
    if (isForbidden(store, key.namespace)) return Promise.resolve({ next: 'at', afterMs: forbiddenMs });
    if (isConnection(key.kind)) return ofConnection(key, context.signal);
    if (key.kind === scheduleKind) return ofSchedule(key);
    if (key.kind === scalerKind) return ofNodeGroup(key);
    return key.kind === 'Secret' ? ofSecret(key) : ofKind(key, context);
  };
}

interface CountedParts {
  readonly store: KubernetesStore;
  readonly connections: ServicePool;
  readonly claims: ClaimIndex;
  readonly installation: string;
}

/** Counts the objects of this installation in the lists; undefined while a list with claimed objects is missing. */
function objectCountOf({ store, connections, claims, installation }: CountedParts, key: Key): ObjectCount | undefined {
  // A namespace that was never readable may claim any object.
  if (store.namespaces().some(({ access }) => access === 'unread')) return undefined;
  const found = connections.lookup(key);
  if (found.state !== 'usable') return undefined;
  const { endpoints, tenant } = found;
  const views = viewsOf(found);
  const placeOf = (collection: string) => ({ endpoints, tenant, collection });
  const missing = objectRoutes
    .map((route) => collectionOf({ route }))
    .some((one) => !views.has(one) && claims.hasAny(placeOf(one)));
  if (views.size === 0 || missing) return undefined;
  const claimed = (collection: string, idOrName: string) => claims.has(placeOf(collection), idOrName);
  return countObjects({ installation, views, claimed, named: claims.isNamed.bind(claims) });
}

/** The resources that have the operator's finalizer and reference this Connection. */
function usersOf(store: ResourceStore, kinds: readonly string[], key: Key): readonly RawResource[] {
  return kinds.flatMap((kind) =>
    [...store.list(kind)].filter(
      (resource) =>
        resource.metadata.finalizers?.includes(finalizer) && keyText(connectionOf(resource)) === keyText(key),
    ),
  );
}
