// Everything that a plan is made from, as one value: the resource, the service as observed, and what this process remembers.

import { bytesOf } from '../api/files.ts';
import type { View } from '../client/list/view.ts';
import type { KeyMemory, SentDelete } from './key-memory.ts';
import {
  type Health,
  type Kind,
  type MappingContext,
  type ObjectKind,
  type RemoteObject,
  type ResourceReference,
  remoteKey,
} from './kind.ts';
import { type Claim, currentClaim, isRefused, isVoid, type Ledger, openAttempts } from './ledger/ledger.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';
import type { User } from './outcome.ts';
import type { ServiceLookup } from './ports.ts';
import type { ResourceFacts } from './resource/facts.ts';
import { type Resolution, referenceText, resolutionOf } from './resource/references.ts';
import { valuesOf } from './resource/secrets.ts';
import type { RunProgress } from './runs.ts';

/** Both clocks, read once for each step. */
export interface Now {
  readonly wall: number;
  readonly monotonic: number;
}

export interface PlanInput {
  readonly kind: Kind;
  readonly facts: ResourceFacts;
  readonly installation: string;
  /** A word that only this process bears. */
  readonly process: string;
  readonly ledger: Ledger | undefined;
  readonly service: ServiceLookup;
  /** The objects of the kind's route, where observing was possible and needed. */
  readonly view: View<RemoteObject> | undefined;
  /** The private objects, where they are needed: to tell whose an object is, or because objects refer to them. */
  readonly privates: View<RemoteObject> | undefined;
  readonly resolutions: readonly Resolution[];
  /** Of the content that the spec asks for; undefined: it cannot be told, or content does not matter. */
  readonly wantedHash: string | undefined;
  /** The run that has ended and that the resource was created for, as `JobExecution pi`: nothing is created for it any more. */
  readonly madeFor?: string | undefined;
  readonly remotes: ReadonlyMap<string, RemoteObject>;
  /** The bytes of keys of ConfigMaps, by reference; only of those that are about to be sent. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Since the plan was made, a reference came to lead elsewhere or another resource claimed the object: the planned request must not be sent. */
  readonly isSuperseded: boolean;
  /** Ids that others refer to; known only where there is, or may be, more than one object of the resource. */
  readonly referencedIds: ReadonlySet<string> | undefined;
  /** Resources that refer to this one and have something in the service; known only while this one is being deleted. */
  readonly users: readonly User[];
  /** Another resource with a better right to the recorded object: `Cluster/ns/name`, or `somebodyElse`. */
  readonly claimedBy: string | undefined;
  /** The resource that recorded an object of this kind with this id: `Cluster/ns/name`, or `somebodyElse`. */
  ownerOf(id: string): string | undefined;
  /** Who else claims the object, and whether their right is better; undefined: nobody whose claim counts. */
  contestOf(claim: Claim): Contest | undefined;
  /** All namespaces are watched: a resource that is not known does not exist. */
  readonly seesAll: boolean;
  /** So many objects vanished at once that none is made again; known only where the recorded object is missing. */
  readonly massDeletion: MassDeletion | undefined;
  readonly quarantineMs: number;
  readonly memory: Readonly<KeyMemory>;
  readonly now: Now;
}

/** The user wants another object in place of this one. Only named objects can be replaced: content decides about templates, and an image is what it is. */
export function isUnwanted(kind: Kind, facts: ResourceFacts, claim: Claim | undefined): boolean {
  return kind.identity === 'named' && claim?.id !== undefined && claim.id === facts.recreate;
}

export function claimOf(input: PlanInput): Claim | undefined {
  return currentClaim(input.ledger);
}

interface Times extends Pick<PlanInput, 'quarantineMs'> {
  readonly now: Pick<Now, 'wall'>;
}

/**
 * From when on (wall clock, ms) a request sent at a time in the ledger can no longer take effect. An unreadable time starts the
 * quarantine again rather than ending it.
 */
export function effectEnd({ now, quarantineMs }: Times, sentAt: string | undefined): number {
  const sent = Date.parse(sentAt ?? '');
  return (Number.isNaN(sent) ? now.wall : sent) + quarantineMs;
}

