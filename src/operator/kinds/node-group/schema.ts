// The spec and status of a NodeGroup.
import { z } from 'zod';
import { autoscaling } from '../../api/autoscaling.ts';
import { age, condition, message, ready, reason } from '../../api/columns.ts';
import type { Definition, Spec } from '../../api/definition.ts';
import { immutable, type Rule, ruled } from '../../api/keywords.ts';
import { nodeCount, nodeGroupName } from '../../api/node-group.ts';
import { reportedText } from '../../api/optional-fields.ts';
import { commonStatus, reference } from '../../api/shared-api.ts';

const shape = {
  clusterRef: reference('Cluster').describe('Cluster that has the node group, in the same namespace. Immutable.'),
  nodeGroup: nodeGroupName
    .describe('Name of the node group, as in spec.nodeGroups of the Cluster. Immutable.')
    .meta({ example: 'worker' }),
  count: nodeCount.describe(
    'Number of nodes of the group. While the NodeGroup exists, it counts in place of the count in the Cluster. kubectl scale and autoscalers change it. With spec.autoscaling, it is only the number that a new group begins with, and cannot change.',
  ),
  autoscaling: autoscaling
    .optional()
    .describe(
      'Lets the operator choose the number of nodes within these bounds, by the load that the service reports. status.wanted has the number that it chose. Services that report no load keep the number that they have. After you remove this field, spec.count counts again: set it in the same edit.',
    ),
};

/** What comes from others than the user, such as a HorizontalPodAutoscaler, would have no effect, and nobody would notice. */
const fixedCount: Rule = {
  rule: '!has(self.autoscaling) || !has(oldSelf.autoscaling) || self.count == oldSelf.count',
  message:
    'count cannot change while autoscaling is set, because the operator chooses the number of nodes: change autoscaling.minCount and autoscaling.maxCount, or remove autoscaling. An autoscaler of the cluster, such as a HorizontalPodAutoscaler, and autoscaling exclude each other',
  fieldPath: '.count',
  reason: 'FieldValueForbidden',
};

const spec = ruled(z.object(shape), [
  fixedCount,
  ...immutable(shape, { but: ['count', 'autoscaling'], remedy: '; create another NodeGroup' }),
]);

const status = z.object({
  ...commonStatus,
  count: z.int32().optional().describe('Number of nodes of the group in the service.'),
  wanted: z
    .int32()
    .optional()
    .describe('Number of nodes that the group is to have: spec.count, or what autoscaling chose.'),
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
    'Sets the number of nodes of one node group of a Cluster, for kubectl scale and autoscalers, or by the load of the group. It stands for nothing in the service.',
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
    {
      name: 'Min',
      type: 'integer',
      jsonPath: '.spec.autoscaling.minCount',
      description: 'Smallest number of nodes, if the group is autoscaled.',
    },
    {
      name: 'Max',
      type: 'integer',
      jsonPath: '.spec.autoscaling.maxCount',
      description: 'Largest number of nodes, if the group is autoscaled.',
    },
    {
      name: 'Wanted',
      type: 'integer',
      jsonPath: '.status.wanted',
      description: 'Number of nodes that spec asks for, or that autoscaling chose.',
    },
    { name: 'Current', type: 'integer', jsonPath: '.status.count', description: 'Number of nodes in the service.' },
    {
      name: 'Scaling',
      type: 'string',
      jsonPath: condition('ScalingActive', 'reason'),
      wide: true,
      description: 'What autoscaling found, and why it leaves the number of nodes or changes it.',
    },
    message,
    age,
  ],
} as const satisfies Definition;

export type NodeGroupSpec = Spec<typeof nodeGroup>;
