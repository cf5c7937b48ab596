// Which of the possible causes it is: one table, whose first row that holds decides. PURE.

import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { conditionIn, connectionOf, isBehind, isTrue, type Observed, standingIn, wantedSince } from '../observed.ts';
import type { OperatorState } from '../operator-state.ts';
import { ago, duration } from '../output/page.ts';
import { type Case, inPlace, type Row } from './cause-row.ts';
import { type Step, untilGone } from './chain.ts';
import { flagFor, type RemedyTarget, remediesFor } from './remedies.ts';
import { ofReading } from './unread-causes.ts';

export interface ExplainedCause {
  readonly cause: string;
  readonly text: string;
  /** What the user can do, each with the command where there is one. */
  readonly todo: readonly string[];
  /** Somebody has to do something: time alone does not help. */
  readonly needsUser: boolean;
}

/** A new spec takes the operator a moment, and longer behind many others. */
const patienceMs = 30_000;

const ofOperator: readonly Row[] = [
  {
    cause: 'OperatorNotRunning',
    holds: (of) => behind(of) !== undefined && (of.operator.state === 'stopped' || isAwaitedLong(of, 'absent')),
    text: ({ operator }) => `no operator is running: ${leaseText(operator)}`,
    todo: ({ operator: { namespace } }) => [
      `look at it: kubectl -n ${namespace} get deployment,pods -l app.kubernetes.io/name=dataprocessing-operator`,
      'if it runs in another namespace, name that: --operator-namespace',
    ],
    needsUser: true,
  },
  {
    cause: 'SharedConnectionsOff',
    holds: (of) => behind(of) !== undefined && of.leaf.kind === sharedConnectionKind && watchesSome(of.operator),
    text: ({ operator }) =>
      `the operator reads no SharedConnections, because it watches only some namespaces: ${operator.watched?.join(', ')}`,
    todo: ({ operator }) => [
      `use a Connection in each namespace, or let the operator watch all namespaces: remove --namespaces (DATAPROCESSING_NAMESPACES) of Deployment dataprocessing-operator in namespace ${operator.namespace}, and give it its ClusterRole`,
    ],
    needsUser: true,
  },
  {
    cause: 'NamespaceNotWatched',
    holds: (of) => behind(of) !== undefined && isUnwatched(of),
    text: ({ leaf, operator }) =>
      `the operator does not watch namespace ${leaf.namespace}: it watches only ${operator.watched?.join(', ')}`,
    todo: ({ operator }) => [
      `add the namespace to --namespaces (DATAPROCESSING_NAMESPACES) of Deployment dataprocessing-operator in namespace ${operator.namespace}, and give the operator its permissions there`,
    ],
    needsUser: true,
  },
  {
    cause: 'NotReconciled',
    holds: (of) => isAwaitedLong(of, 'running') || isAwaitedLong(of, 'unknown'),
    text: ({ operator, ...of }) =>
      `the operator has not reported anything about the current spec for ${duration(operator.now - wantedSince(behind({ operator, ...of }) as Observed))}: ${leaseText(operator)}`,
    todo: ({ operator, leaf }) => [
      `check that it watches ${leaf.namespace === '' ? 'all namespaces' : `namespace ${leaf.namespace}`} (--namespaces), and read its log: kubectl -n ${operator.namespace} logs deployment/dataprocessing-operator`,
    ],
    needsUser: true,
  },
  {
    cause: 'Pending',
    holds: (of) => behind(of) !== undefined,
    text: () => 'the operator has not looked at the current spec yet',
    todo: () => ['wait a moment'],
    needsUser: false,
  },
];

const ofObject: readonly Row[] = [
  {
    cause: 'StillInUse',
    holds: ({ leaf }) => untilGone.includes(leaf.because?.reason ?? '') && leaf.because?.message !== '',
    text: ({ leaf }) => leaf.because?.message ?? '',
    todo: (of) => remediesFor(of.leaf.because?.reason ?? '', targetOf(of)),
    needsUser: ({ leaf }) => leaf.because?.reason !== 'MayStillAppear',
  },
  {
    cause: 'DependencyNotReady',
    holds: ({ leaf }) => leaf.seen.state !== 'found',
    text: ({ leaf }) => leaf.because?.message ?? `${leaf.kind} ${leaf.name} is in the way`,
    todo: ({ leaf }) =>
      leaf.seen.state === 'beyond'
        ? [`follow it from there: kubectl dataprocessing why ${leaf.kind.toLowerCase()}/${leaf.name}${flagFor(leaf)}`]
        : [`correct ${leaf.kind} ${leaf.name}${inPlace(leaf)}: the operator continues by itself`],
    needsUser: true,
  },
  {
    cause: 'ReadyByNow',
    holds: ({ leaf }) => leaf.because !== undefined && standingOf(leaf) === 'ready',
    text: ({ leaf }) => `${leaf.kind} ${leaf.name} is ready by now`,
    todo: () => ['wait a moment: the operator continues by itself'],
    needsUser: false,
  },
];

