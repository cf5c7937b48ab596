// The pod of a run, and what its state says about the run. PURE.
import { memorySettings } from '../../../engines/index.ts';
import type { RunEnd } from '../../job-engine.ts';
import type { KubeObject, ObjectMeta } from '../api/api.ts';
import { queueLabel } from '../api/names.ts';
import { disruptionOf, type PodCondition, type PodObject, problemOfPod, waitInQueue } from '../clusters/conditions.ts';
import { programContainer } from './run-manifests.ts';

export interface JobObject extends KubeObject {
  readonly spec?: {
    readonly suspend?: boolean;
    readonly template?: { readonly metadata?: Pick<ObjectMeta, 'labels'> };
  };
  readonly status?: { readonly conditions?: readonly PodCondition[] };
}

const statusOfProgram = ({ status = {} }: PodObject) =>
  (status.containerStatuses ?? []).find(({ name }) => name === programContainer);

/** Whether its program runs, or has run. */
export const hasProgram = (pod: PodObject): boolean => {
  const state = statusOfProgram(pod)?.state;
  return state?.terminated !== undefined || (state?.waiting === undefined && state !== undefined);
};

/** Undefined as long as the program has not ended. */
export const exitCodeOf = (pod: PodObject | undefined): number | undefined =>
  pod && statusOfProgram(pod)?.state?.terminated?.exitCode;

/** Its program has ended, or is never started any more. */
export const hasEnded = (pod: PodObject): boolean =>
  exitCodeOf(pod) !== undefined || ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');

const conditionsOf = ({ status = {} }: JobObject): readonly PodCondition[] =>
  (status.conditions ?? []).filter((each) => each.status === 'True');

/** It makes no pod any more. */
export const isFinished = (job: JobObject): boolean =>
  conditionsOf(job).some(({ type }) => type === 'Complete' || type === 'Failed');

/** Kueue, or whoever else has suspended the Job, lets it have no pods for a while. */
export const isSuspended = ({ spec }: JobObject): boolean => spec?.suspend === true;

/** What a suspended Job waits for. */
export function waitOf({ metadata: { name, namespace, labels } }: JobObject): string {
  const queue = labels?.[queueLabel];
  return queue === undefined
    ? `waiting until somebody resumes Job ${name}, which is suspended`
    : waitInQueue(queue, namespace);
}

/** Why a run has ended whose Job was suspended when its program had begun. */
export function suspensionOf({ metadata: { name, labels } }: JobObject): string {
  const queue = labels?.[queueLabel];
  const who = queue === undefined ? `Job ${name} was suspended` : `Kueue took back its room in queue ${queue}`;
  return `${who} while it ran: run the job again, because no run is started twice`;
}

/** When the program has ended, in ms since 1970, as the node says it. */
export function endMsOf(pod: PodObject): number | undefined {
  const { finishedAt } = statusOfProgram(pod)?.state?.terminated ?? {};
  return finishedAt === undefined ? undefined : Date.parse(finishedAt);
}

const isOutOfMemory = (pod: PodObject): boolean => statusOfProgram(pod)?.state?.terminated?.reason === 'OOMKilled';

/** Who has ended the program, if it did not end by itself. */
export function causeIn(pod: PodObject): RunEnd['cause'] {
  if (isOutOfMemory(pod)) return 'OOMKilled';
  return problemWith(pod) === undefined ? undefined : 'Evicted';
}

/** Why the program was ended by others. */
export function problemWith(pod: PodObject): string | undefined {
  if (isOutOfMemory(pod))
    return `the program took more memory than it has: lower its heap, or give it more with ${memorySettings.join(' or ')}`;
  const disruption = disruptionOf(pod);
  if (disruption !== undefined) return `${disruption}: run the job again, because no run is started twice`;
  return pod.metadata.deletionTimestamp === undefined
    ? undefined
    : 'its pod was deleted while it ran: run the job again, because no run is started twice';
}

/**
 * What Kubernetes says of the whole run, if no pod tells an exit code: the pod is lost, or its runner has failed. Undefined as long as a program may run.
 * `told`: what kept it from going on the last time that it was looked at.
 */
export function resultOf(job: JobObject, pod: PodObject | undefined, told: string): RunEnd | undefined {
  const conditions = conditionsOf(job);
  if (pod === undefined && conditions.some(({ type }) => type === 'Complete'))
    return { status: 'SUCCEEDED', returnCode: 0 };
  const failed = conditions.find(({ type }) => type === 'Failed');
  if (failed === undefined || (pod !== undefined && !hasEnded(pod))) return undefined;
  const problem = pod && (problemWith(pod) ?? problemOfPod(pod));
  const reason = told === '' ? (failed.message ?? failed.reason ?? 'unknown') : told;
  const cause = pod === undefined ? 'Lost' : causeIn(pod);
  return { status: 'FAILED', cause, message: problem ?? `its pod was lost: ${reason}` };
}
