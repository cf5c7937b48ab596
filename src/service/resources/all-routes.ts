// All routes as data: section 4 of the interface.
import type { Dialect } from '../../wire/dialect.ts';
import { type CauseKey, groupCauses, startCauses } from '../model/causes.ts';
import { removing } from '../model/checks/referrers.ts';
import { bodySchemas } from './bodies/bodies.ts';
import { deleteCluster, scaleCluster } from './clusters/change.ts';
import { createCluster } from './clusters/create.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { resourceEndpoints } from './endpoints/resource-routes.ts';
import { imageEndpoints } from './images/image-routes.ts';
import { jobEndpoints } from './jobs/job-routes.ts';
import { pluginEndpoints } from './plugins/plugin-routes.ts';
import { createClusterTemplate, createNodeGroupTemplate } from './templates/templates.ts';

/** Templates of the interface as written have no images. */
const ofTemplateImages = (dialect: Dialect): readonly CauseKey[] => (dialect === 'neutral' ? [] : ['unusableImage']);

export const endpoints: readonly Endpoint[] = [
  ...pluginEndpoints,
  ...imageEndpoints,
  ...resourceEndpoints('nodeGroupTemplates', {
    create: {
      action: createNodeGroupTemplate,
      body: { schema: (dialect) => bodySchemas(dialect).nodeGroupTemplateCreate, nullFields: 'unset' },
      causes: (dialect) => [
        'nameTaken',
        'twice',
        'unsupported',
        'unknownFlavor',
        'noSize',
        ...ofTemplateImages(dialect),
        'badShares',
        'tooManyRows',
      ],
    },
    remove: { action: removing('nodeGroupTemplates'), causes: ['inUse'] },
  }),
  ...resourceEndpoints('clusterTemplates', {
    create: {
      action: createClusterTemplate,
      description: 'Each group has either a template or a flavor and processes of its own.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterTemplateCreate, nullFields: 'unset' },
      causes: (dialect) => [
        'nameTaken',
        ...groupCauses,
        'unknownTemplate',
        'foreignTemplate',
        ...ofTemplateImages(dialect),
        'badShares',
        'tooManyRows',
      ],
    },
    remove: { action: removing('clusterTemplates'), causes: ['inUse'] },
  }),
  ...resourceEndpoints('clusters', {
    create: {
      action: createCluster,
      description:
        'Starts the cluster. Its groups come from the request or, if it has none, from the template. In sahara and savanna, a cluster that exceeds the quota stays in Error.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterCreate, nullFields: 'unset' },
      causes: startCauses,
    },
    change: {
      summary: 'Scale cluster',
      action: scaleCluster,
      description: 'Resizes groups, adds groups, or both.',
      body: { schema: (dialect) => bodySchemas(dialect).clusterScale, nullFields: 'unset' },
      // In the interface as written, only groups with a template can be added to clusters.
      causes: (dialect) => [
        'notActive',
        'badScale',
        ...(dialect === 'neutral' ? (['badGroups'] as const) : groupCauses),
        'unknownTemplate',
        'foreignTemplate',
        'longHostNames',
        'unplaceable',
        'quota',
        'tooLargeRows',
      ],
    },
    remove: {
      action: deleteCluster,
      description: 'Possible in any state. The cluster is removed a while after the answer.',
    },
  }),
  ...jobEndpoints,
];
