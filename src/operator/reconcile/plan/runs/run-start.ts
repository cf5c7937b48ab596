// The plan for a run, which must not happen twice. Only its marker tells it from other runs, so it is found by that, or never again.
//
//  ledger           run in the service        plan
//  nothing sent     any                       start it, once it is not suspended, its references are there, and what it owns is made
//  lost             with a marker of ours     adopt the last one
//  lost             none                      refuse OutcomeUnknown
//  attempt open     with its marker           adopt it
//  attempt open     none                      look for it until the quarantine is over and two lists lack it, then refuse OutcomeUnknown;
//                                             or start another attempt, where spec.onUnknown allows it
//  attempt refused  none                      start another attempt, after a while; refused-run.ts: end, where nothing can change
//  with id          queued or running         wait; cancel it where the user asks for that, or its deadline has passed
//  with id          succeeded                 end
//  with id          failed                    run-retry.ts: start another attempt, after a delay, while retries are left, else end; while it was being cancelled: as if killed
//  with id          killed                    end; where it was suspended, wait, and start another attempt when it is resumed
//  with id          not in the list           run-progress.ts: report it, unless its end was seen and another attempt may follow
//  any              it ended before           delete its own cluster, and the object once its time to live is over
//
// A run that no list shows may have taken place, and somebody may have deleted its row: neither the marker nor the quarantine proves that it
// did not. So another attempt needs the word of the user: for this one, by the annotation run-again, or for all of an execution whose job may
// run twice, by spec.onUnknown.
import { collectionOf } from '../../kind/kind.ts';
import { closeAttempt } from '../../ledger/edits.ts';
import { type Claim, currentClaim, isRefused, isVoid, type Ledger, openAttempts } from '../../ledger/ledger.ts';
import { attemptOf, runMarker } from '../../ledger/naming.ts';
import { unreadableRowOf, unreadableRowText } from '../../lists/unreadable-rows.ts';
import { type Outcome, refuse, waiting } from '../../outcome.ts';
import { mappingContext, type PlanInput } from '../../plan-input.ts';
import { quarantineEnd } from '../../quarantine.ts';
import { templateText } from '../../resource/scheduled.ts';
import { adopt, none, type Plan } from '../next-step.ts';
import { baseLedger, createPrecondition, foundByName, foundByTag, intendedLedger, specOf } from '../plan-create.ts';
import { isToRunAgain, runAgainText } from './run-again.ts';
import { ended, planDiscard, planProvide, settingsOf } from './run-end.ts';

/** The plan for a run whose id is not known. */
export function planUnknownRun(input: PlanInput): Plan {
  const { ledger } = input;
  const claim = currentClaim(ledger);
  if (!ledger) return isLedgerLost(input) ? planLost(input) : planStart(input);
  if (!claim) return planStart(input);
  const found = foundByName(input, claim);
  if (found) return adopt(input, { claim, ledger, id: found.id });
  if (openAttempts(claim) === 0) return planStart(input);
  if (isSeenRefused(input, claim)) return planStart({ ...input, ledger: closeAttempt(ledger, claim.name) });
  const unknown = outcomeUnknown(input, claim);
  const again = isToRunAgain(input, claim) || isRepeated(input);
  return unknown.result === 'refused' && again ? planStart(input) : none(unknown);
}

/** Something was recorded for it. A resource that only waited so far has neither. */
export function isLedgerLost({ facts }: Pick<PlanInput, 'facts'>): boolean {
  const { externalName } = (facts.resource.status ?? {}) as { readonly externalName?: unknown };
  return facts.hasFinalizer || externalName !== undefined;
}

/** The markers in the list are all that is left. */
function planLost(input: PlanInput): Plan {
  const { uid } = input.facts.identity;
  const rows = foundByTag(input).toSorted((a, b) => (attemptOf(a.name, uid) ?? 0) - (attemptOf(b.name, uid) ?? 0));
  const claims = rows.map((row): Claim => ({ ...claimFor(input, row.name), id: row.id }));
  const last = claims.at(-1);
  if (last?.id !== undefined) {
    const ledger: Ledger = { ...baseLedger(input, last), claims: claims.slice(0, -1) };
    return adopt(input, { claim: claimFor(input, last.name), ledger, id: last.id });
  }
  const lost = claimFor(input, lostMarker(input));
  if (isToRunAgain(input, lost)) return planStart({ ...input, ledger: { ...baseLedger(input, lost), claims: [lost] } });
  const why = 'the ledger is lost, and the service has no run with a marker of this resource';
  return none(refuse('OutcomeUnknown', `${why}. ${runAgainText(lost)}`));
}

