// Looks for the existing object that a resource is to stand for, and compares it with the spec.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import { routes } from '../../../wire/routes.ts';
import type { View } from '../../client/list/list-view.ts';
import type { Drift, RemoteObject } from '../kind/kind.ts';
import { canonicalJson, markOf } from '../ledger/naming.ts';
import type { PassState } from '../pass-state.ts';
import { type ExistingObject, isAdopting, mappingContext } from '../plan-input.ts';
import { objectDifference, wantedOf } from './object-difference.ts';
import { referentOf } from './observe.ts';

/** How old a comparison may be: it takes a request of its own. */
const comparedMs = 10 * 60_000;
const namedIds = 5;

/** Throws ServiceError. */
export async function lookForExisting(pass: PassState): Promise<void> {
  const { view } = pass;
  if (!view || !isAdopting(pass.planInput())) return;
  pass.adoption = await found(pass, candidates(pass, view));
}

function candidates({ kind, facts }: PassState, view: View<RemoteObject>): readonly RemoteObject[] {
  const { adopt, givenId } = facts;
  if (kind.identity === 'given') return [view.byId(givenId ?? '')].flatMap((row) => row ?? []);
  const { given } = adopt ?? {};
  if (given && 'id' in given) return [view.byId(given.id)].flatMap((row) => row ?? []);
  if (given) return view.byName(given.name);
  const named = [...view.names()].filter((row) => adopt?.isStated(row));
  return named.flatMap(({ id }) => view.byId(id) ?? []).filter((row) => adopt?.isMet(row));
}

async function found(pass: PassState, [row, ...others]: readonly RemoteObject[]): Promise<ExistingObject> {
  if (!row) return { state: 'missing' };
  if (others.length > 0) return { state: 'several', ids: [row, ...others].slice(0, namedIds).map(({ id }) => id) };
  // Everything in it can be changed.
  if (pass.kind.identity === 'given') return { state: 'found', row, differs: [] };
  if (pass.resolutions.some(({ state }) => state !== 'resolved')) return { state: 'unresolved', row };
  const { memory, facts, resolutions, ports } = pass;
  const referents = resolutions.map((one) => one.state === 'resolved' && one.id);
  // What the spec names may come to the list later.
  const of = canonicalJson([facts.generation, row.id, row.name, referents, [...pass.remotes.keys()]]);
  const known = memory.compared?.of === of && facts.isRequestHandled ? memory.compared : undefined;
  const now = ports.clock.monotonic();
  if (known && now - known.at < comparedMs)
    return { state: 'found', row, differs: known.differs, template: known.template };
  const differs = await compare(pass, row);
  if (!differs) return { state: 'missing' };
  const template = await templateNameOf(pass, row);
  memory.compared = { of, at: now, differs, template };
  return { state: 'found', row, differs, template };
}

/** An object whose name a user has fixed tells by its template who made it. Read only for those, and as seldom as the object is compared. */
async function templateNameOf(pass: PassState, row: RemoteObject): Promise<string | undefined> {
  const { kind } = pass;
  if (kind.identity !== 'named' || markOf(row.name) !== undefined) return undefined;
  const id = kind.fixedName.startedFrom(row);
  if (id === undefined) return undefined;
  return (await referentOf(pass, { route: kind.fixedName.privateTemplate.route, id }))?.name;
}

/** Undefined: it is not there any more. */
async function compare(pass: PassState, row: RemoteObject): Promise<readonly Drift[] | undefined> {
  const { service, kind, facts, context } = pass;
  if (service.state !== 'usable' || !facts.spec.ok) throw new Error('cannot compare: there is no service or no spec');
  try {
    const object = await service.service.getObject(routes[kind.route], row.id, context.signal);
    const given = mappingContext(pass.planInput(), row.name);
    if (kind.identity === 'named') return objectDifference(kind.adoption.fixed(facts.spec.value, row, given), object);
    return objectDifference(wantedOf(facts.spec.value, kind.desired(facts.spec.value, given).body as object), object);
  } catch (error) {
    if (error instanceof ServiceError && error.category === 'notFound') return undefined;
    throw error;
  }
}
