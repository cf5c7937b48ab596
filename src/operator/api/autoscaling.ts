// The fields of autoscaling: its bounds in the spec of a NodeGroup, and what it found in a status.
import { z } from 'zod';
import { ruled } from './keywords.ts';
import { optionalInteger } from './optional-fields.ts';

/** What the load of a node group means for its count. */
export const autoscalingReasons = [
  'WithinRange',
  'AtMinimum',
  'AtMaximum',
  'ScalingDown',
  'NoSignal',
  'TooOld',
  'ClusterNotReady',
] as const;
export type AutoscalingReason = (typeof autoscalingReasons)[number];

export const defaultMinCount = 1;
export const defaultScaleDownAfterSeconds = 300;

interface Bounds {
  readonly minCount: number;
  readonly maxCount: number;
}

/** The count, or the nearest one that the bounds allow. */
export const within = ({ minCount, maxCount }: Bounds, count: number): number =>
  Math.min(maxCount, Math.max(minCount, count));

export const autoscaling = ruled(
  z.object({
    minCount: optionalInteger(0, 10_000)
      .describe(
        'Smallest number of nodes. Defaults to 1. With 0, the group begins again with one node when work waits for more nodes of another group, so the last group of the Cluster with a load keeps one.',
      )
      .meta({ example: 2 }),
    maxCount: z
      .int32()
      .min(1)
      .max(10_000)
      .describe('Largest number of nodes. If it is lowered, the group is scaled down to it at once.')
      .meta({ example: 10 }),
    scaleDownAfterSeconds: optionalInteger(0, 86_400)
      .describe(
        'Seconds for which the work must fill fewer nodes than the group has before one node is removed. They begin anew after each node. Defaults to 300.',
      )
      .meta({ example: 600 }),
  }),
  [
    {
      rule: '!has(self.minCount) || self.minCount <= self.maxCount',
      message: 'minCount must not be larger than maxCount: lower minCount, or raise maxCount',
      fieldPath: '.minCount',
      reason: 'FieldValueInvalid',
    },
  ],
);

/** What autoscaling found, in the status of a Cluster. */
export const autoscalingFound = z.object({
  reason: z
    .string()
    .max(64)
    .describe('What the load of the group means for its count, as in the condition ScalingActive of the NodeGroup.'),
  wanted: z
    .int32()
    .optional()
    .describe('Number of nodes that the work of the group would fill, within the bounds of the NodeGroup.'),
});