/** From when on (wall clock, ms) no create of the claim can take effect; undefined: none is open. */
export function quarantineEnd(times: Times, claim: Claim | undefined): number | undefined {
  return openAttempts(claim) === 0 ? undefined : effectEnd(times, claim?.attempts?.lastSentAt);
}

/** What the functions of the kind may ask. Asking for an unresolved reference is a bug and throws. */
export function mappingContext(input: PlanInput, externalName: string): MappingContext {
  const resolved = (reference: ResourceReference) => {
    const found = resolutionOf(input.resolutions, reference);
    if (found?.state !== 'resolved') throw new Error(`cannot use ${referenceText(reference)}: it is not resolved`);
    return found;
  };
  return {
    name: input.facts.key.name,
    externalName,
    dialect: input.service.state === 'usable' ? input.service.dialect : 'neutral',
    idOf: (reference) => resolved(reference).id,
    resourceOf: (reference) => resolved(reference).resource,
    secretOf: (reference) => valuesOf(resolved(reference).resource, reference.keys),
    fileOf: (reference) =>
      input.files.get(referenceText(reference)) ?? bytesOf(resolved(reference).resource, reference.file),
    remote: (route, id) => input.remotes.get(remoteKey(route, id)),
  };
}

/** An object that was there under a given id, without any create of ours, was there before us. */
export function foundClaim(kind: ObjectKind, claim: Claim): Claim {
  return kind.identity === 'given' && isVoid(claim) ? { ...claim, origin: 'preexisting' } : claim;
}

/** Whether the service may have anything of the claim: its object, one that may still appear, or what a refused create left. */
export function mayBeThere(kind: ObjectKind, claim: Claim): boolean {
  return !isVoid(claim) || (kind.identity === 'named' && isRefused(claim));
}

/** What a refused create of the claim left, also while that is being deleted. */
export function isFailedCreateOf(kind: ObjectKind, claim: Claim, row: RemoteObject): boolean {
  return (
    kind.identity === 'named' &&
    isRefused(claim) &&
    kind.isFailedCreate(row) &&
    ['failed', 'deleting'].includes(kind.health(row).state)
  );
}

/** The same words from the answer to the create until it is ready: each change of a condition is a write of the status. */
export function atWork({ definition }: ObjectKind, { name }: Claim, { message }: Health): string {
  return `the service is working on ${definition.kind} ${name}${message ? `: ${message}` : ''}`;
}

/** The same for a run that has not ended. */
export function progressText({ state, message }: RunProgress): string {
  const own = message === undefined ? '' : `: ${message}`;
  return state === 'queued'
    ? `the service has accepted the run and has not started it${own}`
    : `the run is in progress${own}`;
}

/** The words of a deletion, the same from one pass to the next: each change of a condition is a write of the status. */
export const willDelete = 'waiting for the service to delete it';
export const askedToDelete = (subject: string): string => `asked the service to delete ${subject}`;

/** While the effect of a DELETE that was sent does not show. */
export function deletingText(health: Health, { lost }: SentDelete): string {
  if (lost !== undefined && health.state !== 'deleting') return perhapsDeleting(lost);
  return `${willDelete}${health.message ? `: ${health.message}` : ''}`;
}

/** The same words for each try, so that a service that fails for hours causes one event. */
export const perhapsDeleting = (why: string): string =>
  `the service may be deleting it; the answer to the request was lost: ${why}`;

/** A DELETE without visible effect is repeated after this time, in ms: some services redo all the work for each. */
const resendDeleteMs = 60_000;
/** A deletion in progress is asked for again only when it seems stuck. */
const stuckDeleteMs = 10 * 60_000;

/** The DELETE that this process sent for the object; undefined: none, or it is time to repeat it. */
export function recentDelete({ memory, now }: PlanInput, { id }: RemoteObject, health: Health): SentDelete | undefined {
  const sent = memory.deletesSent?.get(id);
  const patienceMs = health.state === 'deleting' ? stuckDeleteMs : resendDeleteMs;
  return sent && now.monotonic - sent.at < patienceMs ? sent : undefined;
}

/** Stands for a resource whose name is not shown. */
export const somebodyElse = 'a resource of another namespace';

/** Another resource whose claim on the same object counts. */
export interface Contest {
  /** `Cluster/ns/name`, or `somebodyElse`. */
  readonly by: string;
  /** Its right is the better one. */
  readonly wins: boolean;
}
