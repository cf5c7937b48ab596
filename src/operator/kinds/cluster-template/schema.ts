// The spec and status of a ClusterTemplate.
import { z } from 'zod';
import { adopt, adoptionRules, listedPlugin } from '../../api/adoption.ts';
import { baseName, fixedBaseName } from '../../api/base-name.ts';
import { templateColumns } from '../../api/columns.ts';
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
import { configs, fixedConnection, keptSpec, optionalID, revisionStatus } from '../../api/shared-api.ts';

const groupRules: readonly Rule[] = [
  {
    rule: described('self'),
    message: 'give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    reason: 'FieldValueRequired',
  },
];

const shape = {
  ...keptSpec,
  adopt: adopt(listedPlugin),
  name: baseName,
  description: templateDescription,
  pluginName,
  bigdataVersion,
  clusterConfigs: configs()
    .optional()
    .describe(
      'Configuration of the whole cluster: a map from target to option to value. A value is a string, an integer or a boolean.',
    )
    .meta({ example: { HDFS: { 'dfs.replication': 2 } } }),
  antiAffinity: setOf(text(80), 50)
    .optional()
    .describe('Processes of which no two instances may run on the same host of the cloud.')
    .meta({ example: ['datanode'] }),
  networkManagementNetwork: optionalID('Identifier of the network to which the nodes are attached.'),
  defaultImageID: optionalID(
    'Identifier of the image for the nodes of clusters that do not set one. Every cluster needs an image, from here or from its own spec.',
  ),
  nodeGroups: nodeGroupList(groupRules).min(1).describe('Node groups of a cluster.'),
};

const spec = ruled(z.object(shape), [fixedConnection, fixedBaseName, ...adoptionRules]);

export const clusterTemplate = {
  kind: 'ClusterTemplate',
  plural: 'clustertemplates',
  shortName: 'dpct',
  description:
    'A blueprint for clusters: node groups with their counts, and configuration. An edit of it, or of a NodeGroupTemplate that it references, creates a new revision in the service. Existing clusters keep the revision that they were created from and report TemplateOutdated.',
  spec,
  status: z.object({ ...revisionStatus, ...observedPlugin }),
  columns: templateColumns,
} as const satisfies Definition;
