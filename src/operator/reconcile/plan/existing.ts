// The plan for a resource whose object has a recorded id: settle, wait, change, or report that it failed or vanished.
import { acceptLossAnnotation, recreateAnnotation } from '../../api/shared-api.ts';
import { type Kind, privateContentOf, type RemoteObject } from '../kind/kind.ts';
import { closeChange, forgetId } from '../ledger/edits.ts';
import { type Claim, currentClaim, type Ledger } from '../ledger/ledger.ts';
import { sparePrivates } from '../ledger/private-content.ts';
import { massDeletionText } from '../lists/mass-deletion.ts';
import { unreadableRowOf, unreadableRowText } from '../lists/unreadable-rows.ts';
import { type Outcome, refuse, waiting, wayOut } from '../outcome.ts';
import { claimText, ownNamed, preferredObject, unprovenObject, unprovenText } from '../ownership/ownership.ts';
import { isUnwanted, type PlanInput } from '../plan-input.ts';
import { recentDelete } from '../quarantine.ts';
import { isReady } from '../resource/facts.ts';
import { deletingText, workingText } from '../status/messages.ts';
import { planLeftovers, planLostContent, planRevision } from './content.ts';
import { spareTemplates } from './fixed-name.ts';
import { deleteDuplicate, deleteToReplace, none, type Plan, replacing } from './next-step.ts';
import { planDifference, planNewerChange } from './plan-change.ts';
import { planCreate } from './plan-create.ts';
import { referencePrecondition } from './preconditions.ts';
import { planKnownRun, planVanishedRun, wasSeenOver } from './runs/run-progress.ts';
import { planRetry } from './runs/run-retry.ts';

export function planExisting(input: PlanInput): Plan {
  const { ledger, view } = input;
  const claim = currentClaim(ledger);
  if (!ledger || claim?.id === undefined) throw new Error('cannot plan: no id is recorded');
  if (!view) throw new Error('cannot plan: the service was not looked at');
  const another = planRevision(input, claim);
  if (another) return another;
  const remote = view.byId(claim.id);
  if (!remote && input.kind.identity === 'once' && wasSeenOver(input, claim)) return planRetry(input, claim);
  if (!remote) return planMissing(input, claim, ledger);
  const unproven = unprovenObject(input, claim);
  if (unproven)
    return none(refuse('OwnershipUnconfirmed', `${unprovenText(input, claim, unproven)}. ${notOurs(claim, unproven)}`));
  if (input.kind.identity === 'once') return planKnownRun(input, claim, remote);
  if (isUnwanted(input.kind, input.facts, claim)) return planRemoval(input, claim, remote);
  const duplicate = duplicateOf(input, claim);
  if (duplicate) return deleteDuplicate(input, claim, duplicate.id);
  const present = planLeftovers(input) ?? planLostContent(input, claim) ?? planPresent(input, claim, remote);
  return planSpares(input, present);
}

/** A list may lag or lie: only two lists, a poll apart, show that the object vanished. */
function planMissing(input: PlanInput, claim: Claim, ledger: Ledger): Plan {
  const { view, memory, service, kind, facts, now } = input;
  const what = `${kind.definition.kind} ${claim.name} (${claim.id})`;
  const again = service.state === 'usable' ? service.pollSeconds * 1000 : 0;
  const apart = memory.missingSince !== undefined && (view?.listSentAt ?? 0) >= memory.missingSince + again;
  const asked = isUnwanted(kind, facts, claim);
  const doubt = view && unreadableRowOf(kind, view, claim);
  if (!apart || doubt) {
    if (asked) {
      const message = `confirming that ${what} is gone before recreating it`;
      const leftMs = doubt || memory.missingSince === undefined ? 0 : memory.missingSince + again - now.monotonic;
      // No LIST before that proves anything.
      if (leftMs > 0) return none({ ...waiting('time', 'Provisioning', message), afterMs: leftMs });
      return none(waiting('service', 'Provisioning', message));
    }
    const where = doubt
      ? `may be missing from the service's list: ${unreadableRowText(doubt)}`
      : "is missing from the service's list";
    const message = `${what} ${where}; checking again in ${again / 1000} s`;
    return none({
      result: 'failed',
      reason: 'ObservationFailed',
      message,
      observing: true,
      retryAfterMs: again,
      cause: undefined,
    });
  }
  const unconfirmed = asked ? undefined : waitForConfirmation(input, what);
  if (unconfirmed) return none(unconfirmed);
  if (kind.identity === 'once') return planVanishedRun(input, claim);
  if (asked || facts.onExternalDelete === 'Recreate')
    return planAnother(input, claim, forgetId(closeChange(ledger), claim.name));
  const remedy = `To create a new one, ${anew(kind, claim)}`;
  return none(refuse('ExternalDeleted', `${what} was deleted in the service, not by this operator. ${remedy}`));
}

