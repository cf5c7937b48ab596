// The plan for an object that is not there, where the user may have fixed its name: others may bear it, so proof comes first. PURE.
//
//  list of the name                private template              plan
//  ours, of a refused create       any                           clear: delete it, try again later
//  ours                            any                           adopt: record its id
//  somebody else's                 any                           refuse NameConflict: nothing is written
//  nothing                         none of the wanted content    create it, or adopt what a lost answer left of it
//  nothing                         recorded, and not there       create it anew, once no request that names it can take effect
//  nothing                         recorded, and there           create the object from it
import { collectionOf, remoteKey } from '../kind.ts';
import { forgetId } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger, privateClaims } from '../ledger/ledger.ts';
import { contentHash, revisionName } from '../ledger/naming.ts';
import type { Outcome } from '../outcome.ts';
import { fixedNameOf, identityOf, nameConflict, provenOwn } from '../ownership/ownership.ts';
import { given, quarantineEnd, type Situation } from '../plan-input.ts';
import { isReady } from '../resource/facts.ts';
import { baseLedger, createObstacle, intendedLedger, planCreate, specOf } from './create.ts';
import { planRemnant } from './failed-create.ts';
import type { Plan } from './types.ts';

export function planAbsent(situation: Situation): Plan {
  const name = fixedNameOf(situation);
  return name === undefined ? planCreate(situation) : planFixed(situation, name);
}

function planFixed(situation: Situation, name: string): Plan {
  const { kind, ledger } = situation;
  const known = currentClaim(ledger);
  const claim: Claim = known ?? { role: 'main', collection: collectionOf(kind), name };
  const [own] = provenOwn(situation, situation.view?.byName(claim.name) ?? []);
  const remnant = own && planRemnant(situation, claim, own);
  if (remnant) return remnant;
  // What it is made of was remembered with the claim.
  if (own && known && ledger) return { action: 'adopt', claim, ledger, id: own.id };
  const obstacle = nameConflict(situation, claim.name) ?? createObstacle(situation);
  if (obstacle) return { action: 'none', outcome: obstacle };
  if (own) return { action: 'adopt', claim, ledger: ledgerFor(situation, claim), id: own.id };
  return planStart(situation, claim);
}

/** The object's own body is what the template does not carry. */
function planStart(situation: Situation, claim: Claim): Plan {
  const template = wantedTemplate(situation);
  const known = template.claim.id;
  if (known === undefined) return planTemplate(situation, template);
  const { templates, remotes, kind } = situation;
  const there = templates?.byId(known) ?? remotes.get(remoteKey(template.kind.route, known));
  if (!there) return planTemplateAgain(situation, template);
  const how = { ...given(situation, claim.name), privateTemplateId: known };
  const desired = kind.desired(specOf(situation), how);
  return { action: 'create', claim, ledger: intendedLedger(situation, claim, desired), body: desired.body };
}

function ledgerFor(situation: Situation, claim: Claim): Ledger {
  const { kind } = situation;
  return intendedLedger(situation, claim, kind.desired(specOf(situation), given(situation, claim.name)));
}

interface Template {
  readonly kind: Situation['kind'];
  readonly claim: Claim;
  readonly body: unknown;
  readonly ledger: Ledger;
}

/** Another content is another template, so that none is ever taken for what it is not. */
function wantedTemplate(situation: Situation): Template {
  const kind = situation.kind.fixedName?.privateTemplate;
  if (!kind) throw new Error(`cannot fix the name of a ${situation.kind.definition.kind}`);
  const spec = specOf(situation);
  const hash = contentHash(kind.desired(spec, given(situation, '')).body);
  const fresh: Claim = {
    role: 'private',
    collection: collectionOf(kind),
    name: revisionName(identityOf(situation), hash),
    hash,
  };
  const ledger = baseLedger(situation, fresh);
  const claim = privateClaims(ledger).find((one) => one.hash === hash) ?? fresh;
  return { kind, claim, body: kind.desired(spec, given(situation, claim.name)).body, ledger };
}

function planTemplate({ templates }: Situation, { claim, ledger, body }: Template): Plan {
  const [found] = templates?.byName(claim.name) ?? [];
  return found ? { action: 'adopt', claim, ledger, id: found.id } : { action: 'create', claim, ledger, body };
}

/** Somebody deleted it. A start from it that is still under way could not be told from a stranger's any more. */
function planTemplateAgain(situation: Situation, template: Template): Plan {
  const { id: _gone, ...claim } = template.claim;
  const afterMs = startsWithinMs(situation);
  if (afterMs === undefined)
    return planTemplate(situation, { ...template, claim, ledger: forgetId(template.ledger, claim.name) });
  const message = `the private template ${claim.name} is gone from the service, and a start from it may still take effect`;
  const outcome: Outcome = {
    result: 'waiting',
    on: 'time',
    reason: 'Provisioning',
    message,
    afterMs,
  };
  return { action: 'none', outcome };
}

/** For so long a start may still take effect whose end is not known; undefined: there is none, or its quarantine is over. */
function startsWithinMs(situation: Situation): number | undefined {
  const until = quarantineEnd(situation, currentClaim(situation.ledger));
  const { wall } = situation.now;
  return until !== undefined && until > wall ? until - wall : undefined;
}

/** The spec was edited before the object was started: of its private templates it needs the one that it was started from. */
function spareTemplates(situation: Situation): readonly Claim[] {
  const { kind, ledger, view } = situation;
  const current = currentClaim(ledger);
  const remote = current?.id === undefined ? undefined : view?.byId(current.id);
  const used = remote && kind.fixedName?.startedFrom(remote);
  const claims = privateClaims(ledger);
  // A start that may still take effect can be from any of them.
  if (startsWithinMs(situation) !== undefined || !claims.some((one) => one.id === used)) return [];
  return claims.filter((one) => one.id !== used);
}

/** Once all is as wanted. */
export function planSpares(situation: Situation, plan: Plan): Plan {
  if (plan.action !== 'none' || plan.outcome.result !== 'settled' || !isReady(situation.facts)) return plan;
  const claims = spareTemplates(situation);
  return claims.length === 0 ? plan : { action: 'collect', claims, generation: situation.facts.generation };
}
