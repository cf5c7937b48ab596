// Tells the controller, by the registry of kinds, which resources depend on which, and what dependents see of a resource.
import { placeOf } from '../../kube/resource.ts';
import type { RawResource } from '../api/definition.ts';
import {
  acceptLossAnnotation,
  approvePlanAnnotation,
  isConnection,
  lastScheduleAnnotation,
  ledgerAnnotation,
  reconcileAnnotations,
  recreateAnnotation,
  runAgainAnnotation,
  takeOverAnnotation,
} from '../api/shared-api.ts';
import { secretKeys } from '../connections/pass/connection-settings.ts';
import type { ResourceIndex } from '../controller/controller.ts';
import { externalText } from '../controller/dependents.ts';
import { collectionOf, type Kind, type ResourceReference } from '../reconcile/kind/kind.ts';
import { adoptedTarget, observedClaim } from '../reconcile/ledger/adoption.ts';
import { currentClaim } from '../reconcile/ledger/ledger.ts';
import { type Key, keyText } from '../reconcile/pass-ports.ts';
import { endIn, specOf } from '../reconcile/resource/facts.ts';
import { isIdle, isSuspended, readStatus } from '../reconcile/resource/read-conditions.ts';
import { causeOf, connectionOf, isLetGo, ledgerOf } from '../reconcile/resource/references.ts';
import { clusterOf } from '../reconcile/resource/runs-on.ts';
import { scheduleKind } from '../reconcile/resource/scheduled.ts';
import { namespaceKey, namespaceKind } from '../reconcile/resource/sharing.ts';
import { plannedBy } from '../schedules/dependencies.ts';

/**
 * Concurrent passes of one Connection, unless it may have more requests in flight now. The budget limits their requests anyway, so more
 * passes would only wait longer and use more memory.
 */
const passesPerConnection = 16;

interface ResourceIndexOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly installation: string;
  readonly read: (key: Key) => RawResource | undefined;
  /** How many requests of this Connection may be in flight now. */
  readonly maxInFlightOf: (key: Key) => number | undefined;
}

const commands = [
  approvePlanAnnotation,
  takeOverAnnotation,
  recreateAnnotation,
  runAgainAnnotation,
  acceptLossAnnotation,
  ...reconcileAnnotations,
];

export function createResourceIndex(options: ResourceIndexOptions): ResourceIndex {
  const { kinds } = options;
  return {
    owns: (kind) => kinds.has(kind) || isConnection(kind) || ['JobSchedule', 'NodeGroup', 'Secret'].includes(kind),
    laneOf: (key) => laneOf(options, key),
    limitOf: (lane) => limitOf(options, lane),
    referencesOf: (resource) => referencesOf(kinds, resource),
    externalsOf: (resource) => externalsOf(options, resource),
    factsOf: (resource) => factsOf(options, resource),
    annotations: [ledgerAnnotation, lastScheduleAnnotation, ...commands],
    commands,
  };
}

function laneOf({ kinds, read }: ResourceIndexOptions, key: Key): string {
  // A Connection has a lane of its own, because its many dependents wait for the result of its pass. A JobSchedule and a NodeGroup have no Connection.
  if (!kinds.has(key.kind)) return keyText(key);
  const resource = read(key);
  return resource ? laneBehind(connectionOf(resource), key.namespace) : `${key.namespace}/`;
}

/** Each namespace has its own lane behind a SharedConnection, so that none waits for the objects of another. */
function laneBehind(connection: Key, namespace: string): string {
  return connection.namespace === '' ? `${keyText(connection)}/${namespace}` : placeOf(connection);
}

/** A pass has at most one request in flight, so many requests need as many passes. */
function limitOf({ maxInFlightOf }: ResourceIndexOptions, lane: string): number {
  const [namespace = '', name = '', ...more] = lane.split('/');
  // The lane of the Connection itself, or of one namespace of several.
  if (more.length > 0) return passesPerConnection;
  return Math.max(passesPerConnection, maxInFlightOf({ kind: 'Connection', namespace, name }) ?? 0);
}

/** Marks a reference that blocks a deletion. When it no longer does, the referenced resource is woken, even if the reference remains. */
const heldSuffix = '/held';