/** What was observed is as old as the last poll. Where the id is given there is nothing to forget. */
function planAnother(input: PlanInput, claim: Claim, ledger: Ledger): Plan {
  if (input.kind.identity === 'given' || claim.id === undefined) return planCreate({ ...input, ledger });
  return { action: 'forget', claim, id: claim.id, ledger };
}

/** The remedy where a recorded object is not proven to be ours. */
function notOurs(claim: Claim, found: RemoteObject): string {
  const rename = found.name === claim.name ? '' : ', and continues when you rename it back in the service';
  return `It is safe: the operator neither changes nor deletes it${rename}. ${wayOut}`;
}

function anew({ identity }: Kind, { id }: Claim): string {
  const how =
    identity === 'named' ? `the annotation ${recreateAnnotation}: ${id}` : 'spec.onExternalDelete to Recreate';
  return `set ${how}, or delete this resource and apply it again`;
}

/** Nothing is deleted before the replacement can be made. */
function planRemoval(input: PlanInput, claim: Claim, found: RemoteObject): Plan {
  const { facts, kind, resolutions } = input;
  const awaited = facts.spec.ok
    ? referencePrecondition(resolutions, kind.references(facts.spec.value, facts.key.name))
    : undefined;
  if (awaited) return none(awaited);
  const health = kind.health(found);
  const sent = recentDelete(input, found, health);
  if (sent) return none(replacing(deletingText(health, sent)));
  return deleteToReplace(input, claim, found.id);
}

/** It is one of many that vanished at once. Polled, because they may come back. */
function waitForConfirmation({ massDeletion, facts }: PlanInput, what: string): Outcome | undefined {
  if (!massDeletion) return undefined;
  const text = massDeletionText(massDeletion, {
    annotation: acceptLossAnnotation,
    connection: facts.connection,
  });
  const { kind, name } = facts.connection;
  const blocker = { kind, name, reason: 'ObjectsVanished', message: text } as const;
  const message = `${what} is no longer in the service: ${text}`;
  return waiting('service', 'ExternalDeleted', message, [blocker]);
}

/** A late commit can leave a second object of the same content name; it may go once nothing refers to it. */
function duplicateOf(input: PlanInput, claim: Claim): RemoteObject | undefined {
  const { kind, view, referencedIds } = input;
  if (kind.identity !== 'content' || !view || !referencedIds) return undefined;
  const rows = ownNamed(input, claim);
  const kept = preferredObject(rows, claim.id, referencedIds);
  return rows.find((row) => row.id !== kept?.id && !referencedIds.has(row.id));
}

function planPresent(input: PlanInput, claim: Claim, remote: RemoteObject): Plan {
  const health = input.kind.health(remote);
  const change = input.ledger?.change;
  const what = claimText(input.kind, claim);
  switch (health.state) {
    case 'failed':
      return none(
        refuse(
          'ExternalError',
          `${what} has failed in the service: ${health.message}. To replace it and lose its data, ${anew(input.kind, claim)}`,
        ),
      );
    case 'deleting':
      return none(
        waiting(
          'service',
          'ExternalDeleted',
          `another client is deleting ${what} in the service. When it is gone, this message explains how to create a new one`,
        ),
      );
    case 'busy':
      if (change) return planNewerChange(input, { claim, remote }, change);
      return none(waiting('service', 'Provisioning', workingText(input.kind, claim, health)));
    case 'ready':
      return planDifference(input, claim, remote);
  }
}

/** Private objects that nothing needs any more are deleted once everything is as wanted. */
function planSpares(input: PlanInput, plan: Plan): Plan {
  if (plan.action !== 'none' || plan.outcome.result !== 'settled' || !isReady(input.facts)) return plan;
  const claims = privateContentOf(input.kind) ? sparePrivates(input.ledger) : spareTemplates(input);
  return claims.length === 0 ? plan : { action: 'collect', claims, generation: input.facts.generation };
}
