// All routes of v1.0 as data: method, path below the tenant, and what answers; section 4 of the interface.
import { routes } from '../wire/routes.ts';
import { need } from './checks.ts';
import { createCluster, deleteCluster, scaleCluster } from './clusters.ts';
import { accepted, type Endpoint, nothing, ok } from './endpoint.ts';
import { imageEndpoints } from './image-routes.ts';
import { pluginEndpoints } from './plugin-routes.ts';
import type { Kind } from './records.ts';
import { renderList, renderOne } from './service.ts';
import { createClusterTemplate, createNodeGroupTemplate, deleteTemplate } from './templates.ts';

function readers(kind: Kind): readonly Endpoint[] {
  const { path } = routes[kind];
  return [
    { method: 'GET', path, handle: (service, { tenant }) => ok(renderList(service, { kind, tenant })) },
    {
      method: 'GET',
      path: `${path}/:id`,
      handle: (service, call) => ok(renderOne(service, { kind, tenant: call.tenant }, need(service.store, kind, call))),
    },
  ];
}

const nodeGroupTemplates: readonly Endpoint[] = [
  ...readers('nodeGroupTemplates'),
  {
    method: 'POST',
    path: 'node-group-templates',
    handle: (service, { tenant, body }) =>
      accepted(
        renderOne(service, { kind: 'nodeGroupTemplates', tenant }, createNodeGroupTemplate(service, tenant, body)),
      ),
  },
  {
    method: 'DELETE',
    path: 'node-group-templates/:id',
    handle(service, call) {
      deleteTemplate(service, 'nodeGroupTemplates', call);
      return nothing;
    },
  },
];

const clusterTemplates: readonly Endpoint[] = [
  ...readers('clusterTemplates'),
  {
    method: 'POST',
    path: 'cluster-templates',
    handle: (service, { tenant, body }) =>
      accepted(renderOne(service, { kind: 'clusterTemplates', tenant }, createClusterTemplate(service, tenant, body))),
  },
  {
    method: 'DELETE',
    path: 'cluster-templates/:id',
    handle(service, call) {
      deleteTemplate(service, 'clusterTemplates', call);
      return nothing;
    },
  },
];

const clusters: readonly Endpoint[] = [
  ...readers('clusters'),
  {
    method: 'POST',
    path: 'clusters',
    handle: (service, { tenant, body }) =>
      accepted(renderOne(service, { kind: 'clusters', tenant }, createCluster(service, tenant, body))),
  },
  {
    method: 'PUT',
    path: 'clusters/:id',
    handle: (service, call) =>
      accepted(renderOne(service, { kind: 'clusters', tenant: call.tenant }, scaleCluster(service, call))),
  },
  {
    method: 'DELETE',
    path: 'clusters/:id',
    handle(service, call) {
      deleteCluster(service, call);
      return nothing;
    },
  },
];

export const endpoints: readonly Endpoint[] = [
  ...pluginEndpoints,
  ...imageEndpoints,
  ...nodeGroupTemplates,
  ...clusterTemplates,
  ...clusters,
];
