// What the JobExecutions of a JobSchedule would wait for in vain: what its template names, and the Connection.
import type { RawResource } from '../api/definition.ts';
import type { ResourceReference } from '../reconcile/kind/kind.ts';
import { nameText } from '../reconcile/pass-ports.ts';
import { specOf } from '../reconcile/resource/facts.ts';
import { ownedObject } from '../reconcile/resource/owned.ts';
import { awaitsPerson, conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { causeOf, connectionOf } from '../reconcile/resource/references.ts';
import { type ResolveInput, resolve } from '../reconcile/resource/resolve.ts';
import { sharingProblem } from '../reconcile/resource/sharing.ts';
import type { Standing } from '../reconcile/status/conditions.ts';
import { executionKind } from './schedule-executions.ts';

/** An object that does not exist yet. `place`: of its spec in that of the schedule. */
interface Planned {
  readonly resource: RawResource;
  readonly place: string;
}

/** The execution that the schedule would create, and what that would own, as far as it concerns what they refer to. */
export function plannedBy(
  kinds: ResolveInput['kinds'],
  { apiVersion, metadata, spec }: RawResource,
): readonly [Planned, ...Planned[]] {
  const { namespace, name, uid, generation, resourceVersion } = metadata;
  const { template } = (spec ?? {}) as { readonly template?: { readonly spec?: unknown } | null };
  const identity = { namespace, name, uid, generation, resourceVersion };
  const execution = { apiVersion, kind: executionKind, metadata: identity, spec: template?.spec };
  const kind = kinds.get(executionKind);
  const read = kind && specOf(kind, execution);
  const planned: Planned = { resource: execution, place: 'spec.template.spec' };
  if (kind?.identity !== 'once' || !read?.ok) return [planned];
  const owned = kind.references(read.value, name).filter((reference) => reference.owned);
  const contents = owned.map((reference): Planned => {
    const made = ownedObject(execution, reference, kind.owned(read.value, reference));
    return { resource: { ...execution, kind: reference.kind, spec: made.spec }, place: placeOf(reference) };
  });
  return [planned, ...contents];
}

function placeOf({ field }: ResourceReference, place = 'spec.template.spec'): string {
  return field.replace(/^spec/, place);
}

/** Undefined if nothing lasting is in the way: what is only in progress, or is being retried, is ready in a moment. */
export function unmetDependency(from: ResolveInput, schedule: RawResource): Standing | undefined {
  const planned = plannedBy(from.kinds, schedule);
  const problems = [
    ...connectionProblem(from, planned[0].resource),
    ...planned.flatMap((one) => referenceProblems(from, one)),
  ];
  if (problems.length === 0) return undefined;
  const message = `JobExecutions are created as scheduled, and wait. ${problems.join('; ')}`;
  return { state: 'progressing', reason: 'DependencyNotReady', message };
}

function referenceProblems(from: ResolveInput, { resource, place }: Planned): readonly string[] {
  const kind = from.kinds.get(resource.kind);
  if (!kind) return [];
  // In the words of the schedule, whose template can be edited.
  const references: typeof kind.references = (...given) =>
    kind
      .references(...given)
      .filter(({ owned }) => !owned)
      .map(({ fixed: _fixed, ...reference }) => ({ ...reference, field: placeOf(reference, place) }));
  return resolve(from, { ...kind, references }, resource).flatMap((one) => {
    if (one.state === 'resolved') return [];
    const { kind: of, name, field } = one.reference;
    if (one.state === 'wrong')
      return `${field}: ${of} ${name} uses another Connection: set spec.template.spec.connectionRef to the same one`;
    const { namespace } = resource.metadata;
    return isLasting(from, from.store.read({ kind: of, namespace, name })) ? one.message : [];
  });
}

/**
 * It does not exist, is being deleted, needs a user, or waits for such an object itself. What waits for something in progress is in progress, too: a schedule
 * whose objects are all being made does not become unready once more.
 */
export function isLasting(from: ResolveInput, resource: RawResource | undefined): boolean {
  if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return true;
  const read = readStatus(resource.status);
  if (conditionOf(read, 'Stalled')?.status === 'True' || awaitsPerson(read)) return true;
  const dependencies = conditionOf(read, 'DependenciesReady');
  if (dependencies?.status !== 'False') return false;
  const kind = from.kinds.get(resource.kind);
  if (dependencies.reason !== 'DependencyNotReady' || !kind) return true;
  const { namespace } = resource.metadata;
  const unmet = resolve(from, kind, resource).filter(({ state }) => state !== 'resolved');
  return unmet.some(
    ({ state, reference }) =>
      state === 'wrong' || isLasting(from, from.store.read({ kind: reference.kind, namespace, name: reference.name })),
  );
}

function connectionProblem(from: ResolveInput, execution: RawResource): readonly string[] {
  const connection = connectionOf(execution);
  const found = from.store.read(connection);
  const field = 'spec.template.spec.connectionRef';
  const notAllowed = sharingProblem(from.store, execution);
  // What the execution may not have is a field of the template, too.
  if (notAllowed?.startsWith('spec.')) return [`spec.template.${notAllowed}`];
  if (notAllowed !== undefined) return [`${field}: ${notAllowed}`];
  if (!isLasting(from, found)) return [];
  const what = `${field}: ${nameText(connection)}`;
  const place = connection.namespace === '' ? '' : ' in this namespace';
  if (!found) return [`${what} does not exist${place}. Create it, or set ${field} to another one`];
  if (found.metadata.deletionTimestamp)
    return [`${what} is being deleted. Apply it again once it is gone, or set ${field} to another one`];
  return [`${what} is not ready${causeOf(found)}`];
}
