// A run is refused for what it brings along, in the words of its own spec, as soon as the operator refuses that.
import { expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { kinds } from '../../../../src/operator/kinds/index.ts';
import { jobKind } from '../../../../src/operator/kinds/job/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import type { Kind } from '../../../../src/operator/reconcile/kind/kind.ts';
import { outcomeOfError } from '../../../../src/operator/reconcile/outcome.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { referencePrecondition } from '../../../../src/operator/reconcile/plan/preconditions.ts';
import { standingOwned } from '../../../../src/operator/reconcile/resource/owned.ts';
import { resolve } from '../../../../src/operator/reconcile/resource/resolve.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import {
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  conditionsAs,
  image,
  installation,
  ledgerOf,
  monotonic,
  resourceOf,
  situationOf,
  uid,
  wall,
} from '../support.ts';

const all: ReadonlyMap<string, Kind> = new Map(kinds.map((one) => [one.definition.kind, one]));
const apiVersion = 'dataprocessing.dev/v1alpha1';
const run = { job: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'a' } }] }, clusterID: image };
const onCluster = { jobID: image, cluster: clusterSpec };

interface Given {
  readonly of?: 'Job' | 'Cluster';
  readonly message?: string;
  readonly reason?:
    | 'InvalidSpec'
    | 'ExternalRejected'
    | 'ExternalError'
    | 'ExternalDeleted'
    | 'ProgressDeadlineExceeded';
  readonly observed?: number;
  readonly more?: object;
  readonly by?: string;
}

const twice = 'spec.libs[0]: names the same binary as spec.mains[0]: remove one of them';

/** What becomes of the reference to an owned object that stalled like this. */
function resolved({ of = 'Job', message = twice, reason = 'InvalidSpec', observed = 1, more = {}, by }: Given) {
  const owners = by === undefined ? [] : [{ apiVersion, kind: 'JobSchedule', name: by, uid: 's', controller: true }];
  const metadata = { ownerReferences: owners };
  const execution = resourceOf({ kind: jobExecutionKind, spec: of === 'Job' ? run : onCluster, metadata });
  const owner = { apiVersion, kind: 'JobExecution', name: 'etl', uid, controller: true };
  const conditions = conditionsAs(observed, wall, [
    ['Ready', 'False', reason, message],
    ['Stalled', 'True', reason, message],
  ]);
  const owned = resourceOf({
    kind: of === 'Job' ? jobKind : clusterKind,
    metadata: { uid: 'owned', generation: 1, ownerReferences: [owner] },
    status: { observedGeneration: observed, conditions },
    ...more,
  });
  const store = { read: ({ kind }: { readonly kind: string }) => (kind === of ? owned : undefined), list: () => [] };
  return resolve({ store, kinds: all, installation }, jobExecutionKind, execution);
}

const again = 'The spec is immutable: delete this JobExecution and apply it with the corrected field';
const anew = 'delete this Cluster (nothing was made yet) and apply a corrected one';

test.each<readonly [string, Given, string]>([
  ['a Job', {}, `spec.job.libs[0]: names the same binary as spec.job.mains[0]: remove one of them. ${again}`],
  [
    'a Job of a scheduled run',
    { by: 'daily' },
    'spec.job.libs[0]: names the same binary as spec.job.mains[0]: remove one of them. The spec is immutable: correct spec.template of JobSchedule daily, for its next run',
  ],
  [
    'a Cluster, whose remedy would only be made good',
    {
      of: 'Cluster',
      message: `spec.defaultImageID: no image: add one to the ClusterTemplate, or ${anew} with imageRef`,
    },
    `spec.cluster.defaultImageID: no image. ${again}`,
  ],
  [
    'a Cluster whose template uses another Connection',
    {
      of: 'Cluster',
      message:
        'spec.clusterTemplateRef: ClusterTemplate x uses Connection a, but this resource uses Connection b; both must use the same. connectionRef is immutable, so delete one of them and apply it with the same connectionRef',
    },
    `spec.cluster.clusterTemplateRef: ClusterTemplate x uses Connection a, but this resource uses Connection b; both must use the same. ${again}`,
  ],
  ['a message without a place', { message: 'it is odd' }, `spec.job: it is odd. ${again}`],
])('refused: %s', (_what, given, message) => {
  const resolutions = resolved(given);
  expect(resolutions).toMatchObject([{ state: 'wrong', message }]);
  const needed = resolutions.map(({ reference }) => reference);
  const outcome = { result: 'refused', reason: 'InvalidSpec', message, failsAfterMs: 5_000 };
  expect(referencePrecondition(resolutions, needed)).toEqual(outcome);
  // It is deleted with the run, or before.
  expect(standingOwned(resolutions, given.of ?? 'Job')?.metadata.uid).toBe('owned');
});

