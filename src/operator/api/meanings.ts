// One sentence on each condition type, event reason and blocker reason, for the schemas and the reference.

export const conditionMeanings = {
  Ready: 'The service has what spec asks for, and the object can be used.',
  Synced: 'The object in the service was compared with spec and matches it.',
  Reconciling: 'The operator is working on the object, or waits for something and continues by itself.',
  Stalled: 'The object cannot become Ready without a change by a user, or its deadline has passed.',
  DependenciesReady: 'False while an object that this one references is missing or not ready.',
  Drifted:
    'The object in the service differs from spec: somebody else changed it, or it is an existing object that is not adopted.',
  Paused: 'spec.suspend is true: the operator writes nothing to the service for the object.',
  MassChange: 'Many objects of a Connection vanished from the service at once; the operator does not recreate them.',
  TemplateOutdated: 'The template has a newer revision than the one that the cluster was created from.',
  Complete: 'The run succeeded.',
  Failed: 'The run ended without success, and no retries are left.',
  ScalingActive:
    'On a NodeGroup with autoscaling: the operator knows the load of the group and chooses the number of nodes by it.',
  Expiring: 'A deadline of spec.lifecycle is near. The message has the time at which the cluster expires, and why.',
  Expired: 'A deadline of spec.lifecycle has passed, and the cluster was deleted in the service.',
} as const;

/** Reasons of events that report an action. Other events have the reason of a condition. */
export const eventMeanings = {
  Created: 'The operator created the object in the service.',
  Adopted:
    'The operator recorded an object that already exists in the service: one that spec.adopt names, one that a lost answer left, an image that was registered before, or the objects of a restored resource.',
  Replaced:
    'A template was edited, and the object of its new revision replaced the previous one; or an old revision is in use again.',
  Retried:
    'A run failed, or the outcome of one is unknown and the user asked for another; the operator started another attempt.',
  Scaling: 'The operator asked the service to change node groups.',
  Updating: 'The operator asked the service to change the registration or the tags of an image.',
  CorrectingDrift: 'The operator asked the service to undo a change that somebody else made.',
  Cancelling: 'The operator asked the service to cancel the run.',
  PlanPending:
    'The policy is Plan, and the next write waits for its approval; or the policy is Observe, and the note has what would be written; or the policy is Manage, and the note has the first change of an adopted object, which is carried out at once.',
  PlanChanged:
    'The annotation dataprocessing.dev/approve-plan has another value than the hash of the plan that waits, which is not carried out.',
  Deleting: 'The operator asked the service to delete the object.',
  DeletionBlocked: 'The resource stays until others that use it are deleted, or runs are over. The note names them.',
  Deleted:
    'The object is gone from the service, or the operator removed an old revision, a duplicate or the leftover of a refused create.',
  Orphaned: 'The resource was deleted with deletionPolicy Orphan. The note names what stays in the service.',
  Released:
    'An object that is not provably its own, was adopted or was only observed belongs to the resource no more, and stays in the service. The note names it.',
  ObjectsVanished:
    'Many objects of a Connection vanished from the service at once. The operator recreates none of them until they are back or a user accepts the loss.',
  OwnedCreated: 'The operator created the Job or the Cluster of a JobExecution.',
  OwnedDeleted: 'The operator deleted the Cluster of a JobExecution, because no run needs it any more.',
  ScaledUp: 'Autoscaling of a NodeGroup chose more nodes. The note has the numbers and the reason.',
  ScaledDown: 'Autoscaling of a NodeGroup chose fewer nodes. The note has the numbers and the reason.',
  Expiring: 'A deadline of spec.lifecycle of a Cluster is near. The note has the time and the reason.',
  Expired: 'A deadline of spec.lifecycle of a Cluster has passed, so the operator deletes the cluster.',
  Renewed: 'A Cluster that had expired is created again, as its spec or an annotation asks.',
  ExpiryHeld:
    'Many Clusters expired at once, which a wrong clock can cause, so the operator deletes this one later. The note has the remedy.',
  JobScheduled: 'A JobSchedule created the JobExecution of a scheduled time.',
  JobMissed:
    'Scheduled times of a JobSchedule passed without a JobExecution. The note has their number and the last of them.',
} as const;

/** Reasons in status.blockedOn. */
export const blockerMeanings = {
  DependencyNotReady: 'The Connection or another referenced object is missing or not ready.',
  InUse: 'A resource, or an object in the service without a resource, still uses this one.',
  MayStillAppear: 'A create without an answer may still take effect.',
  ObjectsVanished: 'Many objects vanished from the service at once.',
  DuplicateClaim: 'Another resource claims the same object of the service.',
} as const;

export type EventReason = keyof typeof eventMeanings;
export type BlockerReason = keyof typeof blockerMeanings;

/** For the description of a field: `Ready: <meaning> Synced: <meaning>`. */
export const meaningsText = (meanings: Readonly<Record<string, string>>): string =>
  Object.entries(meanings)
    .map(([word, meaning]) => `${word}: ${meaning}`)
    .join(' ');
