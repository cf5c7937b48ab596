// The plan for a named resource whose name the user has fixed. Others may have that name, so ownership is proven first: by the private
// template that the object is started from. PURE.
//
//  list of the name                private template              plan
//  ours, of a refused create       any                           clear: delete it, try again later
//  ours                            any                           adopt: record its id
//  somebody else's                 any                           refuse NameConflict: nothing is written
//  nothing                         none of the wanted content    create it, or adopt what a lost answer left of it
//  nothing                         recorded, and not there       create it anew, once no request that names it can take effect
//  nothing                         recorded, and there           create the object from it
import { collectionOf, type PrivateKind, privateKindOf, remoteKey } from '../kind/kind.ts';
import { forgetId } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger, privateClaims } from '../ledger/ledger.ts';
import { contentHash, revisionName } from '../ledger/naming.ts';
import { waiting } from '../outcome.ts';
import { nameConflict, provenOwn } from '../ownership/ownership.ts';
import { mappingContext, type PlanInput } from '../plan-input.ts';
import { quarantineEnd } from '../quarantine.ts';
import { adopt, none, type Plan } from './next-step.ts';
import { baseLedger, createPrecondition, creating, intendedLedger, planFailedCreate, specOf } from './plan-create.ts';

/** The plan while no id is recorded. */
export function planFixedName(input: PlanInput, name: string): Plan {
  const { kind, ledger } = input;
  const known = currentClaim(ledger);
  const claim: Claim = known ?? { role: 'main', collection: collectionOf(kind), name };
  const [own] = provenOwn(input, input.view?.byName(claim.name) ?? []);
  const remnant = own && planFailedCreate(input, claim, own);
  if (remnant) return remnant;
  // What it is made of was remembered with the claim.
  if (own && known && ledger) return adopt(input, { claim, ledger, id: own.id });
  const obstacle = nameConflict(input, claim) ?? createPrecondition(input);
  if (obstacle) return none(obstacle);
  if (own) return adopt(input, { claim, ledger: ledgerFor(input, claim), id: own.id });
  return planStart(input, claim);
}

/** The object's own body is what the template does not contain. */
function planStart(input: PlanInput, claim: Claim): Plan {
  const template = wantedTemplate(input);
  const known = template.claim.id;
  if (known === undefined) return planTemplate(input, template);
  const { privates, remotes, kind } = input;
  const there = privates?.byId(known) ?? remotes.get(remoteKey(template.kind.route, known));
  if (!there) return planTemplateAgain(input, template);
  const how = { ...mappingContext(input, claim.name), privateId: known };
  const desired = kind.desired(specOf(input), how);
  return {
    action: 'create',
    claim,
    ledger: intendedLedger(input, claim, desired),
    body: desired.body,
    earlyStatus: creating,
  };
}

function ledgerFor(input: PlanInput, claim: Claim): Ledger {
  const { kind } = input;
  return intendedLedger(input, claim, kind.desired(specOf(input), mappingContext(input, claim.name)));
}

interface WantedTemplate {
  readonly kind: PrivateKind;
  readonly claim: Claim;
  readonly body: unknown;
  readonly ledger: Ledger;
}

/** Other content is another template, so that none is ever mistaken for another. */
function wantedTemplate(input: PlanInput): WantedTemplate {
  const kind = privateKindOf(input.kind);
  if (!kind) throw new Error(`cannot fix the name of a ${input.kind.definition.kind}`);
  const spec = specOf(input);
  const hash = contentHash(kind.body(spec, mappingContext(input, '')));
  const fresh: Claim = {
    role: 'private',
    collection: collectionOf(kind),
    name: revisionName(input.facts.identity, hash),
    hash,
  };
  const ledger = baseLedger(input, fresh);
  const claim = privateClaims(ledger).find((one) => one.hash === hash) ?? fresh;
  return { kind, claim, body: kind.body(spec, mappingContext(input, claim.name)), ledger };
}

function planTemplate(input: PlanInput, { claim, ledger, body }: WantedTemplate): Plan {
  const [found] = input.privates?.byName(claim.name) ?? [];
  if (found) return adopt(input, { claim, ledger, id: found.id });
  return { action: 'create', claim, ledger, body, earlyStatus: creating };
}

/** Another client deleted it. If an object started from it still appears, nothing proves that it is ours. */
function planTemplateAgain(input: PlanInput, template: WantedTemplate): Plan {
  const { id: _gone, ...claim } = template.claim;
  const afterMs = startsWithinMs(input);
  if (afterMs === undefined)
    return planTemplate(input, { ...template, claim, ledger: forgetId(template.ledger, claim.name) });
  const message = `the private template ${claim.name} is gone from the service, and a cluster that was started from it may still appear`;
  return none({ ...waiting('time', 'Provisioning', message), afterMs });
}

/** How long a start may still take effect whose end is not known; undefined: there is none, or its quarantine is over. */
function startsWithinMs(input: PlanInput): number | undefined {
  const until = quarantineEnd(input, currentClaim(input.ledger));
  const { wall } = input.now;
  return until !== undefined && until > wall ? until - wall : undefined;
}

/** The spec was edited before the object was started: only the private template that it was started from is still needed. */
export function spareTemplates(input: PlanInput): readonly Claim[] {
  const { kind, ledger, view } = input;
  const current = currentClaim(ledger);
  const remote = current?.id === undefined ? undefined : view?.byId(current.id);
  const used = remote && kind.identity === 'named' ? kind.fixedName.startedFrom(remote) : undefined;
  const claims = privateClaims(ledger);
  // A start that may still take effect can be from any of them.
  if (startsWithinMs(input) !== undefined || !claims.some((one) => one.id === used)) return [];
  return claims.filter((one) => one.id !== used);
}
