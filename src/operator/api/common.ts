// What all kinds share: the API group, the marks we leave on objects, the closed lists of reasons, and zod pieces.
import { z } from 'zod';
import { keywords, listBy, mapOf, type Rule, text } from './keywords.ts';

export const group = 'dataprocessing.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** Holds an object until what it made in the service is gone, or a Secret until no Connection refers to it. */
export const finalizer = `${group}/external`;
export const ledgerAnnotation = `${group}/ledger`;
/** The user's word that what a ledger of this installation names belongs to nobody else any more. */
export const takeOverAnnotation = `${group}/take-over`;
/** On a Cluster: the user asks for another object in place of the one with this id. */
export const recreateAnnotation = `${group}/recreate`;
/** On a Connection: the user's word that what vanished at once, by its hash, is gone for good. */
export const acceptLossAnnotation = `${group}/accept-loss`;
export const reconcileAnnotations = [`${group}/reconcile-requested-at`, 'reconcile.fluxcd.io/requestedAt'] as const;

export const fieldManagers = {
  claims: 'dataprocessing-operator/claims',
  status: 'dataprocessing-operator/status',
} as const;

/** Secrets of any other type are never read: who may write a Connection must not be able to send any Secret anywhere. */
export const secretType = `${group}/credentials`;

export const readyReasons = [
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
  'OwnershipUnconfirmed',
  'ConnectionChanged',
  'ExternalError',
  'ExternalDeleted',
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
] as const;
export type Reason = (typeof readyReasons)[number];

export const conditionReasons = {
  Ready: readyReasons,
  Synced: ['UpToDate', 'OutOfSync', 'ObservationFailed'],
  Reconciling: ['Progressing', 'ProgressingWithRetry'],
  Stalled: readyReasons,
  DependenciesReady: ['DependencyNotReady'],
  Drifted: ['Drifted'],
  MassChange: ['ObjectsVanished'],
  TemplateOutdated: ['NewerRevision'],
} as const;
export type ConditionType = keyof typeof conditionReasons;
/** Of events beside those of conditions: what was done. */
export const happeningReasons = [
  'Created',
  'Adopted',
  'Replaced',
  'Scaling',
  'Updating',
  'CorrectingDrift',
  'Deleting',
  'Deleted',
  'Orphaned',
  'Released',
  'ObjectsVanished',
] as const;

/** Of entries in status.blockedOn. */
export const blockerReasons = [
  'NotReady',
  'DependencyNotReady',
  'InUse',
  'MayStillAppear',
  'ObjectsVanished',
  'DuplicateClaim',
] as const;

export const condition = z.object({
  type: z
    .string()
    .max(64)
    .describe('Ready, Synced, Reconciling, Stalled, DependenciesReady, Drifted, TemplateOutdated, MassChange.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().max(64).describe('One word for programs.'),
  message: z.string().max(32_768).describe('One sentence for people: what is wrong and what to do.'),
  observedGeneration: z.int().describe('The generation of spec that this condition speaks of.'),
  lastTransitionTime: z.string().max(32).describe('When status last changed.'),
});
export type Condition = z.output<typeof condition>;

/** Another object by name. Whether it exists is not the API server's business: a missing one is waited for. */
const named = (what: string) => text(253).describe(`Name of the ${what}, in the same namespace.`);
export const reference = (kind: string) => z.object({ name: named(kind) });

/** An identifier that the service, or the cloud below it, gave out. */
export const recordID = text(36, {
  pattern: /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/,
  message: 'must be an identifier in UUID form, such as 2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f',
});

/** Target to name to value. The API server refuses no more than lists and filled objects as values; parsing does, with `remedy`. */
export function configs(remedy = 'put anything else in quotes') {
  const error = `must be a string, an integer or true/false: ${remedy}`;
  const value = z.union([z.string(), z.int({ error }), z.boolean()], { error });
  keywords.add(value, { 'x-kubernetes-preserve-unknown-fields': true });
  return mapOf(mapOf(value, 500), 100);
}

export const deletionPolicies = ['Delete', 'Orphan'] as const;

/** Fields of every kind but Connection. */
export const commonSpec = {
  connectionRef: reference('Connection')
    .optional()
    .describe('The Connection to the service, in the same namespace. Unset: the one named "default". Cannot change.'),
  deletionPolicy: z
    .enum(deletionPolicies)
    .optional()
    .describe(
      'What deleting this object does in the service. Delete (when unset) removes it there, too; Orphan leaves it. May change at any time, also while the object is being deleted.',
    ),
  progressDeadlineSeconds: z
    .int32()
    .min(1)
    .optional()
    .describe(
      'After so many seconds without getting Ready the object counts as Stalled; it is still retried, slowly. Unset: 3600. May change at any time.',
    ),
};

/** Those of them that may change. */
export const freeFields: readonly string[] = ['deletionPolicy', 'progressDeadlineSeconds'];

/** Unset and "default" are the same Connection, so writing the default down is no change. */
export const fixedConnection: Rule = {
  rule: "(has(self.connectionRef) ? self.connectionRef.name : 'default') == (has(oldSelf.connectionRef) ? oldSelf.connectionRef.name : 'default')",
  message: 'connectionRef cannot change: make a new object that refers to the other Connection',
  fieldPath: '.connectionRef',
  reason: 'FieldValueForbidden',
};

const blocker = z.object({
  kind: z.string().max(253).describe('Kind of what is waited for.'),
  name: z.string().max(1024).describe('Its name, or its identifier in the service.'),
  reason: z.string().max(64).describe('One word for programs.'),
  message: z.string().max(32_768).describe('What has to happen.'),
});

const drift = z.object({
  path: z.string().max(1024).describe('The field of spec.'),
  want: z.string().max(1024).describe('What it asks for.'),
  have: z.string().max(1024).describe('What the service has.'),
  fixable: z.boolean().describe('Whether the service can be brought to it.'),
});

/** Status of every kind. */
export const commonStatus = {
  observedGeneration: z.int().optional().describe('The generation of spec that this status speaks of; -1: none yet.'),
  conditions: listBy('type', condition, 50)
    .optional()
    .describe('How things stand. Ready says whether the object can be used, and if not, why.'),
  blockedOn: z.array(blocker).max(200).optional().describe('Who or what is waited for.'),
};

/** Status of the kinds that stand for something in the service. */
export const externalStatus = {
  id: z.string().max(1024).optional().describe('Identifier in the service.'),
  externalName: z.string().max(1024).optional().describe('Name in the service.'),
  drift: z
    .array(drift)
    .max(100)
    .optional()
    .describe('What was changed in the service behind the back of the spec, of the fields that are set there.'),
  lastHandledReconcileAt: z
    .string()
    .max(256)
    .optional()
    .describe('The value of the annotation that last asked for a look: dataprocessing.dev/reconcile-requested-at.'),
  ledger: z.string().max(16_384).optional().describe("A copy of the operator's own records about this object (JSON)."),
  ...commonStatus,
};

/** Status of the kinds whose edit makes another object in the service. */
export const revisionStatus = {
  ...externalStatus,
  revision: z.string().max(64).optional().describe('The content that id stands for, as a hash: an edit changes it.'),
  revisions: z
    .array(z.string().max(64))
    .max(200)
    .optional()
    .describe('The revisions that are in the service: this one, and former ones while something refers to them.'),
};
