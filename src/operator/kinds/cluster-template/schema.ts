// What a user may set on a ClusterTemplate, and what its status tells.
import { z } from 'zod';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { templateColumns } from '../../api/columns.ts';
import { commonSpec, configs, fixedConnection, recordID, revisionStatus } from '../../api/common.ts';
import type { Definition } from '../../api/definition.ts';
import { type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import {
  bigdataVersion,
  described,
  nodeGroupList,
  observedPlugin,
  pluginName,
  templateDescription,
} from '../../api/node-group.ts';

const groupRules: readonly Rule[] = [
  {
    rule: described('self'),
    message: 'give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    reason: 'FieldValueRequired',
  },
];

const shape = {
  ...commonSpec,
  name: baseName,
  description: templateDescription,
  pluginName,
  bigdataVersion,
  clusterConfigs: configs()
    .optional()
    .describe('Configuration of the whole cluster: target, then name, then a string, an integer or true/false.'),
  antiAffinity: setOf(text(80), 50)
    .optional()
    .describe('Processes of which no two may run on the same host of the cloud.'),
  networkManagementNetwork: recordID.optional().describe('Identifier of the network that the nodes are attached to.'),
  defaultImageID: recordID
    .optional()
    .describe('Image for the nodes of clusters that name none: a cluster must get one from here or from its own spec.'),
  nodeGroups: nodeGroupList(groupRules).min(1).describe('The groups of nodes that make up a cluster.'),
};

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName]);

export const clusterTemplate = {
  kind: 'ClusterTemplate',
  plural: 'clustertemplates',
  singular: 'clustertemplate',
  shortName: 'dpct',
  description:
    'A blueprint of clusters: groups of nodes with their counts, and configuration. An edit, also of a NodeGroupTemplate that it refers to, makes a new revision in the service; clusters that are there keep what they have, and say TemplateOutdated.',
  spec,
  status: z.object({ ...revisionStatus, ...observedPlugin }),
  columns: templateColumns,
} as const satisfies Definition;
