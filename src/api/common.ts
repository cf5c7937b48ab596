// What all kinds share: the API group, the marks we leave on objects, the closed lists of reasons, and zod pieces.
import { z } from 'zod';

export const group = 'dataprocessing.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** Holds an object until what it made in the service is gone, or a Secret until no Connection refers to it. */
export const finalizer = `${group}/external`;
export const ledgerAnnotation = `${group}/ledger`;
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
  DependenciesReady: ['Resolved', 'DependencyNotReady'],
} as const;
export type ConditionType = keyof typeof conditionReasons;

export const condition = z.object({
  type: z.string().max(64).describe('Ready, Synced, Reconciling, Stalled, DependenciesReady.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().max(64).describe('One word for programs.'),
  message: z.string().max(4096).describe('One sentence for people: what is wrong and what to do.'),
  observedGeneration: z.int().describe('The generation of spec that this condition speaks of.'),
  lastTransitionTime: z.string().max(32).describe('When status last changed.'),
});
export type Condition = z.output<typeof condition>;