const line = { method: 'POST', path: '/v1.1/demo/clusters' } as const;
const bodyOf = (status: number, name: string) =>
  JSON.stringify({ error_code: status, error_name: name, error_message: 'no such flavor' });
const body = (name: string) => bodyOf(400, name);

/** As the Job or Cluster reports that the service answered its create with this. */
function refusalOf(of: 'Job' | 'Cluster', answer = body('NOT_FOUND'), status = 400): string {
  const error = classify(line, { phase: 'answered', status, body: answer });
  const kind = of === 'Job' ? jobKind : clusterKind;
  const outcome = outcomeOfError(error, `create ${of} quota-report`, kind.remedy(error));
  return 'message' in outcome ? outcome.message : '';
}

const overdue = (message: string) =>
  `not ready within 3600 s (spec.progressDeadlineSeconds); the operator keeps retrying. Last problem: ${message}`;

const refusedBy = { reason: 'ExternalRejected' } as const;
const late = { reason: 'ProgressDeadlineExceeded' } as const;
const flavor = 'the service refused it: no such flavor (NOT_FOUND)';
const ofCluster = `spec.cluster: Cluster etl: cannot create Cluster quota-report: ${flavor}. ${again}`;
const unregistered = body('INVALID_DATA').replace('no such flavor', 'image x is not registered');

test.each<readonly [string, Given, string]>([
  [
    'a Job',
    { ...refusedBy, message: refusalOf('Job') },
    `spec.job: Job etl: cannot create Job quota-report: ${flavor}. ${again}`,
  ],
  ['a Cluster', { ...refusedBy, of: 'Cluster', message: refusalOf('Cluster') }, ofCluster],
  ['a Cluster, past its deadline', { ...late, of: 'Cluster', message: overdue(refusalOf('Cluster')) }, ofCluster],
  [
    'a Cluster of an image that is not registered',
    { ...refusedBy, of: 'Cluster', message: refusalOf('Cluster', unregistered) },
    `spec.cluster: Cluster etl: cannot create Cluster quota-report: the service refused it: image x is not registered (INVALID_DATA). Apply an ImageRegistration for the image. ${again}`,
  ],
  [
    'a Cluster that a refused create left in the service',
    {
      ...refusedBy,
      of: 'Cluster',
      message: 'the service refused to create cluster x, and what that left was deleted; it is retried',
    },
    `spec.cluster: Cluster etl: the service refused to create cluster x, and what that left was deleted. ${again}`,
  ],
])('refused by the service, which others can end: %s', (_what, given, message) => {
  const resolutions = resolved(given);
  expect(resolutions).toMatchObject([{ state: 'wrong', message }]);
  const needed = resolutions.map(({ reference }) => reference);
  expect(referencePrecondition(resolutions, needed)).toEqual({
    result: 'refused',
    reason: 'ExternalRejected',
    message,
  });
  expect(standingOwned(resolutions, given.of ?? 'Job')?.metadata.uid).toBe('owned');
});

test.each<readonly [string, Given]>([
  ['what is refused for a quota', { ...refusedBy, message: refusalOf('Cluster', body('QUOTA_ERROR')) }],
  ['what is refused for a quota for long', { ...late, message: overdue(refusalOf('Cluster', body('QUOTA_ERROR'))) }],
  ['what a proxy refused', { ...refusedBy, message: refusalOf('Job', '<html>no') }],
  ['what the service failed to make', { ...late, message: overdue(refusalOf('Job', body('NO'), 500)) }],
  ['what is refused for another reason', { ...refusedBy }],
  [
    'what the service refuses although it was made once',
    {
      ...refusedBy,
      of: 'Cluster',
      message: refusalOf('Cluster'),
      more: { ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'owned' }) },
    },
  ],
  ['what was refused before it was edited', { observed: 0 }],
  ['what is being deleted, and made again', { more: { deleting: true } }],
  ['what was made once', { of: 'Cluster', more: { ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'owned' }) } }],
])('awaited: %s', (_what, given) => {
  expect(resolved(given)).toMatchObject([{ state: 'awaited' }]);
});

