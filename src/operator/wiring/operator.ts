// Builds the operator from its parts. Clock, random numbers, log and cluster come in as options.
import { Registry } from 'prom-client';
import type { ClusterConfig } from '../../kube/config/config-types.ts';
import type { RequestReport } from '../../kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../kube/http/transport.ts';
import type { RawResource, ResourceKind } from '../../kube/resource.ts';
import type { IndexOf } from '../../kube/watch/cache-index.ts';
import type { Clock } from '../../lib/ports.ts';
import { apiVersion, secretType } from '../api/shared-api.ts';
import type { ServicePool } from '../connections/pool.ts';
import { longestTimeoutMs } from '../connections/pool-entry.ts';
import type { Controller } from '../controller/controller.ts';
import { definitions } from '../kinds/index.ts';
import { EventSender } from '../kube/events/events.ts';
import { KubernetesStore } from '../kube/kubernetes-store.ts';
import { measureProcess, measureReadiness } from '../metrics/process-metrics.ts';
import { measureEvents, measureNamespaces, measureWatches } from '../metrics/watch-metrics.ts';
import { cachesSynced, namespacesReadable, notDraining, passesEnd, watchesWork } from '../process/health-checks.ts';
import { type Check, HealthServer } from '../process/health-server.ts';
import { cachesPart, controllerPart, healthPart, webPart } from '../process/parts.ts';
import { Lifecycle, type Part } from '../process/process-lifecycle.ts';
import { sendDeadlineMs } from '../reconcile/protocol/step.ts';
import { clusterTextOfRun } from '../reconcile/resource/runs-on.ts';
import { clusterTextOf, scalerKind } from '../reconcile/resource/scalers.ts';
import { namespaceKind, sharingTextOf } from '../reconcile/resource/sharing.ts';
import { executionKind } from '../schedules/schedule-executions.ts';
import { measureApiServer } from './connect-metrics.ts';
import { type ControlOptions, createControl } from './control.ts';
import { createLeaderParts, type LeaderOptions, type LeaderParts, whileLeading } from './leadership.ts';
import { createWebServer } from './web.ts';

interface OperatorOptions extends CoreOptions {
  readonly cluster: ClusterConfig;
  readonly health: { readonly host?: string; readonly port: number };
  /** Where the page is served; nowhere without it. */
  readonly web?: { readonly host?: string; readonly port: number } | undefined;
  /** Called after every request to the API server. */
  readonly onKubernetesRequest?: (report: RequestReport) => void;
}

export interface Operator {
  /** Resolves when all parts run. */
  start(): Promise<void>;
  /** Drains the queue. Returns what did not end in time. */
  stop(deadlineMs: number): Promise<readonly string[]>;
  /** The port of the health server, once it has started. */
  healthPort(): number | undefined;
  /** The port of the page, once it is served. */
  webPort(): number | undefined;
}

/** Every request of a pass has a deadline, so a pass hangs if it takes longer than this and longer than `requestsOfAPass` timeouts. */
export const longestPassMs = 10 * 60_000;
const requestsOfAPass = 10;
const watchTroubleMs = 2 * 60_000;

export function createOperator(options: OperatorOptions): Operator {
  const { clock, log } = options;
  const registry = new Registry();
  measureProcess(registry);
  const transport = openTransport(options, registry);
  const core = createCore(options, transport, registry);
  const { store, leading } = core;
  const lifecycle: { state(): ReturnType<Lifecycle['state']>; of?: Lifecycle } = {
    state: () => lifecycle.of?.state() ?? 'starting',
  };
  const ready = [...readyChecks(store, clock, () => lifecycle.state()), ...leading.checks];
  measureReadiness(registry, ready);
  const health = new HealthServer({
    ...options.health,
    live: [passCheck(core)],
    ready,
    registry,
    log,
  });
  const web = openWeb(options, transport, core);
  const parts = [
    { name: 'API server transport', stop: () => transport.close() },
    healthPart(health),
    ...(web === undefined ? [] : [webPart(web)]),
    ...corePartsOf(core, clock),
  ];
  lifecycle.of = new Lifecycle({ clock, log, parts });
  const { of } = lifecycle;
  return {
    start: () => of.start(),
    stop: (ms) => of.stop(ms),
    healthPort: () => health.port,
    webPort: () => web?.port,
  };
}

function passCheck({ controller, connections }: OperatorCore): Check {
  return passesEnd(
    () => controller.statistics(),
    // A Connection with a long timeout must not fail the liveness probe.
    () => Math.max(longestPassMs, requestsOfAPass * longestTimeoutMs(connections.entries())),
  );
}

