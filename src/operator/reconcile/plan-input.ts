// Everything that a plan is made from, as one value: the resource, the service as observed, and what this process remembers.
import { bytesOf } from '../api/file-digest.ts';
import type { View } from '../client/list/list-view.ts';
import type { KeyMemory } from './key-memory.ts';
import {
  type Drift,
  type Kind,
  type MappingContext,
  type RemoteObject,
  type ResourceReference,
  remoteKey,
} from './kind/kind.ts';
import { type Claim, currentClaim, type Ledger } from './ledger/ledger.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';
import type { Outcome, User } from './outcome.ts';
import type { ServiceLookup } from './pass-ports.ts';
import type { ResourceFacts } from './resource/facts.ts';
import type { LifecycleFinding } from './resource/lifecycle.ts';
import { type Resolution, referenceText, resolutionOf } from './resource/references.ts';
import { valuesOf } from './resource/secret-values.ts';

/** Both clocks, read once for each step. */
export interface Now {
  readonly wall: number;
  readonly monotonic: number;
}

export interface PlanInput {
  readonly kind: Kind;
  readonly facts: ResourceFacts;
  readonly installation: string;
  /** Identifies this process. */
  readonly process: string;
  readonly ledger: Ledger | undefined;
  readonly service: ServiceLookup;
  /** Why nothing may be written to the service for the resource, through its SharedConnection. */
  readonly notAllowed?: string | undefined;
  /** Why its object does not stay in the service without it, where a SharedConnection limits what a namespace has. */
  readonly mayNotLeave?: string | undefined;
  /** The objects of the kind's route, where observing was possible and needed. */
  readonly view: View<RemoteObject> | undefined;
  /** The private objects, where they are needed: to tell whose an object is, or because objects refer to them. */
  readonly privates: View<RemoteObject> | undefined;
  readonly resolutions: readonly Resolution[];
  /** Of the content of the spec; undefined: it is not known, or content does not matter. */
  readonly wantedHash: string | undefined;
  /** The run that has ended and that the resource was created for, as `JobExecution pi`: nothing is created for it any more. */
  readonly madeFor?: string | undefined;
  readonly remotes: ReadonlyMap<string, RemoteObject>;
  /** The bytes of keys of ConfigMaps, by reference; only of those that are about to be sent. */
  readonly files: ReadonlyMap<string, Buffer>;
  /**
   * Since the pass began, the resource or what allows it to write was changed, a reference came to lead elsewhere, another resource claimed the object, or a
   * NodeGroup changed its count: the planned request must not be sent.
   */
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
  /** The existing object that the resource is to stand for. Undefined: there is none to look for, or it was not looked for yet. */
  readonly adoption?: ExistingObject | undefined;
  /** What becomes of the object by itself. Undefined: nothing, or it was not observed yet. */
  readonly lifecycle?: LifecycleFinding | undefined;
  readonly quarantineMs: number;
  readonly memory: Readonly<KeyMemory>;
  readonly now: Now;
}

/**
 * What the service has of that object. unresolved: it cannot be compared before what the spec refers to is there. `differs`: in fields that
 * cannot change. `template`: the name of the one that it was started from, where its own name does not tell who made it.
 */
export type ExistingObject =
  | { readonly state: 'missing' }
  | { readonly state: 'several'; readonly ids: readonly string[] }
  | { readonly state: 'unresolved'; readonly row: RemoteObject }
  | {
      readonly state: 'found';
      readonly row: RemoteObject;
      readonly differs: readonly Drift[];
      readonly template?: string | undefined;
    };

/** An existing object is wanted, and none is recorded. Of what is given, that is so only where nothing may be written for it. */
export function isAdopting({ kind, facts, ledger }: Pick<PlanInput, 'kind' | 'facts' | 'ledger'>): boolean {
  if (facts.deleting || !facts.spec.ok || ledger?.adopted !== undefined || currentClaim(ledger)?.id !== undefined)
    return false;
  return facts.adopt !== undefined || (kind.identity === 'given' && facts.policy === 'Observe');
}

/** The user wants another object in place of this one. Only named objects can be replaced: content decides about templates, and an image is what it is. */
export function isUnwanted(kind: Kind, facts: ResourceFacts, claim: Claim | undefined): boolean {
  return kind.identity === 'named' && claim?.id !== undefined && claim.id === facts.recreate;
}

export function claimOf(input: PlanInput): Claim | undefined {
  return currentClaim(input.ledger);
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
    idsOf: (reference) =>
      resolved(reference).claims.flatMap(({ role, id }) => (role === 'private' || id === undefined ? [] : [id])),
    resourceOf: (reference) => resolved(reference).resource,
    secretOf: (reference) => valuesOf(resolved(reference).resource, reference.keys),
    fileOf: (reference) =>
      input.files.get(referenceText(reference)) ?? bytesOf(resolved(reference).resource, reference.file),
    remote: (route, id) => input.remotes.get(remoteKey(route, id)),
  };
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

/** All that a status is made from. */
export interface PassResult
  extends Pick<PlanInput, 'kind' | 'facts' | 'ledger' | 'resolutions' | 'memory' | 'now' | 'lifecycle'> {
  readonly outcome: Outcome;
  /** The object, where it is known and proven to be the resource's own. */
  readonly remote: RemoteObject | undefined;
}
