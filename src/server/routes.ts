// All routes as data: method, path below the tenant, and what answers; section 4 of the interface, and what late releases add.
import type { Dialect } from '../wire/dialect.ts';
import { createCluster, deleteCluster, scaleCluster } from './clusters.ts';
import type { Endpoint } from './endpoint.ts';
import { imageEndpoints } from './image-routes.ts';
import { jobEndpoints } from './job-routes.ts';
import { lateEndpoints } from './late-routes.ts';
import { pluginEndpoints } from './plugin-routes.ts';
import { resourceEndpoints } from './resource-routes.ts';
import { createClusterTemplate, createNodeGroupTemplate } from './templates.ts';
import { removing } from './usage.ts';

export const endpoints: readonly Endpoint[] = [
  ...pluginEndpoints,
  ...imageEndpoints,
  ...resourceEndpoints('nodeGroupTemplates', {
    create: createNodeGroupTemplate,
    remove: removing('nodeGroupTemplates'),
  }),
  ...resourceEndpoints('clusterTemplates', { create: createClusterTemplate, remove: removing('clusterTemplates') }),
  ...resourceEndpoints('clusters', { create: createCluster, change: scaleCluster, remove: deleteCluster }),
  ...jobEndpoints,
  ...lateEndpoints,
];

/** The routes that a dialect has. */
export const endpointsOf = (spoken: Dialect): readonly Endpoint[] =>
  endpoints.filter(({ dialect = spoken }) => dialect === spoken);
