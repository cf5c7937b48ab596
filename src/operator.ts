// Puts the operator together from its parts: API server, caches, services, controller, health. Everything outside comes in as options.
import { Registry } from 'prom-client';
import { apiVersion, secretType } from './api/common.ts';
import type { Connections } from './connections.ts';
import { type ControlOptions, createControl } from './control.ts';
import { cachesSynced, notDraining, passesEnd, watchesWork } from './controller/checks.ts';
import type { Controller } from './controller/controller.ts';
import { HealthServer } from './controller/health.ts';
import { Lifecycle, type Part } from './controller/manager.ts';
import { measureProcess, measureReadiness } from './controller/metrics.ts';
import { measureWatches } from './controller/metrics-watches.ts';
import { cachesPart, controllerPart, healthPart } from './controller/parts.ts';
import { connection } from './kinds/connection/schema.ts';
import { kinds as registered } from './kinds/index.ts';
import type { RequestReport } from './kube/call.ts';
import type { ClusterConfig } from './kube/config.ts';
import { createEventSink, type KubernetesEventSink } from './kube/events.ts';
import { whileLeading } from './kube/leader-transport.ts';
import type { ResourceKind } from './kube/resource-kind.ts';
import { createStore, type KubernetesStore } from './kube/store.ts';
import { createTransport, type Transport } from './kube/transport.ts';
import { createLeading, type Leading, type LeadingOptions } from './leadership.ts';
import { measureApiServer } from './measures.ts';
import type { Clock } from './ports.ts';

export interface OperatorOptions extends ControlOptions, LeadingOptions {
  readonly cluster: ClusterConfig;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly health: { readonly host: string; readonly port: number };
  /** Hears of every request to the API server. */
  readonly onKubernetesRequest?: (report: RequestReport) => void;
}

export interface Operator {
  /** Resolves when passes run. */
  start(): Promise<void>;
  /** Drains: answers with what did not end in time. */
  stop(deadlineMs: number): Promise<readonly string[]>;
  /** The port of the health server, once it has started. */
  healthPort(): number | undefined;
}

/** A pass has a deadline in each of its requests; one that lasts longer than this hangs. */
const longestPassMs = 10 * 60_000;
const watchTroubleMs = 2 * 60_000;
const eventRate = { ratePerSecond: 50, burst: 200 } as const;
const flushMs = 2_000;
const watched: readonly ResourceKind[] = [
  { kind: connection.kind, apiVersion, plural: connection.plural },
  ...registered.map(({ definition: { kind, plural } }) => ({ kind, apiVersion, plural })),
  { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: `type=${secretType}` },
];

export function createOperator(options: OperatorOptions): Operator {
  const { clock, random, log, namespaces } = options;
  const registry = new Registry();
  measureProcess(registry);
  const transport = openTransport(options, registry);
  const leading = createLeading(options, transport, registry);
  const { leadership } = leading;
  const writing = whileLeading(transport, leadership);
  const store = createStore({ transport: writing, resources: watched, namespaces, clock, random, log });
  const events = createEventSink({
    transport: writing,
    clock,
    log,
    component: 'dataprocessing-operator',
    instance: options.instance,
    ...eventRate,
  });
  measureWatches(registry, () => store.health().sources);
  const { controller, connections } = createControl(options, { store, events, registry, leadership });
  const lifecycle: { state(): ReturnType<Lifecycle['state']>; of?: Lifecycle } = {
    state: () => lifecycle.of?.state() ?? 'starting',
  };
  const ready = [...readyChecks(store, clock, () => lifecycle.state()), ...leading.checks];
  measureReadiness(registry, ready);
  const health = new HealthServer({
    ...options.health,
    live: [passesEnd(() => controller.statistics(), longestPassMs)],
    ready,
    registry,
    log,
  });
  lifecycle.of = new Lifecycle({
    clock,
    log,
    parts: partsOf({ clock, transport, store, events, connections, controller, health, leading }),
  });
  const { of } = lifecycle;
  return { start: () => of.start(), stop: (deadlineMs) => of.stop(deadlineMs), healthPort: () => health.port };
}

function openTransport({ cluster, clock, onKubernetesRequest }: OperatorOptions, registry: Registry): Transport {
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
    store
      .health()
      .sources.flatMap(({ failing: why, lastSyncAt }) =>
        why === undefined ? [] : [{ ms: clock.monotonic() - (lastSyncAt ?? startedAt), why }],
      );
  const kinds = watched.map(({ kind }) => kind);
  return [notDraining(state), cachesSynced((kind) => store.synced(kind), kinds), watchesWork(failing, watchTroubleMs)];
}

interface Running {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly store: KubernetesStore;
  readonly events: KubernetesEventSink;
  readonly connections: Connections;
  readonly controller: Controller;
  readonly health: HealthServer;
  readonly leading: Leading;
}

/** In the order of their start; they stop the other way round. */
function partsOf(running: Running): readonly Part[] {
  const { clock, transport, store, events, connections, controller, health, leading } = running;
  return [
    { name: 'API server transport', stop: () => transport.close() },
    healthPart(health),
    { name: 'services', stop: () => connections.close() },
    { name: 'caches', start: () => store.start(), stop: () => store.stop() },
    cachesPart(
      (kind) => store.synced(kind),
      watched.map(({ kind }) => kind),
      clock,
    ),
    // A replica that does not know yet what there is does not stand for election.
    ...leading.parts(() => controller.statistics().running === 0),
    { name: 'events', stop: (leftMs) => events.flush(Math.min(leftMs, flushMs)) },
    controllerPart('controller', controller),
  ];
}
