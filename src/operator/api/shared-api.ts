// What all kinds share: the API group, annotations, the finalizer, the closed lists of reasons, and parts of schemas.
import { z } from 'zod';
import { autoscalingReasons } from './autoscaling.ts';
import { keywords, listBy, mapOf, type Rule, text } from './keywords.ts';
import { expiryReasons } from './lifecycle.ts';
import { blockerMeanings, conditionMeanings, meaningsText } from './meanings.ts';
import { optionalBoolean, optionalInteger, reportedText } from './optional-fields.ts';

export const group = 'dataprocessing.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/**
 * Keeps a resource until its objects in the service are gone, a Secret until no Connection references it, and a NodeGroup until its
 * Cluster has its count.
 */
export const finalizer = `${group}/external`;
export const ledgerAnnotation = `${group}/ledger`;
/** A user confirms that no other installation manages the objects in the ledger, or the object that is adopted. */
export const takeOverAnnotation = `${group}/take-over`;
/** On a Cluster: a user requests that the object with this id is recreated. */
export const recreateAnnotation = `${group}/recreate`;
/** On a JobExecution: a user requests another run in place of the one with this marker, whose outcome is unknown. */
export const runAgainAnnotation = `${group}/run-again`;
/** On a Connection: a user confirms that the vanished objects with this hash are gone for good. */
export const acceptLossAnnotation = `${group}/accept-loss`;
/** On a JobSchedule: the last scheduled time for which an execution was created. It survives a backup, unlike the status. */
export const lastScheduleAnnotation = `${group}/last-schedule-time`;
/** On a JobExecution: the time for which its JobSchedule created it. */
export const scheduledTimeAnnotation = `${group}/scheduled-time`;
/** On a Cluster: the NodeGroup that was deleted last, and left its count in the entry of the Cluster. */
export const scaledByAnnotation = `${group}/scaled-by`;
/** A user approves the plan with this hash. */
export const approvePlanAnnotation = `${group}/approve-plan`;
export const reconcileAnnotations = [`${group}/reconcile-requested-at`, 'reconcile.fluxcd.io/requestedAt'] as const;

export const fieldManagers = {
  claims: 'dataprocessing-operator/claims',
  status: 'dataprocessing-operator/status',
  scale: 'dataprocessing-operator/scale',
} as const;

/** The kinds that lead to a service. A SharedConnection is in no namespace, so the namespace of its key is empty. */
export const connectionKind = 'Connection';
export const sharedConnectionKind = 'SharedConnection';

export const isConnection = (kind: string): boolean => kind === connectionKind || kind === sharedConnectionKind;

/** Secrets of other types are never read, so that a user who may write a Connection cannot send any Secret to any server. */
export const secretType = `${group}/credentials`;

export const readyReasons = [
  'Pending',
  'Available',
  'Provisioning',
  'Scaling',
  'CorrectingDrift',
  'DependencyNotReady',
  'UpstreamError',
  'ExternalRejected',
  'InvalidSpec',
  'NameConflict',
  'DuplicateClaim',
  'AdoptionMismatch',
  'OwnershipUnconfirmed',
  'ConnectionChanged',
  'ConnectionNotAllowed',
  'QuotaExceeded',
  'ExternalError',
  'ExternalDeleted',
  'ExternalNotFound',
  'ScaleHasNoEffect',
  'UpdateHasNoEffect',
  'DriftNotFixable',
  'ProgressDeadlineExceeded',
  'CredentialsMissing',
  'Unauthorized',
  'Throttled',
  'Deleting',
  'ExternalDeleteFailing',
  'ObservationFailed',
  'InternalError',
  'Queued',
  'Running',
  'Cancelling',
  'Suspended',
  'PlanPending',
  'Succeeded',
  'Failed',
  'OOMKilled',
  'Evicted',
  'Signal',
  'Cancelled',
  'DeadlineExceeded',
  'OutcomeUnknown',
  'ExecutionRefused',
  'WaitingForCluster',
  'Retrying',
  'Expired',
] as const;
export type Reason = (typeof readyReasons)[number];

/** Reasons of Ready while nothing is done until a user resumes the object, approves its plan or wants it again. */
export const heldReasons: readonly string[] = ['Suspended', 'PlanPending', 'Expired'] satisfies readonly Reason[];

