// The states that users see: what a pass came to, what the status says of it, and how others judge that.
import { reconcileAnnotations } from '../../../../src/operator/api/shared-api.ts';
import { claimOf, conditionsAs, ledgerOf, monotonic, wall } from '../support.ts';
import {
  busyStatus,
  type ConcludedOptions,
  lostStatus,
  neverSeenStatus,
  type outcomes,
  overdueStatus,
  readyStatus,
  refusedStatus,
  stalledStatus,
} from './concluding.ts';

type Judged = readonly [met: boolean, kstatus: string, argo: string];

/** What Reconciling and Stalled say, and how others judge it. */
export const standings = {
  done: { reconciling: undefined, isStalled: false, judged: [true, 'Current', 'Healthy'] },
  progressing: { reconciling: 'Progressing', isStalled: false, judged: [false, 'InProgress', 'Progressing'] },
  retrying: { reconciling: 'ProgressingWithRetry', isStalled: false, judged: [false, 'InProgress', 'Progressing'] },
  stalled: { reconciling: undefined, isStalled: true, judged: [false, 'Failed', 'Degraded'] },
} as const satisfies Readonly<
  Record<string, { readonly reconciling: string | undefined; readonly isStalled: boolean; readonly judged: Judged }>
>;

/** Whatever is being deleted. */
export const terminating: Judged = [false, 'Terminating', 'Progressing'];

/** Where it is stalled, Stalled has the reason of Ready. */
export type Row = readonly [
  state: string,
  outcome: keyof typeof outcomes,
  ready: `${'True' | 'False' | 'Unknown'}/${string}`,
  standing: keyof typeof standings,
  options?: ConcludedOptions,
];

const minutes = 60_000;
const long = { status: overdueStatus };
const missed = { missedPolls: { count: 3, since: monotonic - 5 * minutes } };

