// From an outcome to conditions, with stable transition times, as kubectl, Flux and Argo CD read them.
import { cutText } from '../../../wire/errors/shapes.ts';
import type { Condition, ConditionType, Reason } from '../../api/shared-api.ts';
import type { RunEnd } from '../outcome.ts';

/** A condition before it has a time. */
interface Draft {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/**
 * What the conditions say. progressing: work goes on, or something is awaited. retrying: a failure that may pass. stalled: only the
 * user can help. unobserved: it was Ready, and can no longer be observed. suspended, planned: what the user wants is not done, or not
 * before its approval.
 */
export type Standing =
  | {
      readonly state: 'progressing' | 'retrying' | 'stalled';
      readonly reason: Reason;
      readonly message: string;
      /** What blocks it, where `reason` reports that it has done so for too long. */
      readonly obstacle?: Reason;
    }
  /** `reason`: where it is not that the object is available. `synced`: for what has no object in the service. */
  | {
      readonly state: 'ready';
      readonly reason?: 'Succeeded' | 'Suspended';
      readonly message: string;
      readonly synced?: string;
    }
  /** It went by itself, and is not wanted any more. */
  | { readonly state: 'expired'; readonly message: string }
  | { readonly state: 'unobserved'; readonly message: string }
  | { readonly state: 'suspended'; readonly message: string }
  | { readonly state: 'planned'; readonly message: string };

type Unready = Extract<Standing, { readonly reason: Reason }>;

/** `kubectl describe` prints all conditions: the message is in Ready, and in Stalled, which readers of kstatus show. */
const seeReady = 'see the condition Ready';

/** Longer messages are cut: the status must stay writable. */
const messageLimit = 2_000;

function drafts(standing: Standing): readonly Draft[] {
  const { message } = standing;
  switch (standing.state) {
    case 'ready':
      return [
        ready('True', standing.reason ?? 'Available', message),
        synced('True', 'UpToDate', standing.synced ?? 'the service has what the spec asks for'),
      ];
    case 'progressing':
      return [...unready(standing), reconciling('Progressing'), ...dependencies(standing)];
    case 'retrying':
      return [...unready(standing), reconciling('ProgressingWithRetry'), ...dependencies(standing)];
    case 'stalled':
      return [
        ...unready(standing),
        { type: 'Stalled', status: 'True', reason: standing.reason, message },
        ...dependencies(standing),
      ];
    case 'suspended':
      return [ready('Unknown', 'Suspended', message), synced('False', 'OutOfSync', seeReady)];
    case 'planned':
      return [ready('False', 'PlanPending', message), synced('False', 'OutOfSync', seeReady)];
    case 'expired':
      return [
        ready('False', 'Expired', message),
        synced('True', 'UpToDate', 'there is nothing in the service, as spec.lifecycle asks'),
      ];
    case 'unobserved':
      return [
        ready('Unknown', 'ObservationFailed', message),
        synced('Unknown', 'ObservationFailed', seeReady),
        reconciling('ProgressingWithRetry'),
      ];
  }
}

function unready({ reason, message }: Unready): readonly Draft[] {
  return [ready('False', reason, message), synced('False', 'OutOfSync', seeReady)];
}

function ready(status: Condition['status'], reason: Reason, message: string): Draft {
  return { type: 'Ready', status, reason, message };
}

function synced(
  status: Condition['status'],
  reason: 'UpToDate' | 'OutOfSync' | 'ObservationFailed',
  message: string,
): Draft {
  return { type: 'Synced', status, reason, message };
}

function reconciling(reason: 'Progressing' | 'ProgressingWithRetry'): Draft {
  const what = reason === 'Progressing' ? 'in progress' : 'the operator tries again by itself';
  return { type: 'Reconciling', status: 'True', reason, message: `${what}: ${seeReady}` };
}

function dependencies({ reason: standing, obstacle: reason = standing }: Unready): readonly Draft[] {
  if (reason !== 'DependencyNotReady' && reason !== 'CredentialsMissing' && reason !== 'WaitingForCluster') return [];
  return [{ type: 'DependenciesReady', status: 'False', reason: 'DependencyNotReady', message: seeReady }];
}

/** Conditions of their own, besides those that the standing decides. */
function extra(type: ConditionType, reason: string, message: string | undefined): readonly Draft[] {
  return message === undefined ? [] : [{ type, status: 'True', reason, message }];
}

export interface Circumstances {
  readonly generation: number;
  /** ISO 8601; used only where a condition is new or its status flips. */
  readonly now: string;
  /** On a Connection: what vanished at once from its service. */
  readonly vanished?: string | undefined;
  /** What was changed in the service. */
  readonly drifted?: string | undefined;
  /** What `spec.suspend` means. */
  readonly paused?: string | undefined;
  /** The template has changed since the object was made from it. */
  readonly outdated?: string | undefined;
  /** Of what is autoscaled. */
  readonly scaling?: Omit<Draft, 'type'> | undefined;
  /** The object is about to expire, or has expired. */
  readonly expiry?: Pick<Draft, 'type' | 'reason' | 'message'> | undefined;
  /** How the run ended. */
  readonly ended?: { readonly reason: RunEnd; readonly message: string } | undefined;
}

/** The complete new list. */
export function conditionsOf(
  standing: Standing,
  previous: readonly Condition[],
  at: Circumstances,
): readonly Condition[] {
  const all = [
    ...drafts(standing),
    ...extra('MassChange', 'ObjectsVanished', at.vanished),
    ...extra('Drifted', 'Drifted', at.drifted),
    ...extra('Paused', 'Suspended', at.paused ?? (standing.state === 'suspended' ? standing.message : undefined)),
    ...extra('TemplateOutdated', 'NewerRevision', at.outdated),
    ...(at.expiry ? [{ status: 'True', ...at.expiry } as const] : []),
    ...(at.scaling ? [{ type: 'ScalingActive', ...at.scaling } as const] : []),
    ...(at.ended
      ? extra(at.ended.reason === 'Succeeded' ? 'Complete' : 'Failed', at.ended.reason, at.ended.message)
      : []),
  ];
  return all.map((draft) => {
    const before = previous.find((one) => one.type === draft.type);
    // A time that was edited by hand and cannot be read counts as none.
    const stays = before?.status === draft.status && !Number.isNaN(Date.parse(before.lastTransitionTime));
    const lastTransitionTime = stays ? before.lastTransitionTime : at.now;
    return {
      ...draft,
      message: cutText(draft.message, messageLimit),
      observedGeneration: at.generation,
      lastTransitionTime,
    };
  });
}

/** Kubernetes keeps whole seconds. */
export function transitionTime(wall: number): string {
  return new Date(wall).toISOString().replace(/\.\d+Z$/, 'Z');
}
