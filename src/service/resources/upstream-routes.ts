// The changes that late upstream releases have, and that early ones refuse.
import { type Route, routes } from '../../wire/routes.ts';
import { type CauseKey, groupCauses } from '../model/causes.ts';
import { need, titles } from '../model/checks/checks.ts';
import type { Records } from '../model/records/records.ts';
import { Refusal } from '../model/refusal.ts';
import { changes } from './bodies/change-bodies.ts';
import { changeCluster } from './clusters/change.ts';
import type { About } from './endpoints/about.ts';
import type { Call, Endpoint } from './endpoints/endpoint.ts';
import type { ListedKind } from './endpoints/listing.ts';
import { answerChanged, named } from './endpoints/resource-routes.ts';
import { changeExecution } from './executions/requests.ts';
import { changeDataSource, changeInternal, changeJob, changeJobBinary } from './jobs/changes.ts';
import type { Service } from './service.ts';
import { changeClusterTemplate, changeNodeGroupTemplate } from './templates/changes.ts';

const only = { dialect: 'sahara' } as const;

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
    causes: ['unchangeable', 'awaited', 'nameTaken', 'badSource', 'noCredentials', 'unusable'],
  }),
  change('PUT', 'jobBinaries', changeJobBinary, {
    causes: [...jobCauses, 'awaited', 'gone', 'badLocation', 'noInternal', 'unusable'],
  }),
  change('PATCH', 'jobBinaryInternals', changeInternal, { description: 'The bytes stay the same.', causes: jobCauses }),
  change('PATCH', 'jobs', changeJob, { causes: jobCauses }),
  change('PATCH', 'jobExecutions', changeExecution, {
    description: 'Changes the access to it, or suspends it. A request to cancel it is ignored.',
    causes: ['unchangeable', 'notAlone', 'clusterNotActive', 'unsuspendable', 'heldByNobody'],
  }),
];

export const lateEndpoints: readonly Endpoint[] = changeEndpoints;

const undone = (kind: 'nodeGroupTemplates' | 'clusterTemplates'): Endpoint => ({
  dialect: 'savanna',
  method: 'PUT',
  path: `${routes[kind].path}/:id`,
  // The body is ignored.
  reads: 'text',
  about: {
    summary: `Change ${titles[kind]}`,
    description: 'Not implemented: early releases always answer 501.',
    ...named(kind),
    success: { status: 202, one: kind },
    causes: ['undone'],
  },
  handle({ store }, call) {
    need(store, kind, call);
    const text = `cannot change ${titles[kind]} ${call.id}: early releases do not; create another one, under another name`;
    throw new Refusal([501, 'NOT_IMPLEMENTED_ERROR'], text);
  },
});

export const earlyEndpoints: readonly Endpoint[] = [undone('nodeGroupTemplates'), undone('clusterTemplates')];