function referencesOf(kinds: ReadonlyMap<string, Kind>, resource: RawResource): readonly string[] {
  const kind = kinds.get(resource.kind);
  const { namespace } = resource.metadata;
  if (isConnection(resource.kind)) return secretKeys(resource).map(keyText);
  // It reports in advance what its executions would wait for.
  if (resource.kind === scheduleKind)
    return [...new Set(plannedBy(kinds, resource).flatMap((one) => referencesOf(kinds, one.resource)))];
  // What it referred to may have waited for just that.
  if (!kind || isLetGo(resource)) return [];
  const connection = connectionOf(resource);
  // Whether a SharedConnection selects the namespace depends on its labels.
  const access = connection.namespace === '' ? [keyText(namespaceKey(namespace))] : [];
  const spec = specOf(kind, resource);
  // A cluster that is being deleted waits for the end of a run, or until it is suspended, and until one that is being deleted is gone.
  const status = readStatus(resource.status);
  const rests = endIn(status.conditions) !== undefined || isSuspended(status);
  const isOver = kind.identity === 'once' && resource.metadata.deletionTimestamp === undefined && rests;
  const references = spec.ok ? kind.references(spec.value, resource.metadata.name) : unreadReferences(kind, resource);
  const named = references.filter((reference) => kinds.get(reference.kind)?.identity === 'named');
  const others = references.filter((reference) => !isOver || !named.includes(reference));
  const textOf = (reference: Referred): string => `${reference.kind}/${namespace}/${reference.name}`;
  const held =
    kind.identity === 'once' && !isOver && !isIdle(status) ? named.map((one) => `${textOf(one)}${heldSuffix}`) : [];
  return [keyText(connection), ...access, ...others.map(textOf), ...held];
}

type Referred = Pick<ResourceReference, 'kind' | 'name'>;

/** A run whose spec cannot be read keeps its cluster as any other does. */
function unreadReferences({ identity }: Kind, resource: RawResource): readonly Referred[] {
  const cluster = identity === 'once' ? clusterOf(resource) : undefined;
  return cluster === undefined ? [] : [cluster];
}

function confirmedLedger({ installation }: ResourceIndexOptions, resource: RawResource) {
  const state = ledgerOf(resource, installation);
  return state.state === 'ours' ? state.ledger : undefined;
}

function externalsOf(options: ResourceIndexOptions, resource: RawResource): readonly string[] {
  const connection = placeOf(connectionOf(resource));
  const claims = confirmedLedger(options, resource)?.claims ?? [];
  // An open create has no id yet.
  const claimed = claims.map(({ collection, id, name }) => externalText(connection, collection, id ?? name));
  return [...new Set([...claimed, ...givenOf(options, resource).map((one) => externalText(connection, ...one))])];
}

/** The object that the spec names by id or name, and one that is only observed, concerns the resource even before there is a claim. */
function givenOf(
  { kinds }: ResourceIndexOptions,
  resource: RawResource,
): readonly (readonly [collection: string, id: string])[] {
  const kind = kinds.get(resource.kind);
  if (!kind) return [];
  const existing = [...Object.values(adoptedTarget(resource)?.given ?? {}), observedClaim(resource)?.id];
  const adopted = existing.flatMap((one) => (one === undefined ? [] : [[collectionOf(kind), one] as const]));
  if (kind.identity !== 'given' && kind.identity !== 'named') return adopted;
  const spec = specOf(kind, resource);
  if (!spec.ok) return adopted;
  const named = kind.identity === 'given' ? kind.givenId(spec.value) : kind.fixedName.of(spec.value);
  return named === undefined ? adopted : [...adopted, [collectionOf(kind), named]];
}

/** What dependents use or report: readiness, why it is not ready, the id of the object, and deletion; of a Connection, also the loss that its user confirmed. */
function factsOf(options: ResourceIndexOptions, resource: RawResource): string {
  const { deletionTimestamp, generation, annotations } = resource.metadata;
  if (resource.kind === 'Secret') return JSON.stringify([deletionTimestamp, resource.data]);
  if (resource.kind === namespaceKind) return JSON.stringify(resource.metadata.labels);
  if (resource.kind === 'ConfigMap') return JSON.stringify([resource.files, resource.unread]);
  const { conditions } = readStatus(resource.status);
  const seen = conditions
    .filter((one) => one.type === 'Ready' || one.type === 'Stalled')
    .map((one) => [one.type, one.status, one.reason]);
  const settings = isConnection(resource.kind) ? [generation, annotations?.[acceptLossAnnotation]] : [];
  const ledger = confirmedLedger(options, resource);
  const { id, hash } = ledger ? { id: currentClaim(ledger)?.id } : { ...observedClaim(resource) };
  return JSON.stringify([deletionTimestamp, ...settings, seen, causeOf(resource), id, hash]);
}