export const conditionReasons = {
  Ready: readyReasons,
  Synced: ['UpToDate', 'OutOfSync', 'ObservationFailed'],
  Reconciling: ['Progressing', 'ProgressingWithRetry'],
  Stalled: readyReasons,
  DependenciesReady: ['DependencyNotReady'],
  Drifted: ['Drifted'],
  Paused: ['Suspended'],
  MassChange: ['ObjectsVanished'],
  TemplateOutdated: ['NewerRevision'],
  Complete: ['Succeeded'],
  Failed: ['Failed', 'OOMKilled', 'Evicted', 'Signal', 'Cancelled', 'DeadlineExceeded'],
  ScalingActive: autoscalingReasons,
  Expiring: [...expiryReasons, 'ExpiryHeld'],
  Expired: expiryReasons,
} as const;
export type ConditionType = keyof typeof conditionReasons;
export const condition = z.object({
  type: z
    .string()
    .max(64)
    .describe(`Type of the condition. ${meaningsText(conditionMeanings)}`),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().max(64).describe('Reason for the status, as one CamelCase word from a closed list.'),
  message: z.string().max(32_768).describe('Explanation for people: what is wrong and what to do about it.'),
  observedGeneration: z.int().describe('Generation of spec that the condition refers to.'),
  lastTransitionTime: z.string().max(32).describe('Time of the last change of status.'),
});
export type Condition = z.output<typeof condition>;

/** A reference by name. The object may be missing; the operator waits for it. */
export const reference = (kind: string, place = 'the same namespace') =>
  z.object({ name: text(253).describe(`Name of the ${kind}, in ${place}.`) });

const connectionReference = z.object({
  kind: z
    .enum([connectionKind, sharedConnectionKind])
    .optional()
    .describe(
      'Connection, in the same namespace, or SharedConnection, which an administrator shares between namespaces. Defaults to Connection.',
    )
    .meta({ example: sharedConnectionKind }),
  name: text(253).describe('Name of the Connection, in the same namespace, or of the SharedConnection.'),
});

/** An identifier from the service or the cloud. */
export const recordID = text(36, {
  pattern: /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/,
  message: 'must be an identifier in UUID form, such as 2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f',
});

export const identifierExample = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
export const optionalID = (description: string) =>
  recordID.optional().describe(description).meta({ example: identifierExample });

/**
 * A map from target to option to value. The API server rejects only lists and non-empty objects as values; the operator rejects other
 * values with `remedy`.
 */
export const configs = (remedy = 'put anything else in quotes') => {
  const error = `must be a string, an integer or true/false: ${remedy}`;
  const value = z.union([z.string(), z.int({ error }), z.boolean()], { error });
  keywords.add(value, { 'x-kubernetes-preserve-unknown-fields': true });
  return mapOf(mapOf(value, 500), 100);
};

export const deletionPolicies = ['Delete', 'Orphan'] as const;
export const policies = ['Manage', 'Observe', 'Plan'] as const;
export const externalDeleteAnswers = ['Recreate', 'Report'] as const;

/** Fields of every kind but Connection. */
export const commonSpec = {
  connectionRef: connectionReference
    .optional()
    .describe('What leads to the service. Defaults to the Connection named "default". Immutable.'),
  deletionPolicy: z
    .enum(deletionPolicies)
    .optional()
    .describe(
      'What happens in the service when this object is deleted. Delete removes it there, too. Orphan leaves it there. Defaults to Delete, and to Orphan for an object that this one adopted. It may be changed at any time, even during the deletion.',
    )
    .meta({ example: 'Orphan' }),
  progressDeadlineSeconds: optionalInteger(1)
    .describe(
      'Seconds that the object may take to become Ready before the operator reports it as Stalled. The operator keeps retrying after that, slowly. Defaults to 3600. It may be changed at any time.',
    )
    .meta({ example: 7200 }),
};

/** `commonSpec`, and the fields of kinds whose object in the service is kept as wanted: all but runs. */
export const keptSpec = {
  ...commonSpec,
  policy: z
    .enum(policies)
    .optional()
    .describe(
      'What the operator may do in the service. Manage: whatever spec asks for. Observe: nothing. It reports how the existing object differs from spec, and deleting this object leaves that one alone. Plan: nothing but what was approved. The next write is in status.plan, and the annotation dataprocessing.dev/approve-plan with its hash carries out exactly that. Deleting this object needs no approval. Defaults to Manage. It may be changed at any time.',
    )
    .meta({ example: 'Plan' }),
  suspend: optionalBoolean
    .describe(
      'While true, the operator writes nothing to the service for this object: it creates, changes, replaces and corrects nothing, and deletes no old revisions. It still reports what it observes. Deleting this object works as without. Defaults to false. It may be changed at any time.',
    )
    .meta({ example: true }),
  onExternalDelete: z
    .enum(externalDeleteAnswers)
    .optional()
    .describe(
      'What happens when somebody else deletes the object in the service. Recreate creates another one. Report creates nothing: the reason is ExternalDeleted, and the message says how to get another one. If many objects vanish at once, none is recreated before a user accepts the loss. Defaults to Recreate, and for a Cluster, whose data is lost with it, to Report. It may be changed at any time.',
    )
    .meta({ example: 'Report' }),
};

