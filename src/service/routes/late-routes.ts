// The routes of late upstream releases that section 4 of the interface does not have.
import { type Route, routes } from '../../wire/routes.ts';
import { changes } from '../bodies/change-bodies.ts';
import { changeCluster } from '../clusters/changes.ts';
import { manyEndpoint } from '../clusters/start-many.ts';
import { changeExecution } from '../executions/changes.ts';
import { changeDataSource, changeInternal, changeJob, changeJobBinary } from '../jobs/changes.ts';
import { showJobTypes } from '../jobs/types.ts';
import type { About } from '../openapi/about.ts';
import { type CauseKey, groupCauses } from '../openapi/causes.ts';
import { titles } from '../records/checks.ts';
import type { Records } from '../records/records.ts';
import type { Service } from '../service.ts';
import { changeClusterTemplate, changeNodeGroupTemplate } from '../templates/changes.ts';
import { exportEndpoints } from '../templates/exports.ts';
import type { Call, Endpoint } from './endpoint.ts';
import type { ListedKind } from './listing.ts';
import { answerChanged, named } from './resource-routes.ts';

const only = { dialect: 'sahara' } as const;
const later = { ...only, version: 'v1.1' } as const;

/** A change of the object in the path, which answers with the object. */
function change<K extends ListedKind & keyof typeof changes>(
  method: 'PUT' | 'PATCH',
  kind: K,
  action: (service: Service, call: Call) => Records[K],
  described: Pick<About, 'description'> & { readonly causes: readonly CauseKey[] },
): Endpoint {
  const { path, version }: Route = routes[kind];
  const { schema, clearable } = changes[kind];
  const about: About = {
    ...described,
    causes: [...described.causes, 'tooLargeRows'],
    summary: `Change ${titles[kind]}`,
    ...named(kind),
    body: { schema: () => schema, nullFields: clearable },
    success: { status: 202, one: kind },
  };
  return { ...only, version, method, path: `${path}/:id`, about, handle: answerChanged(kind, action) };
}

const templateCauses = [
  'unchangeable',
  'inClusters',
  'duplicate',
  'twice',
  'unsupported',
  'badImage',
  'badShares',
] as const;
const jobCauses = ['unchangeable', 'duplicate'] as const;

const changeEndpoints: readonly Endpoint[] = [
  change('PUT', 'nodeGroupTemplates', changeNodeGroupTemplate, {
    description: 'Cluster templates that use it change with it.',
    causes: [...templateCauses, 'unknownFlavor', 'noSize'],
  }),
  change('PUT', 'clusterTemplates', changeClusterTemplate, {
    description: 'Groups in the request replace all existing groups.',
    causes: [...templateCauses, ...groupCauses, 'unknownTemplate', 'foreignTemplate'],
  }),
  change('PATCH', 'clusters', changeCluster, {
    description: 'Changes fields that do not concern its machines, or verifies it.',
    causes: [...jobCauses, 'unverifiable'],
  }),
  change('PUT', 'dataSources', changeDataSource, {
    causes: ['unchangeable', 'awaited', 'nameTaken', 'badSource', 'noCredentials'],
  }),
  change('PUT', 'jobBinaries', changeJobBinary, {
    causes: [...jobCauses, 'awaited', 'gone', 'badLocation', 'noInternal'],
  }),
  change('PATCH', 'jobBinaryInternals', changeInternal, { description: 'The bytes stay the same.', causes: jobCauses }),
  change('PATCH', 'jobs', changeJob, { causes: jobCauses }),
  change('PATCH', 'jobExecutions', changeExecution, {
    description: 'Changes the access to it, or suspends it. A request to cancel it is ignored.',
    causes: ['unchangeable', 'notAlone', 'clusterNotActive', 'unsuspendable', 'heldByNobody'],
  }),
];

export const lateEndpoints: readonly Endpoint[] = [
  ...changeEndpoints,
  ...exportEndpoints,
  manyEndpoint,
  {
    ...later,
    method: 'GET',
    path: 'job-types',
    about: {
      summary: 'List job types',
      description: 'Lists the plugins that run each type of jobs.',
      query: () => [
        { name: 'type', description: 'Only this type', repeated: true },
        { name: 'plugin', description: 'Only this plugin', repeated: true },
        { name: 'version', description: 'Only this version', repeated: true },
        { name: 'hints', description: 'Includes configuration hints', choice: ['true', 'false'] },
      ],
      success: { status: 200, list: 'jobTypes' },
    },
    handle: showJobTypes,
  },
];
