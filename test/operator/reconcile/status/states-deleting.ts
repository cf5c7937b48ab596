// The states of a resource that is being deleted.

import { claimOf, ledgerOf, wall } from '../support.ts';
import { busyStatus, outcomes, overdueStatus, readyStatus } from './concluding.ts';
import type { Row } from './states.ts';

const minutes = 60_000;
const deleting = { deleting: true, ledger: ledgerOf([claimOf({ id: 'id-1' })]), status: busyStatus };
const lateDelete = {
  ...deleting,
  status: overdueStatus,
  metadata: { deletionTimestamp: new Date(wall - 61 * minutes).toISOString() },
};
const terminating = [false, 'Terminating', 'Progressing'] as const;

export const deletions: readonly Row[] = [
  {
    state: 'deleting',
    outcome: outcomes.deleting,
    options: deleting,
    ready: 'False/Deleting',
    reconciling: 'Progressing',
    judged: terminating,
  },
  {
    state: 'deleting, held for credentials',
    outcome: outcomes.credentials,
    options: deleting,
    ready: 'False/CredentialsMissing',
    reconciling: 'Progressing',
    judged: terminating,
  },
  {
    state: 'deleting what was not ready for hours',
    outcome: outcomes.deleting,
    options: { ...deleting, status: overdueStatus },
    ready: 'False/Deleting',
    reconciling: 'Progressing',
    judged: terminating,
  },
  {
    state: 'deleting, and the service cannot be seen',
    outcome: outcomes.unseen,
    options: { ...deleting, status: readyStatus },
    ready: 'False/UpstreamError',
    reconciling: 'ProgressingWithRetry',
    judged: terminating,
  },
  {
    state: 'deleting, refused',
    outcome: outcomes.deleteFailing,
    options: deleting,
    ready: 'False/ExternalDeleteFailing',
    reconciling: 'ProgressingWithRetry',
    judged: terminating,
  },
  {
    state: 'deleting, blocked past the deadline',
    outcome: outcomes.deleting,
    options: lateDelete,
    ready: 'False/ExternalDeleteFailing',
    stalled: 'ExternalDeleteFailing',
    judged: terminating,
  },
  {
    state: 'deleting, held for credentials past the deadline',
    outcome: outcomes.credentials,
    options: lateDelete,
    ready: 'False/CredentialsMissing',
    stalled: 'CredentialsMissing',
    judged: terminating,
  },
  {
    state: 'deleting, held for its Connection past the deadline',
    outcome: outcomes.dependency,
    options: lateDelete,
    ready: 'False/DependencyNotReady',
    stalled: 'DependencyNotReady',
    judged: terminating,
  },
];
