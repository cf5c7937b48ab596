// All routes as data: method, path below the tenant, and what answers; section 4 of the interface, and what late releases add.
import type { Dialect } from '../../wire/dialect.ts';
import { bodySchemas } from '../bodies/bodies.ts';
import { deleteCluster, scaleCluster } from '../clusters/clusters.ts';
import { clusterShown } from '../clusters/show.ts';
import { createCluster } from '../clusters/start.ts';
import { imageEndpoints } from '../images/routes.ts';
import { jobEndpoints } from '../jobs/routes.ts';
import { groupCauses, startCauses } from '../openapi/causes.ts';
import { pluginEndpoints } from '../plugins/routes.ts';
import { removing } from '../records/usage.ts';
import { createClusterTemplate, createNodeGroupTemplate } from '../templates/templates.ts';
import { earlyEndpoints } from './early-routes.ts';
import type { Endpoint } from './endpoint.ts';
import { lateEndpoints } from './late-routes.ts';
import { resourceEndpoints } from './resource-routes.ts';

export const endpoints: readonly Endpoint[] = [
  ...pluginEndpoints,
  ...imageEndpoints,
  ...resourceEndpoints('nodeGroupTemplates', {
    create: {
      carryOut: createNodeGroupTemplate,
      body: { schema: (dialect) => bodySchemas(dialect).nodeGroupTemplateCreate, nulls: 'unset' },
      causes: ['nameTaken', 'twice', 'unsupported', 'unknownFlavor', 'noSize', 'badImage', 'badShares', 'tooManyRows'],
    },
    remove: { carryOut: removing('nodeGroupTemplates'), causes: ['inUse', 'kept'] },
  }),
  ...resourceEndpoints('clusterTemplates', {
    create: {
      carryOut: createClusterTemplate,
      description: 'Each group has either a template or a flavor and processes of its own.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterTemplateCreate, nulls: 'unset' },
      causes: [
        'nameTaken',
        ...groupCauses,
        'unknownTemplate',
        'foreignTemplate',
        'badImage',
        'badShares',
        'tooManyRows',
      ],
    },
    remove: { carryOut: removing('clusterTemplates'), causes: ['inUse', 'kept'] },
  }),
  ...resourceEndpoints('clusters', {
    show: clusterShown,
    create: {
      carryOut: createCluster,
      description:
        'Starts the cluster. Its groups come from the template or, if there are any, from the request. In sahara and savanna one that is beyond the quota stays, in Error.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterCreate, nulls: 'unset' },
      causes: startCauses,
    },
    change: {
      summary: 'Scale cluster',
      carryOut: scaleCluster,
      description: 'Resizes groups, adds groups, or both; at least one of them.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterScale, nulls: 'unset' },
      // Groups without a template cannot be added to clusters of the interface as written.
      causes: (dialect) => [
        'unchangeable',
        'notActive',
        'badScale',
        'disabled',
        ...(dialect === 'neutral' ? (['badGroups'] as const) : groupCauses),
        'unknownTemplate',
        'foreignTemplate',
        'longHostNames',
        'quota',
        'tooLargeRows',
      ],
    },
    remove: {
      carryOut: deleteCluster,
      description: 'In any state. The cluster is gone a while after the answer.',
      causes: ['kept'],
    },
  }),
  ...jobEndpoints,
  ...lateEndpoints,
  ...earlyEndpoints,
];

/** The routes that a dialect has. */
export const endpointsOf = (spoken: Dialect): readonly Endpoint[] =>
  endpoints.filter(({ dialect = spoken }) => dialect === spoken);