function lostMarker({ facts }: PlanInput): string {
  const { externalName } = (facts.resource.status ?? {}) as { readonly externalName?: unknown };
  const { uid } = facts.identity;
  const isOwn = typeof externalName === 'string' && attemptOf(externalName, uid) !== undefined;
  return isOwn ? externalName : runMarker(uid, 1);
}

function claimFor({ kind }: PlanInput, name: string): Claim {
  return { role: 'main', collection: collectionOf(kind), name };
}

/** The service refused it, and a LIST that was begun after that lacks it. */
function isSeenRefused({ kind, view, now }: PlanInput, claim: Claim): boolean {
  if (!isRefused(claim) || openAttempts(claim) !== 1 || !view || unreadableRowOf(kind, view, claim)) return false;
  const listWall = now.wall - (now.monotonic - view.listSentAt);
  return listWall > Date.parse(claim.attempts?.refusedAt ?? '');
}

/** Another attempt, or the first one. */
export function planStart(input: PlanInput): Plan {
  const settings = settingsOf(input);
  if (settings.cancel) return none(ended(input, 'Cancelled', 'cancelled before it was started'));
  if (settings.suspend) return planDiscard(input, suspended) ?? none(suspended);
  const provided = planProvide(input);
  if (provided) return provided;
  const obstacle = createPrecondition(input);
  if (obstacle) return none(obstacle);
  const claim = nextAttempt(input);
  const desired = input.kind.desired(specOf(input), mappingContext(input, claim.name));
  const ledger = intendedLedger(input, claim, desired);
  return { action: 'create', claim, ledger, body: desired.body, earlyStatus: startingRun };
}

const startingRun = waiting('service', 'Provisioning', 'starting the run in the service');
const suspended = waiting('kubernetes', 'Suspended', 'suspended: it is started when spec.suspend is false');

/** A marker that was announced and surely never received is used again. */
function nextAttempt(input: PlanInput): Claim {
  const { uid } = input.facts.identity;
  const known = currentClaim(input.ledger);
  if (known && isUnsent(known) && attemptOf(known.name, uid) !== undefined) return known;
  const last = Math.max(0, ...(input.ledger?.claims ?? []).map(({ name }) => attemptIn(name)));
  return claimFor(input, runMarker(uid, last + 1));
}

function isUnsent(claim: Claim): boolean {
  return isVoid(claim) && claim.attempts !== undefined && !isRefused(claim);
}

/** The number in the marker of any owner of the ledger. */
function attemptIn(marker: string): number {
  return attemptOf(marker, marker.slice(0, marker.lastIndexOf('-'))) ?? 0;
}

/** Each of them stays in the ledger. A service that starts runs and never answers must not start them without end. */
const mostUnknown = 20;

/** Another attempt follows one without an answer, as the spec allows. What is cancelled stays unknown. */
function isRepeated(input: PlanInput): boolean {
  const { retriesUnknown, cancel } = settingsOf(input);
  return retriesUnknown && !cancel && unknownRuns(input) <= mostUnknown;
}

function unknownRuns({ ledger }: PlanInput): number {
  return ledger?.claims.filter((one) => one.id === undefined && openAttempts(one) > 0).length ?? 0;
}

/** A create without an answer: looked for as long as it may take effect, and in two lists after that. */
function outcomeUnknown(input: PlanInput, claim: Claim): Outcome {
  const { now, view, kind, service, memory } = input;
  const until = quarantineEnd(input, claim) ?? now.wall;
  const pollMs = service.state === 'usable' ? service.pollSeconds * 1000 : 0;
  const lost = `the service did not say whether it started the run ${claim.name}`;
  const doubt = view && unreadableRowOf(kind, view, claim);
  if (doubt) return waiting('service', 'Provisioning', `${lost}, and ${unreadableRowText(doubt)}`);
  const message = `${lost}; looking for it. ${isRepeated(input) ? repeatText(until) : 'It is not sent a second time'}`;
  if (now.wall < until)
    return { ...waiting('time', 'Provisioning', message), afterMs: Math.min(pollMs, until - now.wall) };
  const { missingSince } = memory;
  if (missingSince === undefined || (view?.listSentAt ?? 0) < missingSince + pollMs)
    return { ...waiting('time', 'Provisioning', message), afterMs: pollMs };
  return refuse('OutcomeUnknown', `${lost}, and has no run with this marker. ${runAgainText(claim)}`);
}

function repeatText(until: number): string {
  return `If lists after ${new Date(until).toISOString().slice(11, 16)} UTC lack it, another run is started, because spec.onUnknown is Retry`;
}

/** How another run takes the place of one whose request is refused. Undefined: a user makes it. */
export function anotherRun({ facts }: Pick<PlanInput, 'facts'>): string | undefined {
  return templateText(facts.resource);
}
