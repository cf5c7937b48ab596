// What the user can do about each reason, as commands. The message of the operator names the rest. PURE.
import { recreateAnnotation, runAgainAnnotation, takeOverAnnotation } from '../../operator/api/shared-api.ts';
import { type ConnectionName, connectionFlag } from '../observed.ts';

export interface RemedyTarget {
  readonly kind: string;
  readonly name: string;
  /** Empty: its kind is in none. */
  readonly namespace: string;
  /** In the service. */
  readonly id?: string;
  /** Of its Secrets, if that is another one. */
  readonly secretsNamespace?: string;
  /** What leads to its service. */
  readonly connection?: ConnectionName;
  /** The namespace of what waits for it. */
  readonly usedIn?: string;
  /** What the operator reports of it. */
  readonly message?: string;
}

type Remedy = (target: RemedyTarget) => readonly string[];

const wait: Remedy = () => ['wait: the operator continues by itself'];
const logs: Remedy = ({ name, namespace }) => [`read the output: kubectl dataprocessing logs ${name} -n ${namespace}`];
const edit: Remedy = (target) => [`correct the spec: kubectl edit ${nameOf(target)}`];
const again: Remedy = () => ['create another JobExecution to run the job again'];
const connection: Remedy = ({ namespace, usedIn = 'NAMESPACE' }) => [
  namespace === ''
    ? `check the service from a namespace that uses it: kubectl dataprocessing doctor -n ${usedIn}`
    : `check the Connection and the service: kubectl dataprocessing doctor -n ${namespace}`,
];
const quota: Remedy = () => ['remove what the service refuses: the operator tries again by itself'];

export function patchCommand(target: Omit<RemedyTarget, 'id'>, spec: object): string {
  return `kubectl patch ${nameOf(target)} --type=merge -p '${JSON.stringify({ spec })}'`;
}

function nameOf({ kind, name, namespace }: Omit<RemedyTarget, 'id'>): string {
  return `${kind.toLowerCase()}.dataprocessing.dev/${name}${flagFor({ namespace })}`;
}

/** For the end of a command. */
export function flagFor({ namespace = '' }: { readonly namespace?: string }): string {
  return namespace === '' ? '' : ` -n ${namespace}`;
}

function recreate(target: RemedyTarget): string {
  return `recreate it: kubectl annotate ${nameOf(target)} ${recreateAnnotation}=${target.id ?? 'ID'} --overwrite`;
}

/** One reason for several findings. The end of the message tells which one it is: before that stand names that others gave. */
const mismatch: Remedy = (target) => {
  const { kind, message = '' } = target;
  const [, mark] = /or to ([a-z2-7]{4})$/.exec(message) ?? [];
  if (mark !== undefined && message.includes(takeOverAnnotation))
    return [
      'let the other installation release the object, as the message says',
      `once nobody else manages it, confirm that: kubectl annotate ${nameOf(target)} ${takeOverAnnotation}=${mark} --overwrite`,
    ];
  const leaving = `delete this ${kind}, which leaves what is in the service alone: kubectl delete ${nameOf(target)}`;
  if (message.endsWith('set spec.adopt.id in another resource. Nothing was adopted'))
    return [`${leaving}, and apply another one with spec.adopt.id, of one of the objects that the message lists`];
  if (kind !== 'Cluster') return [`compare status.drift, and ${edit(target)[0]}`];
  return [`compare status.drift, ${leaving}, and apply it again with a corrected spec`];
};

const remedies: Readonly<Record<string, Remedy>> = {
  Available: () => [],
  Succeeded: logs,
  Provisioning: wait,
  Scaling: wait,
  CorrectingDrift: wait,
  Queued: wait,
  Retrying: logs,
  Cancelling: wait,
  Throttled: wait,
  Running: (target) => [
    `follow its output: kubectl dataprocessing logs ${target.name} -f -n ${target.namespace}`,
    `cancel it: ${patchCommand(target, { cancel: true })}`,
  ],
  Deleting: wait,
  UpstreamError: connection,
  Unauthorized: connection,
  CredentialsMissing: ({ namespace, secretsNamespace = namespace }) => [
    `create or correct the Secret: kubectl get secrets -n ${secretsNamespace}. The operator continues at once`,
  ],
  ObservationFailed: connection,
  ConnectionNotAllowed: () => ['ask the administrator of the cluster, who sets what the SharedConnection allows'],
  QuotaExceeded: ({ namespace }) => [
    `see what the namespace has: kubectl get clusters.dataprocessing.dev -n ${namespace}. The operator continues once there is room`,
  ],
  InvalidSpec: edit,
  ExternalRejected: quota,
  ScaleHasNoEffect: quota,
  ExternalError: (target) => [`${recreate(target)}. The data of this one is lost`],
  AdoptionMismatch: mismatch,
  ExternalNotFound: ({ namespace, connection: of }) => [
    `see what the service has that nobody claims: kubectl dataprocessing orphans -n ${namespace}${connectionFlag(of)}`,
  ],
  ExternalDeleted: (target) => {
    if (target.kind === 'JobExecution') return again(target);
    if (target.kind === 'Cluster') return [recreate(target), `or delete it: kubectl delete ${nameOf(target)}`];
    return [`create another one: ${patchCommand(target, { onExternalDelete: 'Recreate' })}`];
  },
  OutcomeUnknown: (target) => [
    'find out whether the job ran',
    `run it again: kubectl annotate ${nameOf(target)} ${runAgainAnnotation}=MARKER, as the message says`,
  ],
  Failed: (target) => [...logs(target), ...again(target)],
  OOMKilled: (target) => [...logs(target), 'raise its memory', ...again(target)],
  Evicted: again,
  Signal: (target) => [...logs(target), ...again(target)],
  Cancelled: again,
  DeadlineExceeded: () => ['create another JobExecution with a later spec.activeDeadlineSeconds'],
  PlanPending: ({ kind, name, namespace }) => [
    `look at the plan and approve it: kubectl dataprocessing approve ${kind.toLowerCase()}/${name} -n ${namespace}`,
  ],
  Expired: (target) => [
    `change spec.lifecycle, to have a cluster again: kubectl edit ${nameOf(target)}`,
    `or delete it: kubectl delete ${nameOf(target)}`,
  ],
  Suspended: (target) => [`go on: ${patchCommand(target, { suspend: false })}`],
  ExternalDeleteFailing: (target) => [
    `keep the object in the service, and delete only this one: ${patchCommand(target, { deletionPolicy: 'Orphan' })}`,
  ],
  InUse: (target) => [`see who needs it: kubectl get ${nameOf(target)}`],
  MayStillAppear: wait,
};

/** Where nothing is known, the message of the operator has to do. */
export function remediesFor(reason: string, target: RemedyTarget): readonly string[] {
  return (Object.hasOwn(remedies, reason) ? remedies[reason]?.(target) : undefined) ?? ['do as the message says'];
}
