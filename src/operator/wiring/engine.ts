// What reads and writes: caches, passes, services, events and the election, over one way to the API server.
import type { Registry } from 'prom-client';
import type { Clock } from '../../lib/ports.ts';
import { apiVersion, secretType } from '../api/common.ts';
import type { ServicePool } from '../connections/pool.ts';
import type { Controller } from '../controller/controller.ts';
import { connection } from '../kinds/connection/schema.ts';
import { kinds as registered } from '../kinds/index.ts';
import { whileLeading } from '../kube/election/leader-transport.ts';
import { createEventSink, type KubernetesEventSink } from '../kube/events/events.ts';
import type { ApiTransport } from '../kube/http/transport.ts';
import type { ResourceKind } from '../kube/resource-kind.ts';
import { createStore, type KubernetesStore } from '../kube/store.ts';
import { measureEvents } from '../metrics/events.ts';
import { measureNamespaces, measureWatches } from '../metrics/watches.ts';
import type { Part } from '../process/lifecycle.ts';
import { cachesPart, controllerPart } from '../process/parts.ts';
import { sendDeadlineMs } from '../reconcile/protocol/step.ts';
import { type ControlOptions, createControl } from './control.ts';
import { createLeading, type Leading, type LeadingOptions } from './leadership.ts';

export interface EngineOptions extends ControlOptions, LeadingOptions {}

export interface Engine {
  readonly store: KubernetesStore;
  readonly events: KubernetesEventSink;
  readonly connections: ServicePool;
  readonly controller: Controller;
  readonly leading: Leading;
}

const eventRate = { ratePerSecond: 50, burst: 200 } as const;
const flushMs = 2_000;
/** Three times as long as an idle server was ever seen to take; and time is left for the request that the claim is for. */
const lateDeletion = { leastMs: 100, withinMs: 0.75 * sendDeadlineMs } as const;
export const watched: readonly ResourceKind[] = [
  { kind: connection.kind, apiVersion, plural: connection.plural },
  ...registered.map(({ definition: { kind, plural } }) => ({ kind, apiVersion, plural })),
  { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: `type=${secretType}` },
];

/** Nothing runs yet: `enginePartsOf` tells what to start. */
export function createEngine(options: EngineOptions, transport: ApiTransport, registry: Registry): Engine {
  const { clock, random, log, namespaces, instance } = options;
  const leading = createLeading(options, transport, registry);
  const { leadership } = leading;
  const writing = whileLeading(transport, leadership);
  const store = createStore({ transport: writing, resources: watched, namespaces, clock, random, log, lateDeletion });
  const component = 'dataprocessing-operator';
  const events = createEventSink({ transport: writing, clock, log, component, instance, ...eventRate });
  measureWatches(registry, () => store.health().sources);
  measureNamespaces(registry, () => store.namespaces());
  measureEvents(registry, () => events.counts());
  const { controller, connections } = createControl(options, { store, events, registry, leadership });
  return { store, events, connections, controller, leading };
}

/** In the order of their start; they stop the other way round. */
export function enginePartsOf(engine: Engine, clock: Clock): readonly Part[] {
  const { store, events, connections, controller, leading } = engine;
  return [
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
