// Shows a cluster. On request, late upstream releases include the events of each provisioning step.
import type { About } from '../openapi/about.ts';
import { need } from '../records/checks.ts';
import { ownerOf } from '../records/owners.ts';
import { type Endpoint, ok } from '../routes/endpoint.ts';
import { renderOne, showOne } from '../service.ts';
import { showSteps } from './progress.ts';

export const clusterShown: Pick<Endpoint, 'handle'> & Required<Pick<About, 'query'>> = {
  query: (dialect) =>
    dialect === 'sahara'
      ? [{ name: 'show_progress', description: 'Includes the events of each step', choice: ['true', 'false'] }]
      : [],
  handle(service, { tenant, id, query }) {
    const { dialect, store } = service;
    const at = { kind: 'clusters', tenant } as const;
    const cluster = need(store, 'clusters', { tenant, id });
    const asked = [query['show_progress'] ?? []].flat()[0]?.toLowerCase() === 'true';
    if (dialect !== 'sahara' || !asked) return ok(renderOne(service, at, cluster));
    const provision_progress = showSteps(cluster, ownerOf(store, at, cluster), true);
    return ok(JSON.stringify({ cluster: { ...showOne(service, at, cluster), provision_progress } }));
  },
};
