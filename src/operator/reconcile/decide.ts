// The first half of a pass: observes both sides, and decides on the next step. It sends reads to the service, and writes nothing.
import type { Quotas } from './execute/quota.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';
import { lookForExisting } from './observe/adoption.ts';
import { needsObservation, needsRequest, observe, readReferents } from './observe/observe.ts';
import { readFiles } from './observe/privates.ts';
import { proveReferents } from './observe/referents.ts';
import { referringUsers } from './observe/referrers.ts';
import { noteLifecycle } from './observe/use.ts';
import { type Outcome, outcomeOfError } from './outcome.ts';
import { isUnjudged, rightfulClaimant } from './ownership/claimants.ts';
import type { PassState } from './pass-state.ts';
import type { Plan } from './plan/next-step.ts';
import { plan } from './plan/plan.ts';
import { deleting } from './plan/plan-delete.ts';
import { type Done, done } from './protocol/effects.ts';
import { isReady, wasObserved } from './resource/facts.ts';

/** How often to check whether the Connections of all claimants were observed, which happens within seconds of a start. */
const unjudgedMs = 1_000;

interface Deciding {
  readonly quotas: Quotas;
  /** Called before a request to the service for a new generation. */
  readonly asking: (outcome: Outcome) => Promise<void>;
}

/** Done: there is nothing to decide, or not now. Rejects with what is wrong but for failed observations. */
export async function decide(pass: PassState, { quotas, asking }: Deciding): Promise<Plan | Done> {
  if (pass.facts.deleting && !pass.facts.hasFinalizer) return done({ result: 'released' });
  const failure = await observeBoth(pass, asking);
  if (failure) return done(failure);
  pass.autoscale();
  noteGeneration(pass);
  if (isSettledAnew(pass)) return done({ result: 'requeue' });
  if (isUnjudged(pass)) return done({ result: 'requeue', afterMs: unjudgedMs });
  pass.claimedBy = rightfulClaimant(pass);
  if (pass.facts.deleting || pass.ledger?.expired) pass.users = await referringUsers(pass);
  pass.massDeletion = await lossOf(pass);
  pass.lifecycle = noteLifecycle(pass);
  return quotas.admit(pass, plan(pass.planInput()));
}

export function noteGeneration({ facts, memory, ports }: PassState): void {
  if (facts.isRecounted) memory.settledGeneration = undefined;
  else if (isReady(facts)) memory.settledGeneration = facts.generation;
  if (facts.observedGeneration === facts.generation || memory.generationSeen?.generation === facts.generation) return;
  memory.generationSeen = { generation: facts.generation, at: ports.clock.monotonic() };
}

/**
 * The Connection leads elsewhere since this pass began. Whose claims count is judged by where it leads now; that must not be mixed
 * with writes to where it led before.
 */
function isSettledAnew({ ports, facts, service }: PassState): boolean {
  const now = ports.services.lookup(facts.connection);
  if (now.state !== 'usable' || service.state !== 'usable') return false;
  const { endpoint, tenant, endpoints } = service;
  return now.endpoint !== endpoint || now.tenant !== tenant || now.endpoints.join(' ') !== endpoints.join(' ');
}

/** Only where the object itself is missing: the judgement needs all resources. */
async function lossOf({ memory, facts, ports }: PassState): Promise<MassDeletion | undefined> {
  return memory.missingSince === undefined ? undefined : ports.massDeletion(facts.connection, facts.key.namespace);
}

/** Observes the service; returns an outcome only where that failed. */
async function observeBoth(pass: PassState, asking: Deciding['asking']): Promise<Outcome | undefined> {
  pass.resolutions = pass.resolve();
  const needed = needsObservation(pass);
  if (needed && needsRequest(pass)) await asking(polling(pass));
  try {
    if (needed) await observe(pass);
    pass.resolutions = await proveReferents(pass);
    await readReferents(pass);
    await lookForExisting(pass);
    await readFiles(pass);
    return undefined;
  } catch (error) {
    const outcome = outcomeOfError(error);
    return outcome.result === 'failed' && outcome.reason !== 'InternalError'
      ? { ...outcome, observing: wasObserved(pass.facts) }
      : outcome;
  }
}

function polling({ facts }: PassState): Outcome {
  return facts.deleting
    ? deleting
    : { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'comparing the new spec with the service' };
}
