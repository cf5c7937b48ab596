// Builds the operator from its parts. Clock, random numbers, log and cluster come in as options.
import { Registry } from 'prom-client';
import type { ClusterConfig } from '../../kube/config/types.ts';
import type { RequestReport } from '../../kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../kube/http/transport.ts';
import type { Clock } from '../../lib/ports.ts';
import { longestTimeoutMs } from '../connections/entry.ts';
import type { KubernetesStore } from '../kube/store.ts';
import { measureProcess, measureReadiness } from '../metrics/process.ts';
import { HealthServer } from '../process/health.ts';
import { cachesSynced, namespacesReadable, notDraining, passesEnd, watchesWork } from '../process/health-checks.ts';
import { Lifecycle } from '../process/lifecycle.ts';
import { healthPart } from '../process/parts.ts';
import { createEngine, type EngineOptions, enginePartsOf, watched } from './engine.ts';
import { measureApiServer } from './metrics.ts';

interface OperatorOptions extends EngineOptions {
  readonly cluster: ClusterConfig;
  readonly health: { readonly host?: string; readonly port: number };
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
  const engine = createEngine(options, transport, registry);
  const { store, controller, connections, leading } = engine;
  const lifecycle: { state(): ReturnType<Lifecycle['state']>; of?: Lifecycle } = {
    state: () => lifecycle.of?.state() ?? 'starting',
  };
  const ready = [...readyChecks(store, clock, () => lifecycle.state()), ...leading.checks];
  measureReadiness(registry, ready);
  const health = new HealthServer({
    ...options.health,
    live: [
      passesEnd(
        () => controller.statistics(),
        // A Connection with a long timeout must not fail the liveness probe.
        () => Math.max(longestPassMs, requestsOfAPass * longestTimeoutMs(connections.entries())),
      ),
    ],
    ready,
    registry,
    log,
  });
  const parts = [
    { name: 'API server transport', stop: () => transport.close() },
    healthPart(health),
    ...enginePartsOf(engine, clock),
  ];
  lifecycle.of = new Lifecycle({ clock, log, parts });
  const { of } = lifecycle;
  return { start: () => of.start(), stop: (deadlineMs) => of.stop(deadlineMs), healthPort: () => health.port };
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
