// The figures for Prometheus: which there are, from which closed lists their labels come, and what they are read from.
import type { Registry } from 'prom-client';
import type { Clock } from '../../lib/ports.ts';
import { categories } from '../../wire/errors/errors.ts';
import { routes } from '../../wire/routes.ts';
import { conditionReasons } from '../api/common.ts';
import { templates } from '../client/http/path-template.ts';
import { loadOf } from '../connections/entry.ts';
import type { ServicePool } from '../connections/pool.ts';
import type { QueueStatistics } from '../controller/queue/queue.ts';
import { definitions, kinds } from '../kinds/index.ts';
import type { KubernetesStore } from '../kube/store.ts';
import type { Standings } from '../metrics/conditions.ts';
import { measurePasses, measureQueue } from '../metrics/process.ts';
import { measureApiRequests, measureServiceRequests } from '../metrics/requests.ts';
import { measureResources } from '../metrics/resources.ts';
import { measurePermits, measureServices } from '../metrics/services.ts';
import type { Leadership } from '../reconcile/ports.ts';

const resourceKinds = definitions.map(({ kind }) => kind);
/** What we ask the API server for; everything else counts as `other`. */
const apiResources = [
  ...definitions.flatMap(({ plural }) => [plural, `${plural}/status`]),
  'secrets',
  'events',
  'leases',
  'namespaces',
];

/** Hears of every request to the API server. */
export function measureApiServer(registry: Registry): ReturnType<typeof measureApiRequests> {
  return measureApiRequests(registry, apiResources);
}

/** What hears of passes, requests, permits and resources. */
export function createMeasures(registry: Registry, clock: Clock, leadership: Leadership) {
  return {
    observer: measurePasses(registry, [...resourceKinds, 'Secret']),
    requested: measureServiceRequests(registry, { templates, categories }),
    permitted: measurePermits(registry),
    standings: measureResources(registry, {
      kinds: resourceKinds,
      reasons: conditionReasons,
      clock,
      leading: () => leadership.leading(),
    }),
  };
}

export interface Measured {
  readonly store: KubernetesStore;
  readonly standings: Standings;
  readonly connections: ServicePool;
  readonly statistics: () => QueueStatistics;
}

/** Follows what stands by itself. */
export function watchFigures(registry: Registry, { store, standings, connections, statistics }: Measured): void {
  store.subscribe((change) => standings.changed(change));
  store.subscribeWrites((change) => standings.changed(change));
  measureQueue(registry, statistics);
  const kindOf = new Map(kinds.map((kind) => [routes[kind.route].path as string, kind]));
  measureServices(registry, {
    load: () => loadOf(connections.entries()),
    routes: [...kindOf.keys()],
    reading: (route) => {
      const { definition, pollSeconds } = kindOf.get(route) ?? {};
      const matters = (connection: string) => standings.holds(connection, definition?.kind ?? '');
      return connections.reading({ route, pollSeconds, matters });
    },
  });
}