function openWeb({ web, clock, log, instance }: OperatorOptions, transport: ApiTransport, core: OperatorCore) {
  const { store, leading } = core;
  if (web === undefined) return undefined;
  return createWebServer({ address: web, transport, store, leadership: leading.leadership, instance, clock, log });
}

function openTransport({ cluster, clock, onKubernetesRequest }: OperatorOptions, registry: Registry): ApiTransport {
  const requested = measureApiServer(registry);
  const onRequest = (report: RequestReport): void => {
    requested(report);
    onKubernetesRequest?.(report);
  };
  return createTransport({ config: cluster, clock, onRequest });
}

function readyChecks(store: KubernetesStore, clock: Clock, state: () => ReturnType<Lifecycle['state']>) {
  const startedAt = clock.monotonic();
  const failing = () =>
    store.health().sources.flatMap(({ failing: why, lastSyncAt, namespace, forbidden }) =>
      // A forbidden namespace has a check of its own.
      why === undefined || (forbidden && namespace !== undefined)
        ? []
        : [{ ms: clock.monotonic() - (lastSyncAt ?? startedAt), why }],
    );
  const kinds = watched.map(({ kind }) => kind);
  return [
    notDraining(state),
    cachesSynced((kind) => store.synced(kind), kinds),
    watchesWork(failing, watchTroubleMs),
    namespacesReadable(() => store.namespaces()),
  ];
}

interface CoreOptions extends ControlOptions, LeaderOptions {}

/** What reconciles: caches, controller, services, events and leader election over one transport to the API server. */
export interface OperatorCore {
  readonly store: KubernetesStore;
  readonly events: EventSender;
  readonly connections: ServicePool;
  readonly controller: Controller;
  readonly leading: LeaderParts;
}

const eventRate = { ratePerSecond: 50, burst: 200 } as const;
const flushMs = 2_000;
/** leastMs is three times the longest time that was measured on an idle server. withinMs leaves time for the request after the claim. */
const lateDeletion = { leastMs: 100, withinMs: 0.75 * sendDeadlineMs } as const;
const watched: readonly ResourceKind[] = [
  ...definitions.map(({ kind, plural, scope }) => ({ kind, apiVersion, plural, clusterScoped: scope === 'Cluster' })),
  { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: `type=${secretType}` },
  { kind: namespaceKind, apiVersion: 'v1', plural: 'namespaces', clusterScoped: true, keep: labelsOf },
];

/** What selectors read of a namespace. */
function labelsOf({ apiVersion: version, kind, metadata }: RawResource): RawResource {
  const { name, namespace, uid, resourceVersion, generation, labels } = metadata;
  return {
    apiVersion: version,
    kind,
    metadata: { name, namespace, uid, resourceVersion, generation, ...(labels && { labels }) },
  };
}

/** Each pass over a Cluster looks up its NodeGroups, its executions if it has a lifecycle, and the other Clusters of its namespace if they share a quota. */
const indexes = new Map<string, IndexOf>([
  [scalerKind, clusterTextOf],
  [executionKind, clusterTextOfRun],
  ['Cluster', sharingTextOf],
]);

/** Starts nothing; `corePartsOf` returns what to start. */
export function createCore(options: CoreOptions, transport: ApiTransport, registry: Registry): OperatorCore {
  const { clock, random, log, namespaces, instance } = options;
  const leading = createLeaderParts(options, transport, registry);
  const { leadership } = leading;
  const writing = whileLeading(transport, leadership);
  const store = new KubernetesStore({
    transport: writing,
    resources: watched,
    namespaces,
    indexes,
    clock,
    random,
    log,
    lateDeletion,
  });
  const component = 'dataprocessing-operator';
  const events = new EventSender({ transport: writing, clock, log, component, instance, ...eventRate });
  measureWatches(registry, () => store.health().sources);
  measureNamespaces(registry, () => store.namespaces());
  measureEvents(registry, () => events.counts());
  const { controller, connections } = createControl(options, { store, events, registry, leadership });
  return { store, events, connections, controller, leading };
}

/** In the order of their start. They stop in reverse order. */
export function corePartsOf(core: OperatorCore, clock: Clock): readonly Part[] {
  const { store, events, connections, controller, leading } = core;
  return [
    { name: 'services', stop: () => connections.close() },
    { name: 'caches', start: () => store.start(), stop: () => store.stop() },
    cachesPart(
      (kind) => store.synced(kind),
      watched.map(({ kind }) => kind),
      clock,
    ),
    // A replica takes part in the election only once its caches are synced.
    ...leading.parts(() => controller.statistics().running === 0),
    { name: 'events', stop: (leftMs) => events.flush(Math.min(leftMs, flushMs)) },
    controllerPart('controller', controller),
  ];
}
