// The contract with kubectl, Flux and Argo CD as a table: each state a resource can be in, and what each reader makes of it.
import type { RawResource } from '../../src/operator/api/definition.ts';
import { statusOf } from '../operator/kinds/support/invariants.ts';
import { argoHealth, type Health } from './readers/argo.ts';
import { type KStatus, kstatus } from './readers/kstatus.ts';
import { kubectlWait, type Wait } from './readers/kubectl-wait.ts';

export interface Cells {
  /** `status/reason` of each condition by its type; every one that there is. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly wait: Wait;
  /** Of `kubectl wait --for=condition=Stalled`. */
  readonly waitStalled: Wait;
  readonly kstatus: KStatus;
  readonly argo: Health;
}

export interface Row extends Omit<Cells, 'conditions' | 'waitStalled'> {
  readonly state: string;
  /** Reasons that Ready may have, one a line of `conditions`; the other conditions may tell it with the word `same`. */
  readonly reasons: readonly string[];
  /** The status is of the generation before. */
  readonly outdated?: true;
  readonly conditions: Readonly<Record<string, string>>;
}

const working = { wait: 'waits', kstatus: 'InProgress', argo: 'Progressing' } as const;
const failing = { wait: 'waits', kstatus: 'Failed', argo: 'Degraded' } as const;
const leaving = { wait: 'waits', kstatus: 'Terminating', argo: 'Progressing' } as const;
const done = { wait: 'met', kstatus: 'Current', argo: 'Healthy' } as const;

const unready = { Ready: 'False/same', Synced: 'False/OutOfSync' } as const;
const progressing = { ...unready, Reconciling: 'True/Progressing' } as const;
const retrying = { ...unready, Reconciling: 'True/ProgressingWithRetry' } as const;
const stalled = { ...unready, Stalled: 'True/same' } as const;
const available = { Ready: 'True/Available', Synced: 'True/UpToDate' } as const;

const waiting = ['DependencyNotReady', 'WaitingForCluster', 'CredentialsMissing'];
const upstream = ['UpstreamError', 'Unauthorized', 'Throttled'];
const refusals = [
  'InvalidSpec',
  'ConnectionNotAllowed',
  'QuotaExceeded',
  'OwnershipUnconfirmed',
  'ExternalDeleted',
  'ScaleHasNoEffect',
  'UpdateHasNoEffect',
];
const held = ['ExternalDeleteFailing', 'DependencyNotReady', 'CredentialsMissing'];

