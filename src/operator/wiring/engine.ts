// Joins caches, controller, services, events and leader election over one transport to the API server.
import type { Registry } from 'prom-client';
import type { ApiTransport } from '../../kube/http/transport.ts';
import type { ResourceKind } from '../../kube/resource.ts';
import type { Clock } from '../../lib/ports.ts';
import { apiVersion, secretType } from '../api/common.ts';
import type { AnyDefinition } from '../api/definition.ts';
import type { ServicePool } from '../connections/pool.ts';
import type { Controller } from '../controller/controller.ts';
import { definitions } from '../kinds/index.ts';
import { EventSender } from '../kube/events/events.ts';
import { KubernetesStore } from '../kube/store.ts';
import { measureEvents, measureNamespaces, measureWatches } from '../metrics/watches.ts';
import type { Part } from '../process/lifecycle.ts';
import { cachesPart, controllerPart } from '../process/parts.ts';
import { sendDeadlineMs } from '../reconcile/protocol/step.ts';
import { type ControlOptions, createControl } from './control.ts';
import { createLeading, type Leading, type LeadingOptions, whileLeading } from './leadership.ts';

export interface EngineOptions extends ControlOptions, LeadingOptions {}

export interface Engine {
  readonly store: KubernetesStore;
  readonly events: EventSender;
  readonly connections: ServicePool;
  readonly controller: Controller;
  readonly leading: Leading;
}

const eventRate = { ratePerSecond: 50, burst: 200 } as const;
const flushMs = 2_000;
/** leastMs is three times the longest time that was measured on an idle server. withinMs leaves time for the request after the claim. */
const lateDeletion = { leastMs: 100, withinMs: 0.75 * sendDeadlineMs } as const;
const resourceKindOf = ({ kind, plural }: AnyDefinition): ResourceKind => ({ kind, apiVersion, plural });
export const watched: readonly ResourceKind[] = [
  ...definitions.map(resourceKindOf),
  { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: `type=${secretType}` },
];

/** Starts nothing; `enginePartsOf` returns what to start. */
export function createEngine(options: EngineOptions, transport: ApiTransport, registry: Registry): Engine {
  const { clock, random, log, namespaces, instance } = options;
  const leading = createLeading(options, transport, registry);
  const { leadership } = leading;
  const writing = whileLeading(transport, leadership);
  const store = new KubernetesStore({
    transport: writing,
    resources: watched,
    namespaces,
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
    // A replica takes part in the election only once its caches are synced.
    ...leading.parts(() => controller.statistics().running === 0),
    { name: 'events', stop: (leftMs) => events.flush(Math.min(leftMs, flushMs)) },
    controllerPart('controller', controller),
  ];
}
