// Where the pods of a flavor are placed, as in the specification of a pod. PURE.
import { z } from 'zod';
import { closed, key, keyed, labelValue, listOf, objectName, plainText, volumeName } from './terms.ts';

const seconds = z.int().min(0).max(31_536_000);
const weight = z.int().min(1).max(100);
const values = z.array(plainText(63)).max(64).optional();

interface Requirement {
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** How many values the operator takes, as the API server counts them. */
function checkValues({ operator, values: { length } = [] }: Requirement, context: z.RefinementCtx): void {
  const refuse = (message: string) =>
    context.addIssue({ code: 'custom', path: ['values'], message: `${message} with the operator ${operator}` });
  const takesNone = operator === 'Exists' || operator === 'DoesNotExist';
  if (takesNone && length > 0) refuse('cannot be given');
  if ((operator === 'In' || operator === 'NotIn') && length === 0) refuse('must have at least one value');
  if ((operator === 'Gt' || operator === 'Lt') && length !== 1) refuse('must have exactly one value');
}

const selector = closed({
  matchLabels: keyed(labelValue).optional(),
  matchExpressions: listOf(
    closed({ key, operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']), values }).superRefine(checkValues),
  ).optional(),
});

const nodeTerm = closed({
  matchExpressions: listOf(
    closed({ key, operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']), values }).superRefine(
      checkValues,
    ),
  ).optional(),
  // The only field that nodes are selected by.
  matchFields: listOf(
    closed({
      key: z.literal('metadata.name'),
      operator: z.enum(['In', 'NotIn']),
      values: z.array(plainText(253)).length(1),
    }),
  ).optional(),
});

const podTerm = closed({
  topologyKey: key,
  labelSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  namespaces: listOf(volumeName).optional(),
  matchLabelKeys: listOf(key).optional(),
  mismatchLabelKeys: listOf(key).optional(),
}).superRefine((given, context) => {
  if (given.labelSelector !== undefined) return;
  for (const field of ['matchLabelKeys', 'mismatchLabelKeys'] as const)
    if (given[field] !== undefined)
      context.addIssue({ code: 'custom', path: [field], message: 'needs a labelSelector beside it' });
});
const podAffinity = closed({
  requiredDuringSchedulingIgnoredDuringExecution: listOf(podTerm).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(closed({ weight, podAffinityTerm: podTerm })).optional(),
});

const affinity = closed({
  nodeAffinity: closed({
    requiredDuringSchedulingIgnoredDuringExecution: closed({ nodeSelectorTerms: listOf(nodeTerm) }).optional(),
    preferredDuringSchedulingIgnoredDuringExecution: listOf(closed({ weight, preference: nodeTerm })).optional(),
  }).optional(),
  podAffinity: podAffinity.optional(),
  podAntiAffinity: podAffinity.optional(),
});

const toleration = closed({
  key: key.optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: labelValue.optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: seconds.optional(),
}).superRefine((given, context) => {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (given.operator === 'Exists' && given.value) refuse('value', 'cannot be given with the operator Exists');
  if (given.key === undefined && given.operator !== 'Exists')
    refuse('key', 'is missing; without it, the operator must be Exists');
  if (given.tolerationSeconds !== undefined && given.effect !== 'NoExecute')
    refuse('tolerationSeconds', 'needs the effect NoExecute');
});

const spread = closed({
  maxSkew: z.int().min(1).max(1000),
  topologyKey: key,
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  labelSelector: selector.optional(),
  minDomains: z.int().min(1).max(1000).optional(),
  nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).optional(),
  nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).optional(),
  matchLabelKeys: listOf(key).optional(),
}).superRefine(({ minDomains, whenUnsatisfiable }, context) => {
  if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule')
    context.addIssue({ code: 'custom', path: ['minDomains'], message: 'needs whenUnsatisfiable: DoNotSchedule' });
});

const priorityClass = objectName.refine((name) => !name.startsWith('system-'), {
  error: 'is a priority of the system, which pods of users cannot have; choose another PriorityClass',
});

export const scheduling = {
  nodeSelector: keyed(labelValue).optional(),
  tolerations: listOf(toleration).optional(),
  affinity: affinity.optional(),
  topologySpreadConstraints: listOf(spread).optional(),
  priorityClassName: priorityClass.optional(),
  runtimeClassName: objectName.optional(),
} as const;
