// The objects that an object waits for, what those wait for, and so on.
import type { ResourceKind } from '../../kube/resource.ts';
import { customKind, isInNoNamespace } from '../kind-names.ts';
import { conditionIn, connectionOf, isBehind, type Observed, type ObservedBlocker, standingIn } from '../observed.ts';

/** other: not a custom resource, such as a Secret, which is not read. again: it was met before. */
export type Seen =
  | { readonly state: 'found'; readonly object: Observed }
  | { readonly state: 'missing' | 'kindAbsent' | 'forbidden' | 'other' | 'again' | 'beyond' }
  | { readonly state: 'failed'; readonly why: string };

export interface Step {
  readonly kind: string;
  readonly name: string;
  /** Empty: its kind is in none. */
  readonly namespace: string;
  /** What of the object before leads here; absent for the first one. */
  readonly because?: Pick<ObservedBlocker, 'reason' | 'message'>;
  readonly seen: Seen;
  readonly next: readonly Step[];
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export type ReadObject = (kind: ResourceKind, key: Place) => Promise<Seen>;

/** Chains are short: a run, its cluster, a template, a template of nodes, a Connection. Loops and crowds are bounded. */
const deepest = 6;
const widest = 5;
const mostReads = 24;

interface Walk {
  readonly read: ReadObject;
  readonly met: Set<string>;
  readonly namespace: string;
}

/** `namespace`: of the first one, if its kind is in one, and otherwise of those that say nothing else. */
export function followChain(read: ReadObject, { kind, ...key }: Place & { readonly kind: string }): Promise<Step> {
  return walk({ read, met: new Set(), namespace: key.namespace }, { kind, ...placeOf(kind, key), depth: 0 });
}

/** What uses something that is in no namespace is named with its own: `team/etl`. */
function placeOf(kind: string, { namespace, name: text }: Place): Place {
  const [name = '', own = namespace] = text.split('/').toReversed();
  return { namespace: isInNoNamespace(kind) ? '' : own, name };
}

interface Link extends Place {
  readonly kind: string;
  readonly because?: Pick<ObservedBlocker, 'reason' | 'message'>;
  readonly depth: number;
}

async function walk(at: Walk, { depth, ...link }: Link): Promise<Step> {
  const seen = await see(at, link, depth);
  if (seen.state !== 'found') return { ...link, seen, next: [] };
  const links = linksOf(seen.object, link.because?.reason);
  const namespace = link.namespace === '' ? at.namespace : link.namespace;
  const next = await Promise.all(
    links.map((one) => walk(at, { ...one, ...placeOf(one.kind, { namespace, name: one.name }), depth: depth + 1 })),
  );
  return { ...link, seen, next: next.filter(isInTheWay) };
}

async function see({ read, met }: Walk, { kind, namespace, name }: Omit<Link, 'depth'>, depth: number): Promise<Seen> {
  const known = customKind(kind);
  const key = `${kind}/${namespace}/${name}`;
  if (known === undefined) return { state: 'other' };
  if (met.has(key)) return { state: 'again' };
  if (depth > deepest || met.size >= mostReads) return { state: 'beyond' };
  met.add(key);
  return read(known, { namespace, name });
}

/** Reasons of failed requests, whose cause is often with the Connection. */
const ofService = [
  'UpstreamError',
  'Unauthorized',
  'Throttled',
  'ObservationFailed',
  'ExternalDeleteFailing',
  'ProgressDeadlineExceeded',
];

/** Reasons for which it does not matter whether the object that is waited for is ready. */
export const untilGone: readonly string[] = ['InUse', 'DuplicateClaim', 'MayStillAppear', 'ObjectsVanished'];

type Onward = Omit<Link, 'depth' | 'namespace'>;

/** `cameFor`: the reason with which the object before waits for this one. */
function linksOf(object: Observed, cameFor: string | undefined): readonly Onward[] {
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  if (isBehind(object) || (cameFor !== undefined && untilGone.includes(cameFor) && !isDeleted)) return [];
  const stated = (object.status?.blockedOn ?? []).slice(0, widest).map(({ kind, name, reason, message }) => ({
    kind,
    name,
    because: { reason, message },
  }));
  const implied = impliedLinks(object).filter(
    ({ kind, name }) => !stated.some((one) => one.kind === kind && one.name === name),
  );
  return [...stated, ...implied];
}

/** What the status does not list, because the object does not wait for it in words. */
function impliedLinks(object: Observed): readonly Onward[] {
  const ready = conditionIn(object, 'Ready');
  if (ready === undefined || ready.status === 'True') return [];
  const because = { reason: ready.reason, message: ready.message };
  const { clusterRef } = (object.spec ?? {}) as { readonly clusterRef?: { readonly name?: string } };
  if (object.kind === 'NodeGroup' && clusterRef?.name !== undefined && ready.reason !== 'DuplicateClaim')
    return [{ kind: 'Cluster', name: clusterRef.name, because }];
  const connection = connectionOf(object);
  if (connection === undefined || !ofService.includes(ready.reason)) return [];
  return [{ ...connection, because }];
}

/** What was implied, and is well, explains nothing. */
function isInTheWay({ seen, because }: Step): boolean {
  if (seen.state !== 'found') return seen.state !== 'again' || because !== undefined;
  const isWell = standingIn(seen.object) === 'ready';
  return !isWell || because?.reason === 'DependencyNotReady' || untilGone.includes(because?.reason ?? '');
}

/** The ends of the chain, the most direct one first: one of them is the cause. */
export function leavesOf(step: Step): readonly Step[] {
  const ends = step.next.filter(({ seen }) => seen.state !== 'again');
  return ends.length === 0 ? [step] : ends.flatMap(leavesOf);
}