/** What the status of the object itself reports, in the words of the operator. */
const ofStatus: Row = {
  cause: 'Ready',
  holds: () => true,
  text: ({ leaf, root }) => {
    const { message } = reported(leaf) ?? { message: 'nothing is reported' };
    return leaf === root ? message : `${leaf.kind} ${leaf.name}: ${message}`;
  },
  todo: (of) => {
    const reasons = [reported(of.leaf)?.reason ?? '', ...(isPausedToo(of.leaf) ? ['Suspended'] : [])];
    return reasons.flatMap((reason) => remediesFor(reason, targetOf(of)));
  },
  needsUser: isTrouble,
};

const rows: readonly Row[] = [...ofReading, ...ofOperator, ...ofObject, ofStatus];

export function causeOf(of: Case): ExplainedCause {
  const row = rows.find(({ holds }) => holds(of)) ?? ofStatus;
  const { needsUser } = row;
  return {
    cause: row === ofStatus ? (reported(of.leaf)?.reason ?? 'Pending') : row.cause,
    text: row.text(of),
    todo: row.todo(of),
    needsUser: typeof needsUser === 'boolean' ? needsUser : needsUser(of),
  };
}

function targetOf({ leaf, root, namespace: used }: Case): RemedyTarget {
  const { kind, name, namespace } = leaf;
  const object = objectIn(leaf);
  const connection = object && connectionOf(object);
  const [id, secrets] = [object?.status?.['id'], object?.spec?.['credentialsNamespace']];
  const message = reported(leaf)?.message;
  return {
    kind,
    name,
    namespace,
    ...(typeof id === 'string' && { id }),
    ...(typeof secrets === 'string' && { secretsNamespace: secrets }),
    ...(connection && { connection }),
    ...(leaf !== root && { usedIn: used }),
    ...(message !== undefined && { message }),
  };
}

function objectIn({ seen }: Step): Observed | undefined {
  return seen.state === 'found' ? seen.object : undefined;
}

function standingOf(step: Step): string | undefined {
  const object = objectIn(step);
  return object && standingIn(object);
}

/** Stalled, without an approval, or retried without anything of which time alone makes a success. */
function isTrouble({ leaf, root }: Case): boolean {
  const object = objectIn(leaf);
  const standing = standingOf(leaf);
  // What has expired is as it was meant to be, but who waits for it waits forever.
  if (standing === 'unapproved' || (standing === 'expired' && leaf !== root)) return true;
  const { reason = '' } = reported(leaf) ?? {};
  const isRetried = object && conditionIn(object, 'Reconciling')?.reason === 'ProgressingWithRetry';
  const isMissing = reason === 'CredentialsMissing';
  return standing === 'stalled' || isMissing || (isRetried === true && reason !== 'Throttled');
}

/** Paused has the better explanation where it applies, but not of what is stalled: to go on alone does not help then. */
function reported(step: Step) {
  const object = objectIn(step);
  if (object === undefined) return undefined;
  const isHeld = isTrue(object, 'Paused') && !isTrue(object, 'Stalled');
  return conditionIn(object, isHeld ? 'Paused' : 'Ready');
}

/** It is stalled, and while it is suspended, nothing is written to the service for the remedy either. */
function isPausedToo(step: Step): boolean {
  const object = objectIn(step);
  return object !== undefined && isTrue(object, 'Paused') && isTrue(object, 'Stalled');
}

/** The object of the leaf, if the operator has not reported anything about its current spec. */
function behind({ leaf }: Case): Observed | undefined {
  const object = objectIn(leaf);
  return object && isBehind(object) ? object : undefined;
}

/** It has the flag --namespaces. */
function watchesSome({ watched }: OperatorState): boolean {
  return watched !== undefined && watched.length > 0;
}

function isUnwatched({ operator, leaf: { namespace } }: Case): boolean {
  return namespace !== '' && watchesSome(operator) && operator.watched?.includes(namespace) === false;
}

function isAwaitedLong(of: Case, state: OperatorState['state']): boolean {
  const object = behind(of);
  if (object === undefined || of.operator.state !== state) return false;
  return of.operator.now - wantedSince(object) > patienceMs;
}

/** For the end of a sentence. */
export function leaseText({ state, namespace, holder, renewedAt, now }: OperatorState): string {
  const lease = `Lease dataprocessing-operator in namespace ${namespace}`;
  if (state === 'absent') return `there is no ${lease}`;
  if (state === 'unknown') return `you may not read ${lease}, so it is not known whether one is running`;
  const renewed = ago(renewedAt, now) ?? 'never';
  if (state === 'stopped' && holder === '') return `${lease} was released ${renewed}, and nobody has taken it`;
  return `${holder} renewed ${lease} ${renewed}`;
}
