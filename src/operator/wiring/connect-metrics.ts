// Connects the metrics to what they measure, and gives them the closed lists of their labels.
import type { Registry } from 'prom-client';
import type { Clock } from '../../lib/ports.ts';
import { categories } from '../../wire/errors/service-error.ts';
import { routes } from '../../wire/routes.ts';
import type { RawResource } from '../api/definition.ts';
import { conditionReasons } from '../api/shared-api.ts';
import { templates } from '../client/http/address.ts';
import type { ServicePool } from '../connections/pool.ts';
import { loadOf } from '../connections/pool-entry.ts';
import type { QueueStatistics } from '../controller/queue/queue.ts';
import { definitions, kinds } from '../kinds/index.ts';
import { job } from '../kinds/job/schema.ts';
import { jobExecution } from '../kinds/job-execution/schema.ts';
import type { KubernetesStore } from '../kube/kubernetes-store.ts';
import type { ConditionCounter } from '../metrics/condition-metrics.ts';
import { measurePasses, measureQueue } from '../metrics/process-metrics.ts';
import { measureApiRequests, measureServiceRequests } from '../metrics/request-metrics.ts';
import {
  measureExpired,
  measureLeft,
  measureMissed,
  measureResources,
  measureScaled,
} from '../metrics/resource-metrics.ts';
import { measureRuns } from '../metrics/run-metrics.ts';
import { measureLowered, measurePermits, measureServices } from '../metrics/service-metrics.ts';
import { pollSecondsOf } from '../reconcile/kind/kind.ts';
import type { Leadership } from '../reconcile/pass-ports.ts';

const resourceKinds = definitions.map(({ kind }) => kind);
/** The resources that the operator requests from the API server. */
const apiResources = [
  ...definitions.flatMap(({ plural }) => [plural, `${plural}/status`]),
  'secrets',
  'events',
  'leases',
  'namespaces',
  'tokenreviews',
  'subjectaccessreviews',
];

/** Returns a listener for requests to the API server. */
export function measureApiServer(registry: Registry): ReturnType<typeof measureApiRequests> {
  return measureApiRequests(registry, apiResources);
}

/** The metrics that are driven by calls. */
export function createMetrics(registry: Registry, clock: Clock, leadership: Leadership) {
  return {
    observer: measurePasses(registry, [...resourceKinds, 'Secret']),
    requested: measureServiceRequests(registry, { templates, categories }),
    permitted: measurePermits(registry),
    lowered: measureLowered(registry),
    left: measureLeft(registry),
    scaled: measureScaled(registry),
    expired: measureExpired(registry),
    missed: measureMissed(registry),
    conditions: measureResources(registry, {
      kinds: resourceKinds,
      reasons: conditionReasons,
      clock,
      leading: () => leadership.leading(),
    }),
  };
}

interface MetricSources {
  readonly store: KubernetesStore;
  readonly conditions: ConditionCounter;
  readonly connections: ServicePool;
  readonly statistics: () => QueueStatistics;
  readonly leading: () => boolean;
}

const runLists = {
  kind: jobExecution.kind,
  types: job.spec.shape.type.options,
  states: jobExecution.status.shape.state.unwrap().options,
  outcomes: [...conditionReasons.Complete, ...conditionReasons.Failed],
};

/** Of its own job, or of the Job that it references. */
function jobTypeIn(store: KubernetesStore) {
  return ({ metadata, spec }: Pick<RawResource, 'metadata' | 'spec'>): string | undefined => {
    const { job: own, jobRef } = (spec ?? {}) as {
      readonly job?: { readonly type?: string };
      readonly jobRef?: { readonly name?: string };
    };
    if (own !== undefined || jobRef?.name === undefined) return own?.type;
    const found = store.read({ kind: job.kind, namespace: metadata.namespace, name: jobRef.name });
    return (found?.spec as { readonly type?: string } | undefined)?.type;
  };
}

/** The metrics that are read from the parts of the operator. */
export function connectMetrics(registry: Registry, sources: MetricSources): void {
  const { store, conditions, connections, statistics } = sources;
  store.subscribe((change) => conditions.changed(change));
  store.subscribeWrites((change) => conditions.changed(change));
  const ran = measureRuns(registry, { ...runLists, typeOf: jobTypeIn(store), leading: sources.leading });
  store.subscribe(ran);
  store.subscribeWrites(ran);
  measureQueue(registry, statistics);
  const kindOf = new Map(kinds.map((kind) => [routes[kind.route].path as string, kind]));
  measureServices(registry, {
    load: () => loadOf(connections.entries()),
    routes: [...kindOf.keys()],
    reading: (route) => {
      const kind = kindOf.get(route);
      const matters = (connection: string) => conditions.hasManaged(connection, kind?.definition.kind ?? '');
      return connections.reading({ route, pollSeconds: kind && pollSecondsOf(kind), matters });
    },
  });
}
