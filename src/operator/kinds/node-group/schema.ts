// The spec and status of a NodeGroup.
import { z } from 'zod';
import { age, message, ready, reason } from '../../api/columns.ts';
import type { Definition, Spec } from '../../api/definition.ts';
import { immutable, ruled } from '../../api/keywords.ts';
import { nodeCount, nodeGroupName } from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import { commonStatus, reference } from '../../api/shared-api.ts';

const shape = {
  clusterRef: reference('Cluster').describe('Cluster that has the node group, in the same namespace. Immutable.'),
  nodeGroup: nodeGroupName
    .describe('Name of the node group, as in spec.nodeGroups of the Cluster. Immutable.')
    .meta({ example: 'worker' }),
  count: nodeCount.describe(
    'Number of nodes of the group. While the NodeGroup exists, it counts in place of the count in the Cluster. kubectl scale and autoscalers change it.',
  ),
};

const spec = ruled(z.object(shape), immutable(shape, { but: ['count'], remedy: '; create another NodeGroup' }));

const status = z.object({
  ...commonStatus,
  count: z.int32().optional().describe('Number of nodes of the group in the service.'),
  selector: reportedText(
    1024,
    'Labels of the pods of the group, for autoscalers. Where the nodes are no pods, nothing has these labels.',
  ),
});

export const nodeGroup = {
  kind: 'NodeGroup',
  plural: 'nodegroups',
  shortName: 'dpng',
  description:
    'Sets the number of nodes of one node group of a Cluster, for kubectl scale and autoscalers. It stands for nothing in the service.',
  spec,
  status,
  scale: {
    specReplicasPath: '.spec.count',
    statusReplicasPath: '.status.count',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    ready,
    reason,
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    { name: 'Group', type: 'string', jsonPath: '.spec.nodeGroup' },
    { name: 'Wanted', type: 'integer', jsonPath: '.spec.count', description: 'Number of nodes that spec asks for.' },
    { name: 'Current', type: 'integer', jsonPath: '.status.count', description: 'Number of nodes in the service.' },
    message,
    age,
  ],
} as const satisfies Definition;

export type NodeGroupSpec = Spec<typeof nodeGroup>;
