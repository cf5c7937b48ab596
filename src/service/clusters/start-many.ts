// Creates many clusters at once, as late upstream releases do.
import { z } from 'zod';
import { clusterCreate } from '../../wire/cluster.ts';
import { routes } from '../../wire/routes.ts';
import { readBody } from '../bodies/bodies.ts';
import { flavorsOf } from '../bodies/flavors.ts';
import { narrowed } from '../bodies/narrowing.ts';
import { startCauses } from '../openapi/causes.ts';
import { checkNameFree } from '../records/checks.ts';
import { checkRows } from '../records/quotas.ts';
import type { ClusterRecord } from '../records/records.ts';
import { accepted, type Call, type Endpoint } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';
import { beginCluster, describeCluster } from './start.ts';

/** Upstream has no limit, and creates all of them before it answers. */
const schema = narrowed(clusterCreate.extend({ count: z.int().max(1000) }), flavorsOf('node_groups'));

/** The names end with numbers. Nothing is created unless all names are free. */
function createClusters(service: Service, { tenant, body: sent }: Call): readonly ClusterRecord[] {
  const { count, ...body } = readBody(service.dialect, schema, sent);
  describeCluster(service, { tenant, body });
  const digits = String(count).length;
  const names = Array.from(
    { length: Math.max(count, 0) },
    (_, index) => `${body.name}-${String(index + 1).padStart(digits, '0')}`,
  );
  for (const name of names) checkNameFree(service, 'clusters', { tenant, name });
  checkRows(service, tenant, names.length);
  return names.map((name) =>
    beginCluster(service, tenant, describeCluster(service, { tenant, body: { ...body, name } })),
  );
}

export const manyEndpoint: Endpoint = {
  dialect: 'sahara',
  method: 'POST',
  path: `${routes.clusters.path}/multiple`,
  about: {
    summary: 'Create many clusters',
    description:
      'Creates `count` clusters that differ only in the numbers at the end of their names. Answers with their identifiers.',
    body: { schema: () => schema, nullFields: 'unset' },
    success: { status: 202, identifiers: 'clusters' },
    causes: startCauses,
  },
  handle: (service, call) => accepted(JSON.stringify({ clusters: createClusters(service, call).map(({ id }) => id) })),
};
