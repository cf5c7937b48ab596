// The routes that only late upstream releases have; section 4 of the interface does not know them.
import { routes } from '../wire/routes.ts';
import { changeCluster } from './cluster-changes.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { changeExecution } from './execution-changes.ts';
import { changeDataSource, changeInternal, changeJob, changeJobBinary } from './job-changes.ts';
import { showJobTypes } from './job-types.ts';
import type { ListedKind } from './listing.ts';
import type { Records } from './records.ts';
import { answerChanged } from './resource-routes.ts';
import type { Service } from './service.ts';
import { changeClusterTemplate, changeNodeGroupTemplate } from './template-changes.ts';

const only = { dialect: 'sahara' } as const;
const later = { ...only, version: 'v1.1' } as const;

/** A change of what is in the path, answered with what came of it. */
function change<K extends ListedKind>(
  method: 'PUT' | 'PATCH',
  kind: K,
  carryOut: (service: Service, call: Call) => Records[K],
): Endpoint {
  const route: { readonly path: string; readonly version?: 'v1.1' } = routes[kind];
  return { ...only, version: route.version, method, path: `${route.path}/:id`, handle: answerChanged(kind, carryOut) };
}

export const lateEndpoints: readonly Endpoint[] = [
  change('PUT', 'nodeGroupTemplates', changeNodeGroupTemplate),
  change('PUT', 'clusterTemplates', changeClusterTemplate),
  change('PATCH', 'clusters', changeCluster),
  change('PUT', 'dataSources', changeDataSource),
  change('PUT', 'jobBinaries', changeJobBinary),
  change('PATCH', 'jobBinaryInternals', changeInternal),
  change('PATCH', 'jobs', changeJob),
  change('PATCH', 'jobExecutions', changeExecution),
  { ...later, method: 'GET', path: 'job-types', handle: showJobTypes },
];
