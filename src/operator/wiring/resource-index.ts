// What the controller must know of resources, from the registry of kinds: who refers to whom, and what others can see of it.
import {
  acceptLossAnnotation,
  ledgerAnnotation,
  reconcileAnnotations,
  recreateAnnotation,
  takeOverAnnotation,
} from '../api/common.ts';
import type { RawResource } from '../api/definition.ts';
import { secretNames } from '../connections/pass/settings.ts';
import { externalText } from '../controller/dependents.ts';
import type { ResourceIndex } from '../controller/resource-index.ts';
import { type AnyKind, collectionOf } from '../reconcile/kind.ts';
import { currentClaim } from '../reconcile/ledger/ledger.ts';
import { type Key, keyText } from '../reconcile/ports.ts';
import { readStatus, specOf } from '../reconcile/resource/facts.ts';
import { connectionName, ledgerOf } from '../reconcile/resource/references.ts';

/**
 * Passes of one Connection that may run at once, where it lets no more requests be in flight; its own budget bounds these. More of them
 * would not end sooner, only all of them later, with all that they hold.
 */
const passesPerConnection = 16;
/** No spec is believed to allow more than the schema does. */
const mostPasses = 1_000;

export interface KnowledgeOptions {
  readonly kinds: ReadonlyMap<string, AnyKind>;
  readonly installation: string;
  readonly read: (key: Key) => RawResource | undefined;
}

const commands = [takeOverAnnotation, recreateAnnotation, acceptLossAnnotation, ...reconcileAnnotations];

export function createKnowledge(options: KnowledgeOptions): ResourceIndex {
  const { kinds } = options;
  return {
    owns: (kind) => kinds.has(kind) || kind === 'Connection' || kind === 'Secret',
    laneOf: (key) => laneOf(options, key),
    limitOf: (lane) => limitOf(options, lane),
    referencesOf: (resource) => referencesOf(kinds.get(resource.kind), resource),
    externalsOf: (resource) => externalsOf(options, resource),
    factsOf: (resource) => factsOf(options, resource),
    annotations: [ledgerAnnotation, ...commands],
    commands,
  };
}

function laneOf({ kinds, read }: KnowledgeOptions, key: Key): string {
  // A Connection's look must not queue behind the many who wait for its outcome, nor behind one whose service hangs.
  if (!kinds.has(key.kind)) return keyText(key);
  const resource = read(key);
  return `${key.namespace}/${resource ? connectionName(resource) : ''}`;
}

/** A pass has one request in flight at most, so there are as many passes as there may be requests. */
function limitOf({ read }: KnowledgeOptions, lane: string): number {
  const [namespace = '', name = '', ...more] = lane.split('/');
  // The lane of a Connection itself, which nobody else is in.
  if (more.length > 0) return passesPerConnection;
  const { limits } = (read({ kind: 'Connection', namespace, name })?.spec ?? {}) as {
    readonly limits?: { readonly maxInFlight?: unknown };
  };
  const wanted = typeof limits?.maxInFlight === 'number' ? limits.maxInFlight : 0;
  return Math.min(Math.max(passesPerConnection, wanted), mostPasses);
}

function referencesOf(kind: AnyKind | undefined, resource: RawResource): readonly string[] {
  const { namespace } = resource.metadata;
  if (resource.kind === 'Connection') return secretNames(resource.spec).map((name) => `Secret/${namespace}/${name}`);
  if (!kind) return [];
  const connection = `Connection/${namespace}/${connectionName(resource)}`;
  const spec = specOf(kind, resource);
  const others = spec.ok
    ? kind.references(spec.value).map((reference) => `${reference.kind}/${namespace}/${reference.name}`)
    : [];
  return [connection, ...others];
}

function confirmedLedger({ installation }: KnowledgeOptions, resource: RawResource) {
  const state = ledgerOf(resource, installation);
  return state.state === 'ours' ? state.ledger : undefined;
}

function externalsOf(options: KnowledgeOptions, resource: RawResource): readonly string[] {
  const connection = `${resource.metadata.namespace}/${connectionName(resource)}`;
  const claims = confirmedLedger(options, resource)?.claims ?? [];
  // By name for what may still come of an open create, by id ever after.
  const claimed = claims.map(({ collection, id, name }) => externalText(connection, collection, id ?? name));
  return [...new Set([...claimed, ...givenOf(options, resource).map((one) => externalText(connection, ...one))])];
}

/** The object that a spec names, by its id or by a fixed name, concerns the resource before there is a claim. */
function givenOf({ kinds }: KnowledgeOptions, resource: RawResource): readonly [collection: string, id: string][] {
  const kind = kinds.get(resource.kind);
  if (!kind?.givenId && !kind?.fixedName) return [];
  const spec = specOf(kind, resource);
  const named = spec.ok ? (kind.givenId?.(spec.value) ?? kind.fixedName?.of(spec.value)) : undefined;
  return named === undefined ? [] : [[collectionOf(kind), named]];
}

/** Readiness, the object's id, deletion, and why it is stalled: what a dependent decides by, or tells its user. */
function factsOf(options: KnowledgeOptions, resource: RawResource): string {
  const { deletionTimestamp, generation } = resource.metadata;
  if (resource.kind === 'Secret') return JSON.stringify([deletionTimestamp, resource.data]);
  const { conditions } = readStatus(resource.status);
  const seen = conditions
    .filter((one) => one.type === 'Ready' || one.type === 'Stalled')
    .map((one) => [one.type, one.status, one.reason]);
  const spec = resource.kind === 'Connection' ? generation : undefined;
  return JSON.stringify([deletionTimestamp, spec, seen, currentClaim(confirmedLedger(options, resource))?.id]);
}