export const rows: readonly Row[] = [
  ['waiting for a dependency', 'dependency', 'False/DependencyNotReady', 'progressing'],
  ['waiting for credentials', 'credentials', 'False/CredentialsMissing', 'progressing'],
  ['created', 'progressed', 'False/Provisioning', 'progressing'],
  ['creating', 'busy', 'False/Provisioning', 'progressing'],
  ['scaling what was Ready for hours', 'scaling', 'False/Scaling', 'progressing', { status: readyStatus }],
  ['drift being put right', 'correcting', 'False/CorrectingDrift', 'progressing', { status: readyStatus }],
  ['drift that cannot be put right', 'notFixable', 'False/DriftNotFixable', 'stalled', { status: readyStatus }],
  ['up to date and Active', 'settled', 'True/Available', 'done', { status: busyStatus }],
  [
    'a fault while a change of ours is outstanding',
    'upstream',
    'False/UpstreamError',
    'retrying',
    { status: busyStatus },
  ],
  ['the same on what was Ready for hours', 'upstream', 'False/UpstreamError', 'retrying', { status: readyStatus }],
  ['a refusal that may pass', 'rejected', 'False/ExternalRejected', 'retrying'],
  ['a bad spec', 'invalid', 'False/InvalidSpec', 'stalled'],
  ['a bad spec of what was Ready', 'invalid', 'False/InvalidSpec', 'stalled', { status: readyStatus }],
  ['an object of somebody else', 'conflictName', 'False/DuplicateClaim', 'stalled'],
  ['the service says Error', 'error', 'False/ExternalError', 'stalled'],
  ['the deadline has passed while waiting', 'dependency', 'False/ProgressDeadlineExceeded', 'stalled', long],
  ['the deadline has passed while retrying', 'upstream', 'False/ProgressDeadlineExceeded', 'stalled', long],
  [
    'one missed poll of a Ready object',
    'unseen',
    'True/Available',
    'done',
    { status: readyStatus, memory: { missedPolls: { count: 1, since: monotonic } } },
  ],
  [
    'three missed polls within five minutes',
    'unseen',
    'True/Available',
    'done',
    { status: readyStatus, memory: { missedPolls: { count: 3, since: monotonic - 5 * minutes + 1 } } },
  ],
  [
    'two missed polls in five minutes',
    'unseen',
    'True/Available',
    'done',
    { status: readyStatus, memory: { missedPolls: { count: 2, since: monotonic - 5 * minutes } } },
  ],
  [
    'polls fail past the grace limit',
    'unseen',
    'Unknown/ObservationFailed',
    'retrying',
    { status: readyStatus, memory: missed },
  ],
  [
    'and go on failing, also after a restart',
    'unseen',
    'Unknown/ObservationFailed',
    'retrying',
    { status: lostStatus, memory: { missedPolls: { count: 1, since: monotonic } } },
  ],
  ['the service refuses the spec', 'refusedSpec', 'False/ExternalRejected', 'retrying', { status: busyStatus }],
  ['the service refuses the spec again', 'refusedSpec', 'False/ExternalRejected', 'stalled', { status: refusedStatus }],
  [
    'what the refusals left is cleared away',
    'rejected',
    'False/ExternalRejected',
    'stalled',
    { status: stalledStatus },
  ],
  [
    'the spec that was refused was edited, and is refused',
    'refusedSpec',
    'False/ExternalRejected',
    'retrying',
    { status: stalledStatus, metadata: { generation: 2 } },
  ],
  [
    'a fault that may pass, again and again',
    'upstream',
    'False/UpstreamError',
    'retrying',
    {
      status: { ...refusedStatus, conditions: conditionsAs(1, wall - minutes, [['Ready', 'False', 'UpstreamError']]) },
    },
  ],
  ['missing from one list', 'missing', 'True/Available', 'done', { status: readyStatus }],
  [
    'missing from the list that somebody asked for',
    'missing',
    'Unknown/ObservationFailed',
    'retrying',
    { status: readyStatus, metadata: { annotations: { [reconcileAnnotations[0]]: 'now' } } },
  ],
  [
    'a poll that somebody asked for fails',
    'unseen',
    'True/Available',
    'done',
    { status: readyStatus, metadata: { annotations: { [reconcileAnnotations[0]]: 'now' } } },
  ],
  [
    'what was never Ready is missing from the list, again and again',
    'missing',
    'False/ObservationFailed',
    'retrying',
    { status: neverSeenStatus, memory: missed },
  ],
  [
    'polls fail of what was never Ready',
    'unseen',
    'False/UpstreamError',
    'retrying',
    { status: busyStatus, memory: missed },
  ],
];

const deleting = { deleting: true, ledger: ledgerOf([claimOf({ id: 'id-1' })]), status: busyStatus };
const lateDelete = {
  ...deleting,
  status: overdueStatus,
  metadata: { deletionTimestamp: new Date(wall - 61 * minutes).toISOString() },
};

export const deletions: readonly Row[] = [
  ['deleting', 'deleting', 'False/Deleting', 'progressing', deleting],
  ['deleting, held for credentials', 'credentials', 'False/CredentialsMissing', 'progressing', deleting],
  [
    'deleting what was not ready for hours',
    'deleting',
    'False/Deleting',
    'progressing',
    { ...deleting, status: overdueStatus },
  ],
  [
    'deleting, and the service cannot be seen',
    'unseen',
    'False/UpstreamError',
    'retrying',
    { ...deleting, status: readyStatus },
  ],
  ['deleting, refused', 'deleteFailing', 'False/ExternalDeleteFailing', 'retrying', deleting],
  ['deleting, blocked past the deadline', 'deleting', 'False/ExternalDeleteFailing', 'stalled', lateDelete],
  [
    'deleting, held for credentials past the deadline',
    'credentials',
    'False/CredentialsMissing',
    'stalled',
    lateDelete,
  ],
  [
    'deleting, held for its Connection past the deadline',
    'dependency',
    'False/DependencyNotReady',
    'stalled',
    lateDelete,
  ],
];
