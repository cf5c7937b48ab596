// Everything that `why` tells about an object, as data. PURE.
import { conditionIn, isBehind, isTrue, type Observed, type ObservedStanding, standingIn } from '../observed.ts';
import { isNotRunning, type OperatorState } from '../operator-state.ts';
import { causeOf, type ExplainedCause, leaseText } from './causes.ts';
import { leavesOf, type Step } from './chain.ts';
import { describe } from './description.ts';
import type { Situation, Warning } from './situation.ts';

export interface Awaited {
  readonly kind: string;
  readonly name: string;
  /** Where it is not that of the object that is explained. */
  readonly namespace?: string;
  readonly state: string;
  readonly reason: string;
  readonly waitsFor: readonly Awaited[];
}

export interface Explanation {
  readonly kind: string;
  readonly name: string;
  /** Absent for an object of the whole cluster. */
  readonly namespace?: string;
  readonly state: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly wanted?: string;
  readonly actual?: string;
  readonly waitsFor: readonly Awaited[];
  readonly cause: ExplainedCause;
  /** Of other objects that it waits for. */
  readonly otherCauses: readonly ExplainedCause[];
  /** What is remarkable, and no obstacle. */
  readonly notes: readonly string[];
  readonly lastError?: Warning;
  readonly nextTry: string;
  /** Why all of this may be out of date. */
  readonly warning?: string;
}

const mostCauses = 4;

export function explain(situation: Situation): Explanation {
  const { root, operator, warning } = situation;
  const object = root.seen.state === 'found' ? root.seen.object : undefined;
  const causes = unique(leavesOf(root).map((leaf) => causeOf({ ...situation, leaf })));
  const [cause = causeOf({ ...situation, leaf: root }), ...others] = causes.toSorted(
    (one, other) => Number(other.needsUser) - Number(one.needsUser),
  );
  const isOld = object !== undefined && operator.state === 'stopped' && cause.cause !== 'OperatorNotRunning';
  return {
    kind: root.kind,
    name: root.name,
    ...(root.namespace !== '' && { namespace: root.namespace }),
    ...stateOf(root, object),
    ...(object ? describe(object) : {}),
    waitsFor: root.next.map((one) => awaited(one, root)),
    cause,
    otherCauses: others.slice(0, mostCauses),
    notes: object ? notesOn(object) : [],
    ...lastErrorOf(object, warning),
    nextTry: nextTry(object, operator, cause),
    ...(isOld ? { warning: `no operator is running, so this may be out of date: ${leaseText(operator)}` } : {}),
  };
}

function unique(causes: readonly ExplainedCause[]): readonly ExplainedCause[] {
  return causes.filter(({ text }, at) => causes.findIndex((other) => other.text === text) === at);
}

function stateOf({ seen }: Step, object: Observed | undefined) {
  if (object === undefined) return { state: seen.state };
  const { reason, lastTransitionTime: since } = conditionIn(object, 'Ready') ?? {};
  const state = standingIn(object);
  const { deletionTimestamp } = object.metadata;
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(deletionTimestamp ? { since: deletionTimestamp } : since === undefined ? {} : { since }),
  };
}

function awaited({ kind, name, namespace, seen, because, next }: Step, root: Step): Awaited {
  const object = seen.state === 'found' ? seen.object : undefined;
  const own = object && conditionIn(object, 'Ready')?.reason;
  return {
    kind,
    name,
    ...(namespace !== '' && namespace !== root.namespace && { namespace }),
    state: object ? standingIn(object) : seen.state,
    reason: own ?? because?.reason ?? '',
    waitsFor: next.map((one) => awaited(one, root)),
  };
}

const remarkable = ['MassChange', 'Drifted', 'TemplateOutdated'];

function notesOn(object: Observed): readonly string[] {
  // Of anything else that is suspended, it is the cause.
  const types = isTrue(object, 'Stalled') ? ['Paused', ...remarkable] : remarkable;
  return types.flatMap((type) => {
    const condition = conditionIn(object, type);
    return condition?.status === 'True' ? [`${type}: ${condition.message}`] : [];
  });
}

/** The condition, if it reports a failure; otherwise the newest warning. */
function lastErrorOf(object: Observed | undefined, warning: Warning | undefined): { readonly lastError?: Warning } {
  const ready = object && conditionIn(object, 'Ready');
  const isRetried = object && conditionIn(object, 'Reconciling')?.reason === 'ProgressingWithRetry';
  if (ready && ready.status !== 'True' && (isRetried || (object && standingIn(object) === 'stalled')))
    return { lastError: { reason: ready.reason, message: ready.message, time: ready.lastTransitionTime } };
  return warning === undefined ? {} : { lastError: pick(warning) };
}

function pick({ reason, message, time }: Warning): Warning {
  return { reason, message, time };
}

const ofHeld: Readonly<Partial<Record<ObservedStanding, string>>> = {
  suspended: 'when it is no longer suspended',
  unapproved: 'when its plan is approved',
  expired: 'none, until it is deleted or its spec.lifecycle is changed',
};

function nextTry(object: Observed | undefined, operator: OperatorState, { cause, needsUser }: ExplainedCause): string {
  if (object === undefined) return 'none';
  if (operator.state === 'stopped' || (isNotRunning(operator) && isBehind(object)))
    return 'when an operator runs again';
  const standing = standingIn(object);
  if (conditionIn(object, 'Complete') ?? conditionIn(object, 'Failed')) return 'none: the run is over';
  const next = object.status?.['nextScheduleTime'];
  if (standing === 'ready')
    return typeof next === 'string' ? `the next run at ${next}` : 'the operator polls the service';
  const held = ofHeld[standing];
  if (held !== undefined) return held;
  if (cause === 'NamespaceNotWatched') return 'when the operator watches the namespace';
  if (cause === 'SharedConnectionsOff') return 'when the operator watches all namespaces';
  if (standing === 'stalled')
    return isTrue(object, 'Paused')
      ? 'at once after a change of the spec, but nothing is written to the service while it is suspended'
      : 'at once after a change of the spec, and otherwise about every 10 minutes';
  if (conditionIn(object, 'Reconciling')?.reason === 'ProgressingWithRetry')
    return 'by itself, after a delay that grows to a minute, or as long as the service asks for';
  return needsUser ? 'by itself, as soon as the cause is removed' : 'by itself, whenever something changes';
}
