// Builds what a status is made from, and applies the status to its resource as the API server would.
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import type { Condition } from '../../../../src/operator/api/shared-api.ts';
import type { KeyMemory } from '../../../../src/operator/reconcile/key-memory.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Outcome } from '../../../../src/operator/reconcile/outcome.ts';
import type { PassResult } from '../../../../src/operator/reconcile/plan-input.ts';
import type { Resolution } from '../../../../src/operator/reconcile/resource/references.ts';
import { nextStatus } from '../../../../src/operator/reconcile/status/status.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { conditionsAs, factsOf, type ResourceOptions, situationOf, wall } from '../support.ts';

export interface ConcludedOptions extends ResourceOptions {
  readonly remote?: RemoteObject | undefined;
  readonly resolutions?: readonly Resolution[];
  readonly memory?: Partial<KeyMemory>;
  readonly now?: PassResult['now'];
}

export function concludedOf(outcome: Outcome, options: ConcludedOptions = {}): PassResult {
  const { kind, ledger, memory, now } = situationOf({
    ...options,
    ...(options.memory ? { memory: options.memory } : {}),
    ...(options.now ? { now: options.now } : {}),
  });
  const { remote, resolutions = [] } = options;
  return { kind, facts: factsOf(options), outcome, ledger, remote, resolutions, memory, now };
}

/** The resource with the new status; unchanged when nothing is to be said. */
export function applied(result: PassResult): RawResource {
  const status = nextStatus(result);
  return status ? { ...result.facts.resource, status } : result.facts.resource;
}

export function conditionsIn(resource: RawResource): readonly Condition[] {
  return ((resource.status as { conditions?: readonly Condition[] }).conditions ?? []).filter(() => true);
}

export function find(resource: RawResource, type: string): Condition | undefined {
  return conditionsIn(resource).find((one) => one.type === type);
}

const [minute, hour] = [60_000, 3_600_000];

const since = (ms: number, conditions: Parameters<typeof conditionsAs>[2]) => ({
  observedGeneration: 1,
  conditions: conditionsAs(1, wall - ms, conditions),
});

/** Not Ready for this reason, and what else is reported. */
const notReady = (ms: number, reason: string, ...others: Parameters<typeof conditionsAs>[2]) =>
  since(ms, [['Ready', 'False', reason], ['Synced', 'False', 'OutOfSync'], ...others]);

/** Ready for its generation since two hours. */
export const readyStatus = since(2 * hour, [
  ['Ready', 'True', 'Available'],
  ['Synced', 'True', 'UpToDate'],
]);

/** Being worked on since a minute. */
export const busyStatus = notReady(minute, 'Provisioning', ['Reconciling', 'True', 'Progressing']);

/** Changed behind our back, which is being put right since a minute. */
export const driftedStatus = {
  ...notReady(minute, 'CorrectingDrift', ['Reconciling', 'True', 'Progressing'], ['Drifted', 'True', 'Drifted']),
  drift: [{ path: 'spec.nodeGroups[worker].count', want: '2', have: '7', fixable: true }],
};

/** Not ready, as `busyStatus`, for longer than the deadline. */
export const overdueStatus = notReady(2 * hour, 'Provisioning', ['Reconciling', 'True', 'Progressing']);

/** Its object was not in the list before it was ever Ready. */
export const neverSeenStatus = notReady(10 * minute, 'ObservationFailed', [
  'Reconciling',
  'True',
  'ProgressingWithRetry',
]);

/** It was Ready, and could not be looked at for long. */
export const lostStatus = since(10 * minute, [
  ['Ready', 'Unknown', 'ObservationFailed'],
  ['Synced', 'Unknown', 'ObservationFailed'],
  ['Reconciling', 'True', 'ProgressingWithRetry'],
]);

/** Its create was refused once. */
export const refusedStatus = notReady(minute, 'ExternalRejected', ['Reconciling', 'True', 'ProgressingWithRetry']);

/** Its create was refused more than once. */
export const stalledStatus = notReady(minute, 'ExternalRejected', ['Stalled', 'True', 'ExternalRejected']);

const refusal = classify(
  { method: 'POST', path: '/v1.0/demo/clusters' },
  { phase: 'answered', status: 400, body: '{"error_code":400,"error_name":"NOT_FOUND","error_message":"flavor"}' },
);

export const outcomes = {
  settled: { result: 'settled' },
  progressed: { result: 'progressed', reason: 'Provisioning', message: 'created' },
  busy: { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'in progress' },
  correcting: { result: 'waiting', on: 'service', reason: 'CorrectingDrift', message: 'putting it right', drift: [] },
  scaling: { result: 'waiting', on: 'service', reason: 'Scaling', message: 'worker from 2 to 5' },
  deleting: { result: 'waiting', on: 'service', reason: 'Deleting', message: 'waiting for the service to delete it' },
  dependency: { result: 'waiting', on: 'kubernetes', reason: 'DependencyNotReady', message: 'waits for x' },
  credentials: { result: 'waiting', on: 'kubernetes', reason: 'CredentialsMissing', message: 'no token' },
  upstream: { result: 'failed', reason: 'UpstreamError', message: 'not available', cause: undefined },
  unseen: { result: 'failed', reason: 'UpstreamError', message: 'not available', observing: true, cause: undefined },
  missing: { result: 'failed', reason: 'ObservationFailed', message: 'not listed', observing: true, cause: undefined },
  rejected: { result: 'failed', reason: 'ExternalRejected', message: 'quota', cause: undefined },
  refusedSpec: { result: 'failed', reason: 'ExternalRejected', message: 'flavor', cause: refusal },
  deleteFailing: { result: 'failed', reason: 'ExternalDeleteFailing', message: 'protected', cause: undefined },
  invalid: { result: 'refused', reason: 'InvalidSpec', message: 'spec.x' },
  notFixable: { result: 'refused', reason: 'DriftNotFixable', message: 'somebody did it', drift: [] },
  conflictName: { result: 'refused', reason: 'DuplicateClaim', message: 'older' },
  noEffect: { result: 'refused', reason: 'ScaleHasNoEffect', message: 'nothing happens' },
  deleted: { result: 'refused', reason: 'ExternalDeleted', message: 'gone' },
  error: { result: 'refused', reason: 'ExternalError', message: 'Error' },
  unpermitted: { result: 'unpermitted' },
  conflict: { result: 'conflict' },
  released: { result: 'released' },
} as const satisfies Readonly<Record<string, Outcome>>;
