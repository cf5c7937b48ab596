// All routes as data: method, path below the tenant, and what answers; section 4 of the interface.
import { createCluster, deleteCluster, scaleCluster } from './clusters.ts';
import type { Endpoint } from './endpoint.ts';
import { imageEndpoints } from './image-routes.ts';
import { jobEndpoints } from './job-routes.ts';
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
];