/** The mutable fields of `commonSpec`. */
export const freeFields: readonly string[] = ['deletionPolicy', 'progressDeadlineSeconds'];
/** The mutable fields of `keptSpec`. */
export const freeKeptFields: readonly string[] = [...freeFields, 'policy', 'suspend', 'onExternalDelete'];

const connectionNameOf = (self: string): string =>
  `(has(${self}.connectionRef) ? ${self}.connectionRef.name : 'default')`;
const connectionKindOf = (self: string): string =>
  `(has(${self}.connectionRef) && has(${self}.connectionRef.kind) ? ${self}.connectionRef.kind : '${connectionKind}')`;

/** Unset and the default are equal, so that writing the default down is not a change. */
export const fixedConnection: Rule = {
  rule: `${connectionNameOf('self')} == ${connectionNameOf('oldSelf')} && ${connectionKindOf('self')} == ${connectionKindOf('oldSelf')}`,
  message: 'connectionRef is immutable; create another object that references the other Connection',
  fieldPath: '.connectionRef',
  reason: 'FieldValueForbidden',
};

const blocker = z.object({
  kind: z
    .string()
    .max(253)
    .describe(
      'Kind of the object to wait for. Quarantine stands for no object: a create without an answer may still take effect.',
    ),
  name: z.string().max(1024).describe('Name of that object, or its identifier in the service.'),
  reason: z
    .string()
    .max(64)
    .describe(`Reason, as one CamelCase word. ${meaningsText(blockerMeanings)}`),
  message: z.string().max(32_768).describe('What has to happen.'),
});

const drift = z.object({
  path: z.string().max(1024).describe('Path of the field in spec.'),
  want: z.string().max(1024).describe('Value in spec.'),
  have: z.string().max(1024).describe('Value in the service.'),
  fixable: z.boolean().describe('Whether the operator can restore the value in the service.'),
});

const planned = z.object({
  hash: z.string().max(64).describe('Identifies the plan. Another plan has another hash.'),
  verb: z.string().max(64).describe('What is done: Create, Scale, Update, Cancel or Delete.'),
  object: z.string().max(1024).describe('The object in the service.'),
  destructive: z
    .boolean()
    .describe(
      'Whether this takes something away: an object or an old revision is deleted, a run is cancelled, a node group is scaled down, or tags of an image are removed.',
    ),
  changes: z
    .array(
      z.object({
        path: z.string().max(1024).describe('Path of the field.'),
        from: z.string().max(1024).optional().describe('Value in the service.'),
        to: z.string().max(1024).optional().describe('Value after the write. Credentials are shown as (secret).'),
      }),
    )
    .max(100)
    .optional()
    .describe('The fields that are sent.'),
});

/** Status of every kind. */
export const commonStatus = {
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of spec that this status describes. It is -1 until the operator has written a status.'),
  conditions: listBy('type', condition, 50)
    .optional()
    .describe('Current conditions. Ready reports whether the object can be used and, if not, why.'),
  blockedOn: z.array(blocker).max(200).optional().describe('Objects that this object is waiting for.'),
};

/** Status of the kinds that have an object in the service. */
export const externalStatus = {
  id: reportedText(1024, 'Identifier in the service.'),
  externalName: reportedText(1024, 'Name in the service.'),
  drift: z
    .array(drift)
    .max(100)
    .optional()
    .describe(
      'Fields of spec that have another value in the service, because somebody else changed it or an existing object has it.',
    ),
  plan: planned
    .optional()
    .describe(
      'With the policy Plan: the next write to the service, which waits for its approval. With the policy Observe: what Manage would write. With the policy Manage: the first change of an adopted object, which is carried out at once.',
    ),
  lastHandledReconcileAt: reportedText(
    256,
    'Last value of the annotation dataprocessing.dev/reconcile-requested-at that the operator has handled.',
  ),
  ledger: reportedText(
    16_384,
    "Copy of the operator's ledger for this object, as JSON. The annotation dataprocessing.dev/ledger is authoritative.",
  ),
  ...commonStatus,
};

/** Status of the kinds that create another object in the service for each revision. */
export const revisionStatus = {
  ...externalStatus,
  revision: reportedText(64, 'Content hash of the current revision, which id identifies. An edit of spec changes it.'),
  revisions: z
    .array(z.string().max(64))
    .max(200)
    .optional()
    .describe(
      'Content hashes of all revisions in the service: the current one, and old ones that something still references.',
    ),
};
