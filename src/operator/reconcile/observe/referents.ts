// Whether the objects of referenced resources are theirs. Anyone who may edit a resource can write its ledger, and what that names would be used with the
// credentials of a SharedConnection, whose namespaces may use nothing of each other. So before a request names an object, it has to be proven as for its
// own resource: ownership.ts. Rows that are at hand are enough, which those of new objects are as soon as the service has answered.
import { routes } from '../../../wire/routes.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import type { View } from '../../client/list/list-view.ts';
import { type Kind, type ObjectKind, type RemoteObject } from '../kind/kind.ts';
import { currentClaim } from '../ledger/ledger.ts';
import { contestOf } from '../ownership/claimants.ts';
import { isProven } from '../ownership/ownership.ts';
import type { PassState } from '../pass-state.ts';
import { isUnwanted } from '../plan-input.ts';
import { type Resolution, type Resolved, unproven } from '../resource/references.ts';
import { mayTake } from '../resource/sharing.ts';
import { lookupAgeMs } from './privates.ts';

/** What the references lead to. Throws ServiceError. */
export async function proveReferents(pass: PassState): Promise<readonly Resolution[]> {
  const { facts, kind, service, resolutions, ports } = pass;
  if (facts.connection.kind !== sharedConnectionKind || service.state !== 'usable') return resolutions;
  if (facts.ended || facts.deleting) return resolutions;
  const isMaking = mayMake(pass);
  // Content that exists is sent nothing more. A cluster may grow, and a run may begin anew.
  if (!isMaking && kind.identity === 'content') return resolutions;
  const ages = isMaking && service.mayCreate ? [lookupAgeMs, pass.context.pollMs] : [];
  const proven: Resolution[] = [];
  for (const one of resolutions) {
    const of = one.state === 'resolved' ? ports.kinds.get(one.reference.kind) : undefined;
    const holds = one.state !== 'resolved' || of === undefined || (await isOwn(pass, one, of, ages));
    proven.push(holds ? one : unproven(one));
  }
  return proven;
}

/** An object may be created in this pass. */
function mayMake(pass: PassState): boolean {
  const { kind, facts, ledger } = pass;
  const claim = currentClaim(ledger);
  if (claim?.id === undefined || isUnwanted(kind, facts, claim)) return true;
  const wanted = kind.identity === 'content' ? pass.planInput().wantedHash : undefined;
  return wanted !== undefined && wanted !== claim.hash;
}

/** First by what is known, then by lists that are no older than these. */
async function isOwn(pass: PassState, one: Resolved, kind: Kind, ages: readonly number[]): Promise<boolean> {
  if (isOwnIn(pass, one, kind, known(pass))) return true;
  for (const age of ages)
    for (const each of proving(kind)) {
      await list(pass, each, pass.ports.clock.monotonic() - age);
      if (isOwnIn(pass, one, kind, known(pass))) return true;
    }
  return false;
}

/** The kinds of objects that tell whose one is. */
function proving(kind: Kind): readonly ObjectKind[] {
  return kind.identity === 'named' ? [kind, kind.fixedName.privateTemplate] : [kind];
}

type KnownViews = (kind: ObjectKind) => View<RemoteObject> | undefined;

function known({ service }: PassState): KnownViews {
  return ({ route }) =>
    service.state === 'usable'
      ? (service.service.inventory.known(routes[route]) as View<RemoteObject> | undefined)
      : undefined;
}

async function list({ service, context }: PassState, { route }: ObjectKind, notBefore: number): Promise<void> {
  if (service.state !== 'usable') return;
  await service.service.inventory.observe(routes[route], { notBefore, signal: context.signal });
}

function isOwnIn(pass: PassState, { resource, id }: Resolved, kind: Kind, views: KnownViews): boolean {
  const row = rowOf(views(kind), id);
  if (!row) return false;
  const referent = pass.over(kind, resource);
  for (const each of proving(kind)) {
    const view = views(each);
    if (view) referent.observed(each, view);
  }
  const claim = referent.ledger?.claims.find((each) => each.id === id);
  if (claim) return isProven(referent.planInput(), claim, row) && contestOf(referent, claim)?.wins !== true;
  // It is only observed: whoever may look at what exists may use it.
  const { adopt, givenId } = referent.facts;
  return mayTake(pass.ports.store, resource) && (adopt?.isMet(row) ?? givenId === id);
}

/** What identifies a row is enough. */
function rowOf(view: View<RemoteObject> | undefined, id: string): RemoteObject | undefined {
  const unread = view?.unreadable.find((row) => row.id === id);
  return view?.byId(id) ?? (unread?.name === undefined ? undefined : { id, name: unread.name });
}
