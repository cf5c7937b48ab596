// The plan for a resource whose object has a recorded id: settle, wait, scale, or report that it failed or vanished.
import { conditionOf } from './facts.ts';
import type { RemoteObject } from './kind.ts';
import { type Claim, closeChange, currentClaim, forgetId, type Ledger } from './ledger.ts';
import { configDigest, keeper, referenceObstacle, refuse } from './obstacles.ts';
import type { Outcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import { planCreate } from './plan-create.ts';
import { given, type Situation } from './situation.ts';

/** A change that twice had no effect is tried again after this long: a freed quota heals it. */
const slowRetryMs = 10 * 60_000;
const triesBeforeStalled = 2;

export function planKnown(situation: Situation): Plan {
  const { ledger, view } = situation;
  const claim = currentClaim(ledger);
  if (!ledger || claim?.id === undefined) throw new Error('cannot plan: no id is recorded');
  if (!view) throw new Error('cannot plan: the service was not looked at');
  const remote = view.byId(claim.id);
  if (!remote) return planMissing(situation, claim, ledger);
  const duplicate = duplicateOf(situation, claim);
  if (duplicate) return { action: 'delete-duplicate', claim, id: duplicate.id };
  return planPresent(situation, { ...claim, id: claim.id }, remote);
}

/** One list may lag or lie: only two, a poll apart, say that it vanished. */
function planMissing(situation: Situation, claim: Claim, ledger: Ledger): Plan {
  const { view, memory, service, kind } = situation;
  const what = `${kind.definition.kind} ${claim.name} (${claim.id})`;
  const again = service.state === 'usable' ? service.pollSeconds * 1000 : 0;
  const apart = memory.missingSince !== undefined && (view?.listSentAt ?? 0) >= memory.missingSince + again;
  if (!apart || !view?.complete) {
    const message = `${what} is not in the service's list; looking again`;
    return none({
      result: 'failed',
      reason: 'ObservationFailed',
      message,
      observing: true,
      retryAfterMs: again,
      cause: undefined,
    });
  }
  if (kind.onVanished === 'recreate') return planCreate({ ...situation, ledger: forgetId(ledger, claim.name) });
  const remedy = 'Delete this resource and apply it again to get a new one';
  return none(refuse('ExternalDeleted', `${what} was deleted in the service, not by this operator. ${remedy}`));
}

/** A late commit can leave a second object of one content name; it may go once nothing refers to it. */
function duplicateOf({ kind, view, mentioned }: Situation, claim: Claim): RemoteObject | undefined {
  if (kind.identity !== 'content' || !view || !mentioned) return undefined;
  const rows = view.byName(claim.name);
  const kept = keeper(rows, claim.id, mentioned);
  return rows.find((row) => row.id !== kept?.id && !mentioned.has(row.id));
}

function planPresent(situation: Situation, claim: Claim & { readonly id: string }, remote: RemoteObject): Plan {
  const health = situation.kind.health(remote);
  const text = health.message ? `: ${health.message}` : '';
  switch (health.state) {
    case 'failed':
      return none(
        refuse(
          'ExternalError',
          `the service reports an error${text}. Delete this resource and apply it again to repair it`,
        ),
      );
    case 'deleting':
      return none(
        waiting('ExternalDeleted', 'the service is deleting the object, which was not asked for by this operator'),
      );
    case 'busy':
      if (!situation.ledger?.change) return none(waiting('Provisioning', `in progress${text}`));
      return none(scaling(situation));
    case 'ready':
      return planDifference(situation, claim, remote);
  }
}

function planDifference(situation: Situation, claim: Claim & { readonly id: string }, remote: RemoteObject): Plan {
  const { kind, facts, ledger, service } = situation;
  if (!ledger || !facts.spec.ok || service.state !== 'usable')
    throw new Error('cannot plan: there is no ledger or no spec');
  const difference = kind.difference(facts.spec.value, remote, { ledger, dialect: service.dialect });
  switch (difference.state) {
    case 'none':
      return ledger.change ? { action: 'close-change', ledger: closeChange(ledger) } : none({ result: 'settled' });
    case 'unfixable':
      return none(refuse('InvalidSpec', difference.message));
    case 'change':
      return planChange(situation, claim, difference);
  }
}

function planChange(
  situation: Situation,
  claim: Claim & { readonly id: string },
  difference: Extract<ReturnType<Situation['kind']['difference']>, { state: 'change' }>,
): Plan {
  const { kind, resolutions, ledger, facts, now } = situation;
  if (!ledger || !facts.spec.ok || !kind.change) throw new Error(`cannot change a ${kind.definition.kind}`);
  const awaited = referenceObstacle(resolutions, difference.uses);
  if (awaited) return none(awaited);
  const tries = sameTarget(ledger.change?.target, difference.target) ? (ledger.change?.tries ?? 0) : 0;
  const sentAt = Date.parse(ledger.change?.sentAt ?? '') || 0;
  if (tries >= triesBeforeStalled && now.wall - sentAt < slowRetryMs)
    return none(noEffect(situation, difference.summary));
  const configs = Object.fromEntries(
    Object.entries(kind.configs(facts.spec.value)).map(([path, value]) => [path, configDigest(value)]),
  );
  const madeFrom = kind.madeFrom?.(facts.spec.value, difference.diff, ledger);
  const intended: Ledger = {
    ...ledger,
    configs,
    ...(madeFrom ? { madeFrom: { ...madeFrom } } : {}),
    change: {
      generation: facts.generation,
      target: { ...difference.target },
      sentAt: new Date(now.wall).toISOString(),
      tries: tries + 1,
    },
  };
  const change = kind.change(difference.diff, given(situation, claim.name));
  const { summary, drift } = difference;
  const reason = scalingReason(situation);
  const ids = { claim, id: claim.id, madeFrom: ledger.madeFrom };
  const update = { action: 'update', ...ids, ledger: intended, change, summary, reason } as const;
  return reason === 'CorrectingDrift' ? { ...update, drift } : update;
}

/** The words of the request that is being carried out stay while it is. */
function scaling(situation: Situation): Outcome {
  const { facts, ledger } = situation;
  const reason = scalingReason(situation);
  const said = conditionOf(facts, 'Ready');
  if (said?.reason === reason && facts.observedGeneration === facts.generation) return waiting(reason, said.message);
  const target = Object.entries(ledger?.change?.target ?? {}).map(([name, count]) => `${name} to ${count}`);
  return waiting(reason, `scaling ${target.join(', ')}`);
}

/** What was right for this generation, and is not any more, was changed behind our back. */
function scalingReason({ facts, memory }: Situation): 'Scaling' | 'CorrectingDrift' {
  const ready = conditionOf(facts, 'Ready');
  const correcting = ready?.reason === 'CorrectingDrift' && facts.observedGeneration === facts.generation;
  return memory.settledGeneration === facts.generation || correcting ? 'CorrectingDrift' : 'Scaling';
}

function noEffect({ kind, view, ledger }: Situation, summary: string): Outcome {
  const claim = currentClaim(ledger);
  const remote = claim?.id === undefined ? undefined : view?.byId(claim.id);
  const text = remote ? kind.health(remote).message : undefined;
  const why = text ? `the service says: ${text}` : 'the service gave no reason';
  return refuse(
    'ScaleHasNoEffect',
    `scaling (${summary}) was accepted ${triesBeforeStalled} times without effect; ${why}. It is tried again every 10 minutes`,
  );
}

function sameTarget(
  one: Readonly<Record<string, number>> | undefined,
  other: Readonly<Record<string, number>>,
): boolean {
  if (!one) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function waiting(reason: 'Provisioning' | 'Scaling' | 'CorrectingDrift' | 'ExternalDeleted', message: string): Outcome {
  return { result: 'waiting', on: 'service', reason, message };
}

function none(outcome: Outcome): Plan {
  return { action: 'none', outcome };
}