/** Each is reached by a scene. */
export const rows = {
  newborn: {
    state: 'just created, controller down',
    reasons: ['Pending'],
    conditions: { Ready: 'Unknown/Pending' },
    outdated: true,
    ...working,
  },
  edited: {
    state: 'edited when it was Ready, controller down',
    reasons: ['Available'],
    conditions: available,
    outdated: true,
    ...working,
  },
  dependent: {
    state: 'waiting for a dependency',
    reasons: waiting,
    conditions: { ...progressing, DependenciesReady: 'False/DependencyNotReady' },
    ...working,
  },
  creating: { state: 'creating', reasons: ['Provisioning'], conditions: progressing, ...working },
  scaling: { state: 'scaling', reasons: ['Scaling'], conditions: progressing, ...working },
  ready: { state: 'up to date and Active', reasons: ['Available'], conditions: available, ...done },
  retrying: { state: '5xx, timeout or 401 being retried', reasons: upstream, conditions: retrying, ...working },
  refused: {
    state: 'bad spec, immutable change, not provably ours',
    reasons: refusals,
    conditions: stalled,
    ...failing,
  },
  conflicting: { state: 'name conflict', reasons: ['NameConflict'], conditions: stalled, ...failing },
  overdue: {
    state: 'progress deadline passed',
    reasons: ['ProgressDeadlineExceeded'],
    conditions: stalled,
    ...failing,
  },
  broken: { state: 'external status Error', reasons: ['ExternalError'], conditions: stalled, ...failing },
  correcting: {
    state: 'drift being corrected',
    reasons: ['CorrectingDrift'],
    conditions: { ...progressing, Drifted: 'True/Drifted' },
    ...working,
  },
  unfixable: {
    state: 'drift that the service cannot correct',
    reasons: ['DriftNotFixable'],
    conditions: { ...stalled, Drifted: 'True/Drifted' },
    ...failing,
  },
  underWay: {
    state: 'a run queued or in progress',
    reasons: ['Queued', 'Running', 'Cancelling', 'Retrying'],
    conditions: progressing,
    ...working,
  },
  suspended: {
    state: 'a run suspended',
    reasons: ['Suspended'],
    conditions: progressing,
    ...working,
    argo: 'Suspended',
  },
  dormant: {
    state: 'a schedule suspended',
    reasons: ['Suspended'],
    conditions: { Ready: 'True/Suspended', Synced: 'True/UpToDate' },
    ...done,
    argo: 'Suspended',
  },
  paused: {
    state: 'suspended when it was as wanted',
    reasons: ['Available'],
    conditions: { ...available, Paused: 'True/Suspended' },
    ...done,
    argo: 'Suspended',
  },
  pending: {
    state: 'suspended before it was as wanted',
    reasons: ['Suspended'],
    conditions: { Ready: 'Unknown/same', Synced: 'False/OutOfSync', Paused: 'True/Suspended' },
    ...working,
    argo: 'Suspended',
  },
  planned: {
    state: 'plan waiting for approval',
    reasons: ['PlanPending'],
    conditions: unready,
    ...working,
    argo: 'Suspended',
  },
  observed: {
    state: 'drift found, policy Observe',
    reasons: ['Available'],
    conditions: { ...available, Drifted: 'True/Drifted' },
    ...done,
  },
  absent: {
    state: 'the object that it is to stand for is not there',
    reasons: ['ExternalNotFound'],
    conditions: progressing,
    ...working,
  },
  mismatched: {
    state: 'the object that it is to adopt is another one',
    reasons: ['AdoptionMismatch'],
    conditions: { ...stalled, Drifted: 'True/Drifted' },
    ...failing,
  },
  succeeded: {
    state: 'a run succeeded',
    reasons: ['Succeeded'],
    conditions: { Ready: 'True/Succeeded', Synced: 'True/UpToDate', Complete: 'True/Succeeded' },
    ...done,
  },
  unsuccessful: {
    state: 'a run failed, was cancelled or took too long',
    reasons: ['Failed', 'OOMKilled', 'Evicted', 'Signal', 'Cancelled', 'DeadlineExceeded'],
    conditions: { ...stalled, Failed: 'True/same' },
    ...failing,
  },
  unknown: { state: 'a run of unknown outcome', reasons: ['OutcomeUnknown'], conditions: stalled, ...failing },
  expiring: {
    state: 'up to date, and a deadline of its lifecycle is near',
    reasons: ['Available'],
    conditions: { ...available, Expiring: 'True/EndTime' },
    ...done,
  },
  expired: {
    state: 'expired, and kept without its cluster',
    reasons: ['Expired'],
    conditions: { Ready: 'False/Expired', Synced: 'True/UpToDate', Expired: 'True/EndTime' },
    ...working,
    argo: 'Suspended',
  },
  deleting: { state: 'deleting', reasons: ['Deleting'], conditions: progressing, ...leaving },
  refusing: {
    state: 'deleting, refused by the service for now',
    reasons: ['ExternalDeleteFailing'],
    conditions: retrying,
    ...leaving,
  },
  held: { state: 'deleting, blocked past the deadline', reasons: held, conditions: stalled, ...leaving },
  unobserved: {
    state: 'polls fail past the grace limit',
    reasons: ['ObservationFailed'],
    conditions: {
      Ready: 'Unknown/same',
      Synced: 'Unknown/ObservationFailed',
      Reconciling: 'True/ProgressingWithRetry',
    },
    ...working,
  },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof rows;
export const rowNames = Object.keys(rows) as readonly RowName[];

/** What is there to be seen, by the rule of each reader. */
export function cellsOf(resource: RawResource): Cells {
  const conditions = statusOf(resource).conditions ?? [];
  return {
    conditions: Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`])),
    wait: kubectlWait(resource, 'Ready'),
    waitStalled: kubectlWait(resource, 'Stalled'),
    kstatus: kstatus(resource),
    argo: argoHealth(resource).status,
  };
}

/** The cells of a row, for the reason that Ready has. */
export function expectedCells(row: Row, reason: string): Cells {
  const conditions = Object.entries(row.conditions).map(([type, word]) => [type, word.replace('/same', `/${reason}`)]);
  return {
    conditions: Object.fromEntries(conditions),
    wait: row.wait,
    waitStalled: row.conditions['Stalled'] !== undefined && row.outdated === undefined ? 'met' : 'waits',
    kstatus: row.kstatus,
    argo: row.argo,
  };
}

/** Whether the resource is in the state of the row, by nothing but Ready's reason, the two generations, and whether it is stalled. */
export function isIn(row: Row, resource: RawResource): boolean {
  const { conditions = [], observedGeneration = -1 } = statusOf(resource);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const current = observedGeneration === resource.metadata.generation;
  const needsHelp = conditions.some(({ type }) => type === 'Stalled');
  return (
    ready !== undefined &&
    row.reasons.includes(ready.reason) &&
    current === (row.outdated === undefined) &&
    needsHelp === (row.conditions['Stalled'] !== undefined)
  );
}
