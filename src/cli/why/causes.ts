// Which of the possible causes it is: one table, whose first row that holds decides. PURE.

import { didYouMean } from '../../lib/similar.ts';
import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { conditionIn, isBehind, isTrue, type Observed, standingIn, wantedSince } from '../observed.ts';
import type { OperatorState } from '../operator-state.ts';
import { ago, duration } from '../output/page.ts';
import { type Step, untilGone } from './chain.ts';
import { type RemedyTarget, remediesFor } from './remedies.ts';
import type { Situation } from './situation.ts';

export interface ExplainedCause {
  readonly cause: string;
  readonly text: string;
  /** What the user can do, each with the command where there is one. */
  readonly todo: readonly string[];
  /** Somebody has to do something: time alone does not help. */
  readonly needsUser: boolean;
}

/** `leaf`: the end of the chain that is explained. */
export type Case = Situation & { readonly leaf: Step };

interface Row {
  readonly cause: string;
  readonly holds: (of: Case) => boolean;
  readonly text: (of: Case) => string;
  readonly todo: (of: Case) => readonly string[];
  readonly needsUser: boolean | ((of: Case) => boolean);
}

/** A new spec takes the operator a moment, and longer behind many others. */
const patienceMs = 30_000;

const ofReading: readonly Row[] = [
  {
    cause: 'KindNotServed',
    holds: ({ leaf }) => leaf.seen.state === 'kindAbsent',
    text: ({ leaf }) => `the API server does not serve the kind ${leaf.kind}`,
    todo: () => ['install the CRDs of this version: kubectl apply --server-side -k crds'],
    needsUser: true,
  },
  {
    // Users of a SharedConnection seldom may read it.
    cause: 'NotReadable',
    holds: ({ leaf }) => leaf.seen.state === 'forbidden' && leaf.kind === sharedConnectionKind,
    text: ({ leaf }) => `${leaf.because?.message ?? ''} (you may not read ${leaf.kind} ${leaf.name})`,
    todo: () => ['ask the administrator of the cluster, who shares this connection'],
    needsUser: true,
  },
  {
    cause: 'NotReadable',
    holds: ({ leaf }) => leaf.seen.state === 'forbidden',
    text: ({ leaf, namespace }) =>
      `you may not read ${leaf.kind} ${leaf.name} in namespace ${namespace}${leaf.because ? `. Its user reports: ${leaf.because.message}` : ''}`,
    todo: ({ leaf, namespace }) => [
      `ask for the verb "get" on ${leaf.kind.toLowerCase()}.dataprocessing.dev in namespace ${namespace}, as the role dataprocessing-operator-view has it`,
    ],
    needsUser: true,
  },
  {
    cause: 'ReadFailed',
    holds: ({ leaf }) => leaf.seen.state === 'failed',
    text: ({ leaf }) => (leaf.seen.state === 'failed' ? leaf.seen.why : ''),
    todo: () => ['check that the API server can be reached, and try again'],
    needsUser: true,
  },
  {
    cause: 'BlockerGone',
    holds: ({ leaf }) => leaf.seen.state === 'missing' && untilGone.includes(leaf.because?.reason ?? ''),
    text: ({ leaf }) => `${leaf.kind} ${leaf.name}, which was in the way, is gone by now`,
    todo: () => ['wait a moment: the operator continues by itself'],
    needsUser: false,
  },
  {
    cause: 'NotFound',
    holds: ({ leaf }) => leaf.seen.state === 'missing',
    text: ({ leaf, namespace, neighbours }) =>
      `${leaf.kind} ${leaf.name} does not exist in namespace ${namespace}${didYouMean(leaf.name, neighbours)}`,
    todo: ({ leaf, namespace }) =>
      leaf.because === undefined
        ? [`look for it: kubectl get ${leaf.kind.toLowerCase()}.dataprocessing.dev -A`]
        : [`create ${leaf.kind} ${leaf.name} in namespace ${namespace}. Its user reports: ${leaf.because.message}`],
    needsUser: true,
  },
];

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
    cause: 'NamespaceNotWatched',
    holds: (of) => behind(of) !== undefined && isUnwatched(of),
    text: ({ namespace, operator }) =>
      `the operator does not watch namespace ${namespace}: it watches only ${operator.watched?.join(', ')}`,
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
    todo: ({ operator, namespace }) => [
      `check that it watches namespace ${namespace} (--namespaces), and read its log: kubectl -n ${operator.namespace} logs deployment/dataprocessing-operator`,
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
    todo: ({ leaf, namespace }) => remediesFor(leaf.because?.reason ?? '', targetOf(leaf, namespace)),
    needsUser: ({ leaf }) => leaf.because?.reason !== 'MayStillAppear',
  },
  {
    cause: 'DependencyNotReady',
    holds: ({ leaf }) => leaf.seen.state !== 'found',
    text: ({ leaf }) => leaf.because?.message ?? `${leaf.kind} ${leaf.name} is in the way`,
    todo: ({ leaf, namespace }) =>
      leaf.seen.state === 'beyond'
        ? [`follow it from there: kubectl dataprocessing why ${leaf.kind.toLowerCase()}/${leaf.name} -n ${namespace}`]
        : [`correct ${leaf.kind} ${leaf.name} in namespace ${namespace}: the operator continues by itself`],
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
  todo: ({ leaf, namespace }) => remediesFor(reported(leaf)?.reason ?? '', targetOf(leaf, namespace)),
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

function targetOf(leaf: Step, namespace: string): RemedyTarget {
  const id = objectIn(leaf)?.status?.['id'];
  return { kind: leaf.kind, name: leaf.name, namespace, id: typeof id === 'string' ? id : undefined };
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

/** Paused has the better explanation where it applies. */
function reported(step: Step) {
  const object = objectIn(step);
  if (object === undefined) return undefined;
  return isTrue(object, 'Paused') ? conditionIn(object, 'Paused') : conditionIn(object, 'Ready');
}

/** The object of the leaf, if the operator has not reported anything about its current spec. */
function behind({ leaf }: Case): Observed | undefined {
  const object = objectIn(leaf);
  return object && isBehind(object) ? object : undefined;
}

function isUnwatched({ operator: { watched }, namespace }: Case): boolean {
  return watched !== undefined && watched.length > 0 && !watched.includes(namespace);
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
