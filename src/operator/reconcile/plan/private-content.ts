// The plan for what a revision refers to, which has to exist before it: an object of its own in the service. PURE.
//
//  private object      of the revision     plan
//  not recorded        nothing             adopt what a lost answer left of it, or create it
//  recorded, there     nothing             the revision may be created, unless a DELETE of it may take effect
//  recorded, gone      nothing             create it anew, once no request that names it can take effect
//  recorded, gone      exists              report it: what exists cannot refer to another one
import { collectionOf, type PrivateKind, privateContentOf, privateKindOf, remoteKey } from '../kind.ts';
import { forgetId } from '../ledger/edits.ts';
import { type Claim, type Ledger, privateClaims } from '../ledger/ledger.ts';
import { revisionName } from '../ledger/naming.ts';
import { privateHash, privateOf } from '../ledger/private-content.ts';
import { type Outcome, refuse, waiting } from '../outcome.ts';
import { claimText, ownNamed } from '../ownership/ownership.ts';
import { mappingContext, type PlanInput, quarantineEnd } from '../plan-input.ts';
import { keeper } from './preconditions.ts';
import { adopt, none } from './single-write.ts';
import type { Plan } from './types.ts';

function privateKind({ kind }: PlanInput): PrivateKind {
  const hidden = privateKindOf(kind);
  if (!hidden) throw new Error(`a ${kind.definition.kind} refers to no private object`);
  return hidden;
}

/** The claim on the private object of a revision, as it is before anything was created. */
export function freshPrivate(input: PlanInput, { hash: revision = '' }: Claim): Claim {
  const hash = privateHash(revision);
  const name = revisionName(input.facts.identity, hash);
  return { role: 'private', collection: collectionOf(privateKind(input)), name, hash };
}

interface Wanted {
  /** The revision that is to refer to it. */
  readonly main: Claim;
  readonly fresh: Claim;
  readonly ledger: Ledger;
  readonly earlyStatus: Outcome;
}

/** The id of the private object, or the step toward it. */
export function planPrivate(input: PlanInput, { main, fresh, ledger, earlyStatus }: Wanted): Plan | string {
  const claim = privateClaims(ledger).find((one) => one.hash === fresh.hash) ?? fresh;
  const { id } = claim;
  if (id !== undefined && isThere(input, id)) return planWhileDeleted(input, { ...claim, id }) ?? id;
  if (id !== undefined) return planAgain(input, main, { claim, ledger });
  const found = keeper(ownNamed(input, claim), undefined, input.referencedIds);
  if (found) return adopt(input, { claim, ledger, id: found.id });
  const { facts } = input;
  if (!facts.spec.ok) throw new Error('cannot plan a create: the spec was not readable');
  const body = privateKind(input).body(facts.spec.value, mappingContext(input, claim.name));
  // The ConfigMap has changed since its digest was taken: the change wakes the key.
  if (body === undefined) return none({ result: 'requeue', afterMs: readAgainMs });
  return { action: 'create', claim, ledger, body, earlyStatus };
}

const readAgainMs = 2_000;

/** It was spare before its content was wanted again, and a DELETE of it may still take effect. */
function planWhileDeleted(input: PlanInput, claim: Claim & { readonly id: string }): Plan | undefined {
  const { memory, now, quarantineMs, service } = input;
  const sent = memory.deletesSent?.get(claim.id);
  const leftMs = sent === undefined ? 0 : sent.at + quarantineMs - now.monotonic;
  if (leftMs <= 0) return undefined;
  const pollMs = service.state === 'usable' ? service.pollSeconds * 1000 : leftMs;
  const message = `waiting for the old ${claimText(input.kind, claim)} to be deleted before recreating it`;
  return none({ ...waiting('time', 'Provisioning', message), afterMs: Math.min(leftMs, pollMs) });
}

/** Without a list nothing is known to be gone. */
function isThere(input: PlanInput, id: string): boolean {
  const { privates, remotes } = input;
  return !privates || privates.byId(id) !== undefined || remotes.has(remoteKey(privateKind(input).route, id));
}

/** Somebody deleted it. A revision that refers to it and still appears would be useless, and its name would be taken. */
function planAgain(
  input: PlanInput,
  main: Claim,
  { claim, ledger }: { readonly claim: Claim; readonly ledger: Ledger },
): Plan {
  const until = quarantineEnd(input, main);
  const { wall } = input.now;
  if (until === undefined || until <= wall)
    return { action: 'forget', claim, id: claim.id ?? '', ledger: forgetId(ledger, claim.name) };
  const message = `${claimText(input.kind, claim)} is gone from the service, and what was to refer to it may still appear`;
  return none({ ...waiting('time', 'Provisioning', message), afterMs: until - wall });
}

/** The revision exists, and somebody deleted what it refers to. */
export function planLostContent(input: PlanInput, { hash }: Claim): Plan | undefined {
  const { kind, ledger, facts } = input;
  const content = privateContentOf(kind);
  const claim = content && privateOf(ledger, hash);
  if (!claim || claim.id === undefined || isThere(input, claim.id)) return undefined;
  const what = `${claimText(kind, claim)} (${claim.id})`;
  const field = facts.spec.ok ? content.field(facts.spec.value) : undefined;
  const message = `${what} was deleted in the service, not by this operator, and the object that exists refers to it. To create another one, change ${field ?? 'spec'}, or delete this resource and apply it again`;
  return none(refuse('ExternalDeleted', message));
}
