// The plan for a resource whose object has a recorded id: settle, wait, scale, or report that it failed or vanished.

import { acceptLossAnnotation, recreateAnnotation } from '../../api/common.ts';
import type { RemoteObject } from '../kind.ts';
import { closeChange, forgetId } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger } from '../ledger/ledger.ts';
import { lossText } from '../lists/mass-deletion.ts';
import { doubtOf, doubtText } from '../lists/unreadable-rows.ts';
import { type Outcome, refuse, wayOut } from '../outcome.ts';
import { ownNamed, unprovenObject, unprovenText } from '../ownership/ownership.ts';
import { atWork, isUnwanted, type Situation } from '../plan-input.ts';
import { changing, planDifference } from './change.ts';
import { planAbsent, planSpares } from './fixed-name.ts';
import { keeper, referenceObstacle } from './preconditions.ts';
import { planLeftovers, planRevision } from './revision.ts';
import type { Plan } from './types.ts';

export function planKnown(situation: Situation): Plan {
  const { ledger, view } = situation;
  const claim = currentClaim(ledger);
  if (!ledger || claim?.id === undefined) throw new Error('cannot plan: no id is recorded');
  if (!view) throw new Error('cannot plan: the service was not looked at');
  const another = planRevision(situation, claim);
  if (another) return another;
  const remote = view.byId(claim.id);
  if (!remote) return planMissing(situation, claim, ledger);
  const unproven = unprovenObject(situation, claim);
  if (unproven) return none(refuse('OwnershipUnconfirmed', `${unprovenText(situation, claim, unproven)}. ${notOurs}`));
  if (isUnwanted(situation.kind, situation.facts, claim)) return planRemoval(situation, claim, remote);
  const duplicate = duplicateOf(situation, claim);
  if (duplicate) return { action: 'delete-duplicate', claim, id: duplicate.id };
  const present = planLeftovers(situation) ?? planPresent(situation, { ...claim, id: claim.id }, remote);
  return planSpares(situation, present);
}

/** One list may lag or lie: only two, a poll apart, say that it vanished. */
function planMissing(situation: Situation, claim: Claim, ledger: Ledger): Plan {
  const { view, memory, service, kind, facts } = situation;
  const what = `${kind.definition.kind} ${claim.name} (${claim.id})`;
  const again = service.state === 'usable' ? service.pollSeconds * 1000 : 0;
  const apart = memory.missingSince !== undefined && (view?.listSentAt ?? 0) >= memory.missingSince + again;
  const asked = isUnwanted(kind, facts, claim);
  const doubt = view && doubtOf(kind, view, claim);
  if (!apart || doubt) {
    if (asked) return none(waiting('Provisioning', `${what} is gone; making sure of that before another one is made`));
    const message = `${what} is not in the service's list${doubt ? ` for sure: ${doubtText(doubt)}` : ''}; looking again`;
    return none({
      result: 'failed',
      reason: 'ObservationFailed',
      message,
      observing: true,
      retryAfterMs: again,
      cause: undefined,
    });
  }
  const held = asked ? undefined : heldBack(situation, what);
  if (held) return none(held);
  if (asked || kind.onVanished === 'recreate')
    return planAnother(situation, claim, forgetId(closeChange(ledger), claim.name));
  const remedy = `To get a new one, ${anew(claim)}`;
  return none(refuse('ExternalDeleted', `${what} was deleted in the service, not by this operator. ${remedy}`));
}

/** What was seen is as old as the last poll. Where the id is given there is nothing to forget. */
function planAnother(situation: Situation, claim: Claim, ledger: Ledger): Plan {
  if (situation.kind.identity === 'given' || claim.id === undefined) return planAbsent({ ...situation, ledger });
  return { action: 'forget', claim, id: claim.id, ledger };
}

/** The way out where a recorded object is not proven to be ours. */
const notOurs = `Nothing is changed or deleted. Give it its name back in the service, or ${wayOut[0]?.toLowerCase()}${wayOut.slice(1)}`;

const anew = ({ id }: Claim): string =>
  `delete this resource and apply it again, or set the annotation ${recreateAnnotation}: ${id}`;

/** Nothing is taken away before the other one can be made. */
function planRemoval(situation: Situation, claim: Claim, found: RemoteObject): Plan {
  const { facts, kind, resolutions } = situation;
  const awaited = facts.spec.ok ? referenceObstacle(resolutions, kind.references(facts.spec.value)) : undefined;
  return awaited ? none(awaited) : { action: 'remove', claims: [claim], found };
}

/** It is one of many that are gone at once. Polled, because they may come back. */
function heldBack({ loss, facts }: Situation, what: string): Outcome | undefined {
  if (!loss) return undefined;
  const text = lossText(loss, acceptLossAnnotation);
  const blocker = { kind: 'Connection', name: facts.connection, reason: 'ObjectsVanished', message: text } as const;
  const message = `${what} is not in the service any more: ${text}`;
  return { result: 'waiting', on: 'service', reason: 'ExternalDeleted', message, blockedOn: [blocker] };
}

/** A late commit can leave a second object of one content name; it may go once nothing refers to it. */
function duplicateOf(situation: Situation, claim: Claim): RemoteObject | undefined {
  const { kind, view, mentioned } = situation;
  if (kind.identity !== 'content' || !view || !mentioned) return undefined;
  const rows = ownNamed(situation, claim);
  const kept = keeper(rows, claim.id, mentioned);
  return rows.find((row) => row.id !== kept?.id && !mentioned.has(row.id));
}

function planPresent(situation: Situation, claim: Claim & { readonly id: string }, remote: RemoteObject): Plan {
  const health = situation.kind.health(remote);
  const text = health.message ? `: ${health.message}` : '';
  switch (health.state) {
    case 'failed':
      return none(refuse('ExternalError', `the service reports an error${text}. To repair it, ${anew(claim)}`));
    case 'deleting':
      return none(
        waiting('ExternalDeleted', 'the service is deleting the object, which was not asked for by this operator'),
      );
    case 'busy':
      if (situation.ledger?.change) return none(changing(situation));
      return none(waiting('Provisioning', atWork(situation.kind, claim, health)));
    case 'ready':
      return planDifference(situation, claim, remote);
  }
}

function waiting(reason: 'Provisioning' | 'ExternalDeleted', message: string): Outcome {
  return { result: 'waiting', on: 'service', reason, message };
}

function none(outcome: Outcome): Plan {
  return { action: 'none', outcome };
}
