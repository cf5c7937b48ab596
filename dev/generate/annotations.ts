// The annotations and the finalizer that the operator uses, as data for the reference.
import {
  acceptLossAnnotation,
  approvePlanAnnotation,
  finalizer,
  lastScheduleAnnotation,
  ledgerAnnotation,
  reconcileAnnotations,
  recreateAnnotation,
  runAgainAnnotation,
  scaledByAnnotation,
  scheduledTimeAnnotation,
  takeOverAnnotation,
} from '../../src/operator/api/shared-api.ts';

export interface Mark {
  readonly name: string;
  readonly on: string;
  readonly setBy: 'the operator' | 'users';
  readonly value: string;
  readonly description: string;
}

const [reconcileRequested, fluxRequested] = reconcileAnnotations;
const reconcileNow =
  'Reconciles the object now. Each new value triggers one reconciliation. All kinds but Connection, JobSchedule and NodeGroup report the handled value in `status.lastHandledReconcileAt`.';

export const annotations: readonly Mark[] = [
  {
    name: ledgerAnnotation,
    on: 'all kinds but Connection, JobSchedule and NodeGroup',
    setBy: 'the operator',
    value: 'JSON',
    description:
      'The ledger: every object that the operator may have created in the service for this resource. Back it up together with the object, and do not edit it.',
  },
  {
    name: reconcileRequested,
    on: 'all kinds',
    setBy: 'users',
    value: 'any text, such as a time',
    description: reconcileNow,
  },
  {
    name: fluxRequested,
    on: 'all kinds',
    setBy: 'users',
    value: 'any text, such as a time',
    description:
      'The same, under the name that Flux uses for its own kinds. `dataprocessing.dev/reconcile-requested-at` takes precedence.',
  },
  {
    name: recreateAnnotation,
    on: 'Cluster',
    setBy: 'users',
    value: 'identifier of the cluster in the service',
    description:
      'Deletes the cluster with this identifier and creates another one from the current spec and templates. If that cluster has expired, it creates another one. It has no effect on any other cluster, so it may stay.',
  },
  {
    name: approvePlanAnnotation,
    on: 'all kinds with `spec.policy`',
    setBy: 'users',
    value: '`status.plan.hash` of the object',
    description:
      'With the policy Plan: carries out exactly this plan, once; see [Approve each write](../how-to/approve-plans.md). It has no effect on any other plan, so it may stay.',
  },
  {
    name: runAgainAnnotation,
    on: 'JobExecution',
    setBy: 'users',
    value: '`status.externalName` of the execution',
    description:
      'Starts another run in place of the one with this marker, if it is not known whether that one ran, or if it vanished from the service. It has no effect on any other run, so it may stay.',
  },
  {
    name: takeOverAnnotation,
    on: 'all kinds but Connection, JobSchedule and NodeGroup',
    setBy: 'users',
    value:
      'name of an installation; for an adoption also its mark, the four characters after the last hyphen in the names that it gives',
    description:
      'Confirms that nobody else manages the objects that a ledger of this installation names, or the object that `spec.adopt` means and whose name, or that of its private template, has the mark of this installation. The operator then takes them over, for example after a restore into another cluster. Through a SharedConnection without `allowAdopt`, it proves nothing.',
  },
  {
    name: lastScheduleAnnotation,
    on: 'JobSchedule',
    setBy: 'the operator',
    value: 'a time such as `2026-01-31T06:00:00Z`',
    description:
      'The last scheduled time for which a JobExecution was created. Nothing is created for it or for an earlier time. Back it up together with the object, and do not edit it. A time more than a day in the future is ignored.',
  },
  {
    name: scheduledTimeAnnotation,
    on: 'JobExecution',
    setBy: 'the operator',
    value: 'a time such as `2026-01-31T06:00:00Z`',
    description:
      'The time for which a JobSchedule created the execution. The operator only writes it: the name of the execution counts.',
  },
  {
    name: scaledByAnnotation,
    on: 'Cluster',
    setBy: 'the operator',
    value: 'name of a NodeGroup',
    description:
      'The NodeGroup that was deleted last and left its count in `spec.nodeGroups`. The operator only writes it, in the same request as the count.',
  },
  {
    name: acceptLossAnnotation,
    on: 'Connection',
    setBy: 'users',
    value: 'hash from the condition MassChange',
    description:
      'Confirms that exactly the objects behind this hash are gone for good. The operator then recreates them where it would recreate a single one.',
  },
];

export const finalizers: readonly Mark[] = [
  {
    name: finalizer,
    on: 'all kinds but JobSchedule, and Secrets that a Connection references',
    setBy: 'the operator',
    value: '',
    description:
      'Keeps a resource until the objects that it created in the service are gone, a Connection until no resource uses it, a Secret until no Connection references it, and a NodeGroup until its Cluster has its count.',
  },
];
