// The states that users see: what a pass came to, what the status says of it, and how others judge that.
import { reconcileAnnotations } from '../../../../src/operator/api/common.ts';
import type { Outcome } from '../../../../src/operator/reconcile/outcome.ts';
import { monotonic } from '../support.ts';
import {
  busyStatus,
  type ConcludedOptions,
  lostStatus,
  neverSeenStatus,
  outcomes,
  overdueStatus,
  readyStatus,
} from './concluding.ts';

export interface Row {
  readonly state: string;
  readonly outcome: Outcome;
  readonly options?: ConcludedOptions;
  readonly ready: `${'True' | 'False' | 'Unknown'}/${string}`;
  readonly reconciling?: string;
  readonly stalled?: string;
  readonly judged: readonly [met: boolean, kstatus: string, argo: string];
}

const minutes = 60_000;
const long = { status: overdueStatus };
const missed = { missedPolls: { count: 3, since: monotonic - 5 * minutes } };
export const inProgress = [false, 'InProgress', 'Progressing'] as const;
const failed = [false, 'Failed', 'Degraded'] as const;
const current = [true, 'Current', 'Healthy'] as const;

export const rows: readonly Row[] = [
  {
    state: 'waiting for a dependency',
    outcome: outcomes.dependency,
    ready: 'False/DependencyNotReady',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'waiting for credentials',
    outcome: outcomes.credentials,
    ready: 'False/CredentialsMissing',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'created',
    outcome: outcomes.progressed,
    ready: 'False/Provisioning',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'creating',
    outcome: outcomes.busy,
    ready: 'False/Provisioning',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'scaling what was Ready for hours',
    outcome: outcomes.scaling,
    options: { status: readyStatus },
    ready: 'False/Scaling',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'drift being put right',
    outcome: outcomes.correcting,
    options: { status: readyStatus },
    ready: 'False/CorrectingDrift',
    reconciling: 'Progressing',
    judged: inProgress,
  },
  {
    state: 'drift that cannot be put right',
    outcome: outcomes.notFixable,
    options: { status: readyStatus },
    ready: 'False/DriftNotFixable',
    stalled: 'DriftNotFixable',
    judged: failed,
  },
  {
    state: 'up to date and Active',
    outcome: outcomes.settled,
    options: { status: busyStatus },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'a fault while a change of ours is outstanding',
    outcome: outcomes.upstream,
    options: { status: busyStatus },
    ready: 'False/UpstreamError',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'the same on what was Ready for hours',
    outcome: outcomes.upstream,
    options: { status: readyStatus },
    ready: 'False/UpstreamError',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'a refusal that may pass',
    outcome: outcomes.rejected,
    ready: 'False/ExternalRejected',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'a bad spec',
    outcome: outcomes.invalid,
    ready: 'False/InvalidSpec',
    stalled: 'InvalidSpec',
    judged: failed,
  },
  {
    state: 'a bad spec of what was Ready',
    outcome: outcomes.invalid,
    options: { status: readyStatus },
    ready: 'False/InvalidSpec',
    stalled: 'InvalidSpec',
    judged: failed,
  },
  {
    state: 'an object of somebody else',
    outcome: outcomes.conflictName,
    ready: 'False/DuplicateClaim',
    stalled: 'DuplicateClaim',
    judged: failed,
  },
  {
    state: 'the service says Error',
    outcome: outcomes.error,
    ready: 'False/ExternalError',
    stalled: 'ExternalError',
    judged: failed,
  },
  {
    state: 'the deadline has passed while waiting',
    outcome: outcomes.dependency,
    options: long,
    ready: 'False/ProgressDeadlineExceeded',
    stalled: 'ProgressDeadlineExceeded',
    judged: failed,
  },
  {
    state: 'the deadline has passed while retrying',
    outcome: outcomes.upstream,
    options: long,
    ready: 'False/ProgressDeadlineExceeded',
    stalled: 'ProgressDeadlineExceeded',
    judged: failed,
  },
  {
    state: 'one missed poll of a Ready object',
    outcome: outcomes.unseen,
    options: { status: readyStatus, memory: { missedPolls: { count: 1, since: monotonic } } },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'three missed polls within five minutes',
    outcome: outcomes.unseen,
    options: { status: readyStatus, memory: { missedPolls: { count: 3, since: monotonic - 5 * minutes + 1 } } },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'two missed polls in five minutes',
    outcome: outcomes.unseen,
    options: { status: readyStatus, memory: { missedPolls: { count: 2, since: monotonic - 5 * minutes } } },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'polls fail past the grace limit',
    outcome: outcomes.unseen,
    options: { status: readyStatus, memory: missed },
    ready: 'Unknown/ObservationFailed',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'and go on failing, also after a restart',
    outcome: outcomes.unseen,
    options: { status: lostStatus, memory: { missedPolls: { count: 1, since: monotonic } } },
    ready: 'Unknown/ObservationFailed',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'missing from one list',
    outcome: outcomes.missing,
    options: { status: readyStatus },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'missing from the list that somebody asked for',
    outcome: outcomes.missing,
    options: { status: readyStatus, metadata: { annotations: { [reconcileAnnotations[0]]: 'now' } } },
    ready: 'Unknown/ObservationFailed',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'a poll that somebody asked for fails',
    outcome: outcomes.unseen,
    options: { status: readyStatus, metadata: { annotations: { [reconcileAnnotations[0]]: 'now' } } },
    ready: 'True/Available',
    judged: current,
  },
  {
    state: 'what was never Ready is missing from the list, again and again',
    outcome: outcomes.missing,
    options: { status: neverSeenStatus, memory: missed },
    ready: 'False/ObservationFailed',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
  {
    state: 'polls fail of what was never Ready',
    outcome: outcomes.unseen,
    options: { status: busyStatus, memory: missed },
    ready: 'False/UpstreamError',
    reconciling: 'ProgressingWithRetry',
    judged: inProgress,
  },
];