test.each<readonly [string, Given, string | undefined]>([
  ['a Job', { message: refusalOf('Job') }, 'NOT_FOUND'],
  ['a Job that is invalid', { message: refusalOf('Job', body('INVALID_DATA')) }, 'INVALID_DATA'],
  ['a Job that refers to what is gone', { message: refusalOf('Job', bodyOf(404, 'NOT_FOUND'), 404) }, 'NOT_FOUND'],
  ['a Job, without a name', { message: refusalOf('Job', body('7')) }, undefined],
  ['a Cluster', { of: 'Cluster', message: refusalOf('Cluster', body('VALIDATION_ERROR')) }, 'VALIDATION_ERROR'],
  ['a Cluster, which may lack room', { of: 'Cluster', message: refusalOf('Cluster', body('INVALID_DATA')) }, undefined],
])('the name of the error tells how long it is tried: %s', (_what, given, errorName) => {
  const [found] = resolved({ ...refusedBy, ...given });
  expect(found?.state === 'wrong' ? [found.errorName] : found).toEqual([errorName]);
});

/** As the Cluster reports it. */
function failureOf(status_description: string): string {
  const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
  const made = plan(situationOf({ ledger, rows: [clusterRow({ status: 'Error', status_description })] }));
  return made.action === 'none' && 'message' in made.outcome ? made.outcome.message : '';
}

const inError: Given = {
  of: 'Cluster',
  reason: 'ExternalError',
  message: failureOf('no room. To do: wait'),
  more: { ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'owned' }) },
};
const hasFailed = `spec.cluster: Cluster etl: Cluster ${clusterName} has failed in the service: no room. To do: wait`;

test.each<readonly [string, Given, string]>([
  [
    'a run',
    {},
    'To run it, delete this JobExecution and apply it again, and correct spec.cluster if that is the cause',
  ],
  [
    'a scheduled run',
    { by: 'daily' },
    'The next run of JobSchedule daily gets another Cluster. If spec.cluster is the cause, correct spec.template',
  ],
])('a Cluster that has failed in the service: of %s', (_what, given, remedy) => {
  const resolutions = resolved({ ...inError, ...given });
  expect(resolutions).toMatchObject([{ state: 'awaited', hasFailed: true, message: `${hasFailed}. ${remedy}` }]);
  // It is kept for a look, or deleted with the run.
  expect(standingOwned(resolutions, 'Cluster')?.metadata.uid).toBe('owned');
});

test.each<readonly [string, Given]>([
  ['had failed before it was edited', { observed: 0 }],
  ['is being deleted, and made again', { more: { ...inError.more, deleting: true } }],
])('a Cluster that %s has not failed', (_what, given) => {
  expect(resolved({ ...inError, ...given })[0]).not.toHaveProperty('hasFailed');
});

/** As the Cluster reports that its object has been missing for two polls. */
function lossOf(): string {
  const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
  const made = plan(situationOf({ ledger, rows: [], memory: { missingSince: monotonic - 60_000 } }));
  return made.action === 'none' && 'message' in made.outcome ? made.outcome.message : '';
}

test.each<readonly [string, Given, string]>([
  ['a run', {}, 'To run it, delete this JobExecution and apply it again'],
  ['a scheduled run', { by: 'daily' }, 'The next run of JobSchedule daily gets another Cluster'],
])('a Cluster that somebody deleted in the service: of %s', (_what, given, remedy) => {
  const resolutions = resolved({ ...inError, reason: 'ExternalDeleted', message: lossOf(), ...given });
  const what = `spec.cluster: Cluster etl: Cluster ${clusterName} (id-1) was deleted in the service, not by this operator`;
  expect(resolutions).toMatchObject([
    { state: 'awaited', hasFailed: true, isGone: true, message: `${what}. ${remedy}` },
  ]);
  expect(standingOwned(resolutions, 'Cluster')?.metadata.uid).toBe('owned');
});
