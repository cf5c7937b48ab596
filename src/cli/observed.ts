// A custom resource as the API server has it, reduced to what all kinds share. PURE.
import type { Condition } from '../operator/api/shared-api.ts';
import type { KubeObject } from './objects.ts';

export interface ObservedBlocker {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
}

export interface ManagedFields {
  readonly subresource?: string;
  readonly time?: string;
}

export interface Observed extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly ManagedFields[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly blockedOn?: readonly ObservedBlocker[];
  };
}

export function conditionIn({ status }: Observed, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

export function isTrue(object: Observed, type: string): boolean {
  return conditionIn(object, type)?.status === 'True';
}

/** The operator has reported nothing about this generation yet. */
export function isBehind({ metadata, status }: Observed): boolean {
  return (status?.observedGeneration ?? -1) !== metadata.generation;
}

export const standings = [
  'ready',
  'progressing',
  'stalled',
  'unapproved',
  'deleting',
  'suspended',
  'expired',
  'unobserved',
] as const;

/**
 * unobserved: the operator has not reported anything about the current spec. stalled: it needs a user. unapproved: its plan waits for a
 * user. expired: its lifecycle has ended, and nothing more happens.
 */
export type ObservedStanding = (typeof standings)[number];

/** By the reason of Ready: nothing is done until somebody wants it. */
const held: ReadonlyMap<string, ObservedStanding> = new Map([
  ['Suspended', 'suspended'],
  ['PlanPending', 'unapproved'],
  ['Expired', 'expired'],
]);

/** As readers of kstatus judge, in more words. */
export function standingIn(object: Observed): ObservedStanding {
  const ready = conditionIn(object, 'Ready');
  const isStalled = isTrue(object, 'Stalled');
  if (object.metadata.deletionTimestamp !== undefined) return isStalled ? 'stalled' : 'deleting';
  if (isBehind(object)) return 'unobserved';
  // What is stalled stays so when it is no longer suspended.
  if (isTrue(object, 'Paused') && !isStalled) return 'suspended';
  // A Cluster that was applied after its end has the reason Expired, too, until the operator deletes it.
  const holding = isTrue(object, 'Reconciling') ? undefined : held.get(ready?.reason ?? '');
  if (holding !== undefined) return holding;
  if (isStalled) return 'stalled';
  return ready?.status === 'True' ? 'ready' : 'progressing';
}

/** When the spec was last written, or the deletion requested, in Unix ms; NaN if nobody knows. */
export function wantedSince({ metadata }: Observed): number {
  const { deletionTimestamp, managedFields = [], creationTimestamp = '' } = metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp);
  const edits = managedFields.flatMap(({ subresource, time }) =>
    subresource === undefined && time !== undefined ? [Date.parse(time)] : [],
  );
  return Math.max(Date.parse(creationTimestamp), ...edits.filter((one) => !Number.isNaN(one)));
}

/** What leads to a service. A SharedConnection is in no namespace. */
export interface ConnectionName {
  readonly kind: 'Connection' | 'SharedConnection';
  readonly name: string;
}

/** As the flag `--connection` takes it. */
export function connectionText({ kind, name }: ConnectionName): string {
  return kind === 'Connection' ? name : `${kind.toLowerCase()}/${name}`;
}

/** For the end of a command that asks a service; empty for the Connection that it asks by default. */
export function connectionFlag(connection: ConnectionName | undefined): string {
  const text = connection ? connectionText(connection) : 'default';
  return text === 'default' ? '' : ` -c ${text}`;
}

const withoutConnection = ['Connection', 'SharedConnection', 'NodeGroup'];

/** The field that names it. That of a JobSchedule is in what it creates. */
export function connectionField(kind: string): string {
  return kind === 'JobSchedule' ? 'spec.template.spec.connectionRef' : 'spec.connectionRef';
}

/** Undefined for kinds without one. */
export function connectionOf({ kind, spec }: Pick<Observed, 'kind' | 'spec'>): ConnectionName | undefined {
  if (withoutConnection.includes(kind)) return undefined;
  const fields = connectionField(kind).split('.');
  const found = fields.reduce<unknown>((value, field) => Reflect.get(Object(value), field), { spec });
  const { kind: wanted, name } = (found ?? {}) as Partial<ConnectionName>;
  return { kind: wanted ?? 'Connection', name: name ?? 'default' };
}

/** `namespace`: of the Connection. A SharedConnection leads to the same service from all of them. */
export function usesConnection(resource: Observed, { kind, name }: ConnectionName, namespace: string): boolean {
  const own = connectionOf(resource);
  const isReached = kind === 'SharedConnection' || resource.metadata.namespace === namespace;
  return own?.kind === kind && own.name === name && isReached;
}
