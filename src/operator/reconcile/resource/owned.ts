// Objects that a resource owns: the operator creates them for it, with its name, and Kubernetes deletes them after it. PURE.

import type { RawResource } from '../../api/definition.ts';
import { type Condition, sharedConnectionKind } from '../../api/shared-api.ts';
import type { Kind, ResourceReference } from '../kind/kind.ts';
import { currentClaim } from '../ledger/ledger.ts';
import { type Key, type NewObject, type ResourceStore } from '../pass-ports.ts';
import { endIn } from './facts.ts';
import { conditionOf, readStatus } from './read-conditions.ts';
import { connectionOf, ledgerOf, type Resolution } from './references.ts';
import { correctionText, repetitionText } from './scheduled.ts';

export function isControlledBy({ metadata }: RawResource, owner: RawResource): boolean {
  return (
    metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) ?? false
  );
}

/**
 * The run that has ended and that this object was created for, as `JobExecution pi`: the object keeps its content, whatever it refers to, and is not
 * created again. Undefined: there is none.
 */
export function endedOwner({ kinds, store }: OwnerLookup, { metadata }: RawResource): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || kinds.get(owner.kind)?.identity !== 'once') return undefined;
  const found = store.read({ kind: owner.kind, namespace: metadata.namespace, name: owner.name });
  const isOver = found?.metadata.uid === owner.uid && endIn(readStatus(found.status).conditions) !== undefined;
  return isOver ? `${owner.kind} ${owner.name}` : undefined;
}

interface OwnerLookup {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly store: Pick<ResourceStore, 'read'>;
}

/** No blockOwnerDeletion, which would need a permission on finalizers. */
export function ownedObject(owner: RawResource, { kind, name }: ResourceReference, content: object): NewObject {
  const { namespace, name: ownerName, uid } = owner.metadata;
  const { deletionPolicy, policy } = owner.spec as { readonly deletionPolicy?: string; readonly policy?: string };
  return {
    kind,
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: ownerName, uid, controller: true }],
    },
    spec: {
      ...content,
      connectionRef: referenceTo(connectionOf(owner)),
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
      ...(policy === undefined ? {} : { policy }),
    },
  };
}

/** As `spec.connectionRef` has it. */
function referenceTo({ kind, name }: Key): object {
  return kind === sharedConnectionKind ? { kind, name } : { name };
}

/** The owned object of this kind, if it exists and is not being deleted. */
export function standingOwned(resolutions: readonly Resolution[], kind: string): RawResource | undefined {
  const found = resolutions.find(({ reference }) => reference.owned && reference.kind === kind);
  const owned = found?.state === 'resolved' ? found.resource : found?.owned;
  return owned?.metadata.deletionTimestamp === undefined ? owned : undefined;
}

/** `reason`: where it is not that the spec is invalid. */
interface Refusal {
  readonly message: string;
  readonly reason?: 'ExternalRejected';
  /** As the service names it. */
  readonly errorName?: string;
}

/**
 * What is wrong with an owned object that the operator or the service refuses, for `owner`, whose spec has its content. Undefined: it is not refused,
 * or something was made of it already.
 */
export function ownedRefusal(
  { reference, installation }: { readonly reference: ResourceReference; readonly installation: string },
  owned: RawResource,
  owner: RawResource,
): Refusal | undefined {
  const stalled = stalledOf(owned);
  if (stalled === undefined || isMade(owned, installation)) return undefined;
  const { field, kind, name } = reference;
  if (stalled.reason === 'InvalidSpec')
    return { message: `${problemIn(stalled.message, field)}. ${correctionText(owner)}` };
  if (!isOfService(stalled)) return undefined;
  const problem = stalled.message.replace(beforeProblem, '').replace(afterProblem, '');
  const message = `${field}: ${kind} ${name}: ${problem}. ${correctionText(owner)}`;
  const errorName = errorNameIn(problem, kind);
  return { reason: 'ExternalRejected', message, ...(errorName !== undefined && { errorName }) };
}

/**
 * Why an owned object that the service made cannot be used there any more, which nothing puts right but its replacement: it has failed, or somebody
 * deleted it, unless the service shows it again. Undefined: it has not failed.
 */
export function ownedFailure(
  { field, kind, name }: ResourceReference,
  owned: RawResource,
  owner: RawResource,
): Pick<AwaitedOwned, 'message' | 'hasFailed' | 'isGone'> | undefined {
  const stalled = stalledOf(owned);
  const isGone = stalled?.reason === 'ExternalDeleted';
  if (stalled?.reason !== 'ExternalError' && !isGone) return undefined;
  const problem = stalled.message.replace(replacement, '');
  const remedy = repetitionText(owner, { kind, ...(!isGone && { field }) });
  const message = `${field}: ${kind} ${name}: ${problem}. ${remedy}`;
  return { message, hasFailed: true, ...(isGone && { isGone }) };
}

type AwaitedOwned = Extract<Resolution, { readonly state: 'awaited' }>;

/** The condition Stalled for the spec as it is now. */
function stalledOf({ metadata, status }: RawResource): Condition | undefined {
  const stalled = conditionOf(readStatus(status), 'Stalled');
  return stalled?.status === 'True' && stalled.observedGeneration === metadata.generation ? stalled : undefined;
}

/** It ends the text of the service. Of a cluster, invalid data can also mean that there is no room, which can pass. */
function errorNameIn(problem: string, kind: string): string | undefined {
  const name = / \(([A-Z][A-Z_]*)\)$/.exec(problem)?.[1];
  return kind === 'Cluster' && name === 'INVALID_DATA' ? undefined : name;
}

/**
 * The service itself refuses it again and again. Not for a quota, which may be freed at any time. A deadline that passes meanwhile changes only the
 * reason, so the words decide.
 */
function isOfService({ reason, message }: Pick<Condition, 'reason' | 'message'>): boolean {
  if (reason !== 'ExternalRejected' && reason !== 'ProgressDeadlineExceeded') return false;
  return refusalOfService.test(message) && !/\bthe service refused it\b.*quota/is.test(message);
}

const refusalOfService =
  /\bthe service (?:refused it|has no such object|refused to create)\b|\bwhat a refused create left\b/;

/** What the deadline adds. */
const beforeProblem = /^not ready within .*? Last problem: /s;
/** The remedy of one who can edit the object or apply another one, and what the operator does meanwhile. */
const afterProblem = /(?:[.;] [Ii]t is retried\b|: the Cluster is then created by itself\b).*$/s;

/** What somebody can do who is quick, and not of use any more once the run has failed. */
const replacement = /\. To (?:replace it and lose its data|create a new one), .*$/s;

function isMade(owned: RawResource, installation: string): boolean {
  const state = ledgerOf(owned, installation);
  return state.state === 'ours' && currentClaim(state.ledger)?.id !== undefined;
}

/** The last clauses of a message, from the one on that would have the object itself deleted: it would only be made again. */
const ownRemedy = /[:;.] (?:(?![:;.] ).)*\b(?:delete (?:this|one of them)|create another)\b.*$/s;

function problemIn(message: string, field: string): string {
  const problem = message.replace(ownRemedy, '').replaceAll(/\bspec\./g, `${field}.`);
  return problem.startsWith(field) ? problem : `${field}: ${problem}`;
}
