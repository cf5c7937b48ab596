// What a user may set on a NodeGroupTemplate, and what its status tells.
import { z } from 'zod';
import { templateColumns } from '../../api/columns.ts';
import { commonSpec, externalStatus, fixedConnection, freeFields } from '../../api/common.ts';
import type { Definition } from '../../api/definition.ts';
import { immutable, ruled } from '../../api/keywords.ts';
import {
  bigdataVersion,
  description,
  filledIn,
  nodeAttributes,
  observedPlugin,
  pluginName,
} from '../../api/node-group.ts';

const shape = {
  ...commonSpec,
  description: description.optional().describe('For people. Cannot change.'),
  pluginName,
  bigdataVersion,
  ...nodeAttributes,
};

const spec = ruled(z.object(shape), [
  fixedConnection,
  ...immutable(shape, {
    but: ['connectionRef', ...freeFields],
    unnamed: 'nodeConfigs',
    remedy: ': make a new NodeGroupTemplate under another name and refer to it',
  }),
]);

export const nodeGroupTemplate = {
  kind: 'NodeGroupTemplate',
  plural: 'nodegrouptemplates',
  singular: 'nodegrouptemplate',
  shortName: 'dpngt',
  description:
    'A kind of node for clusters: the processes that run on it, its flavor, volumes and configuration. Templates do not change: for another one, make a new NodeGroupTemplate.',
  spec,
  status: z.object({ ...externalStatus, ...observedPlugin, ...filledIn }),
  columns: templateColumns,
} as const satisfies Definition;
