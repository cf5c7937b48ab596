// What a user may set on a ClusterTemplate, and what its status tells.
import { z } from 'zod';
import { templateColumns } from '../../api/columns.ts';
import { commonSpec, configs, externalStatus, fixedConnection, freeFields, recordID } from '../../api/common.ts';
import type { Definition } from '../../api/definition.ts';
import { immutable, type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import {
  bigdataVersion,
  described,
  description,
  nodeGroupList,
  nodeGroupShape,
  observedPlugin,
  pluginName,
} from '../../api/node-group.ts';

const remedy = ': make a new ClusterTemplate under another name and refer to it';

const groupRules: readonly Rule[] = [
  {
    rule: described('self'),
    message: 'give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    reason: 'FieldValueRequired',
  },
  ...immutable(nodeGroupShape, { but: ['name'], unnamed: 'nodeConfigs', remedy }),
];

const sameGroups: Rule = {
  rule: 'self.nodeGroups.size() == oldSelf.nodeGroups.size() && self.nodeGroups.all(g, oldSelf.nodeGroups.exists(o, o.name == g.name))',
  message: `node groups cannot be added or removed${remedy}`,
  fieldPath: '.nodeGroups',
  reason: 'FieldValueForbidden',
};

const shape = {
  ...commonSpec,
  description: description.optional().describe('For people. Cannot change.'),
  pluginName,
  bigdataVersion,
  clusterConfigs: configs
    .optional()
    .describe(
      'Configuration of the whole cluster: target, then name, then a string, an integer or true/false. Cannot change.',
    ),
  antiAffinity: setOf(text(80), 50)
    .optional()
    .describe('Processes of which no two may run on the same host of the cloud. Cannot change.'),
  networkManagementNetwork: recordID
    .optional()
    .describe('Identifier of the network that the nodes are attached to. Cannot change.'),
  defaultImageID: recordID
    .optional()
    .describe(
      'Image for the nodes of clusters that name none. With the Neutral dialect a cluster must get one from here or from its own spec. Cannot change.',
    ),
  nodeGroups: nodeGroupList(groupRules).min(1).describe('The groups of nodes that make up a cluster. Cannot change.'),
};

const spec = ruled(z.object(shape), [
  fixedConnection,
  sameGroups,
  ...immutable(shape, { but: ['connectionRef', 'nodeGroups', ...freeFields], unnamed: 'clusterConfigs', remedy }),
]);

export const clusterTemplate = {
  kind: 'ClusterTemplate',
  plural: 'clustertemplates',
  singular: 'clustertemplate',
  shortName: 'dpct',
  description:
    'A blueprint of clusters: groups of nodes with their counts, and configuration. Templates do not change: for another one, make a new ClusterTemplate.',
  spec,
  status: z.object({ ...externalStatus, ...observedPlugin }),
  columns: templateColumns,
} as const satisfies Definition;
