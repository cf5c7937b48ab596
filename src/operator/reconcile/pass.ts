// One pass over one key: read, observe, plan, execute, report.
//
// Guarantees: the finalizer is set before the first external write; at most one external mutation a pass; a create whose answer was
// lost is found again; the finalizer is removed only after the object is proven gone, or by Orphan; any exception is a failed pass.
import { execute } from './execute/execute.ts';
import { Quotas } from './execute/quota.ts';
import { emptyMemory, type KeyMemory } from './key-memory.ts';
import type { MassDeletion } from './lists/mass-deletion.ts';
import { lookForExisting } from './observe/adoption.ts';
import { needsObservation, needsRequest, observe, readReferents } from './observe/observe.ts';
import { readFiles } from './observe/privates.ts';
import { referringUsers } from './observe/referrers.ts';
import { noteLifecycle } from './observe/use.ts';
import { type Outcome, outcomeOfError, withWayOut } from './outcome.ts';
import { isUnjudged, rightfulClaimant } from './ownership/claimants.ts';
import { type Key, keyText, type PassContext, type PassPorts } from './pass-ports.ts';
import { PassState } from './pass-state.ts';
import { plan } from './plan/plan.ts';
import { deleting } from './plan/plan-delete.ts';
import { type Done, done } from './protocol/effects.ts';
import { endIfRefused } from './refused-run.ts';
import { report, writeEarlyStatus } from './report.ts';
import type { Requeue } from './requeue.ts';
import { isReady, wasObserved } from './resource/facts.ts';
import { connectionOf } from './resource/references.ts';
import { withAccessRemedy } from './status/credentials-remedy.ts';

/** How often to check whether the Connections of all claimants were observed, which happens within seconds of a start. */
const unjudgedMs = 1_000;

/** `memories`: what this process knows of each key, by the key's text. */
export function createPass(
  ports: PassPorts,
  memories = new Map<string, KeyMemory>(),
): (key: Key, context: PassContext) => Promise<Requeue> {
  const quotas = new Quotas(ports);
  return async (key, context) => {
    const kind = ports.kinds.get(key.kind);
    if (!kind) throw new Error(`cannot reconcile ${key.kind}: no such kind is registered`);
    const resource = ports.store.read(key);
    if (!resource) {
      memories.delete(keyText(key));
      return { next: 'gone' };
    }
    // Nothing is known of the Connection yet, so nothing is read or reported: its first observation wakes the key.
    if (ports.services.lookup(connectionOf(resource)).state === 'unchecked') return { next: 'budget' };
    const memory = remember(memories, key, resource.metadata.uid);
    const pass = new PassState(ports, { kind, resource, memory, context });
    noteGeneration(pass);
    const { outcome: reached, events = [] } = await attempt(pass, quotas);
    const outcome = endIfRefused(pass, reached);
    const explained = withAccessRemedy(outcome, pass.facts.connection, connectionSpec(pass));
    return report(pass, pass.facts.deleting ? withWayOut(explained) : explained, events);
  };
}

function connectionSpec({ ports, facts }: PassState): unknown {
  return ports.store.read(facts.connection)?.spec;
}

function remember(memories: Map<string, KeyMemory>, key: Key, uid: string): KeyMemory {
  const known = memories.get(keyText(key));
  if (known?.uid === uid) return known;
  const fresh = emptyMemory(uid);
  memories.set(keyText(key), fresh);
  return fresh;
}

function noteGeneration({ facts, memory, ports }: PassState): void {
  if (facts.isRecounted) memory.settledGeneration = undefined;
  else if (isReady(facts)) memory.settledGeneration = facts.generation;
  if (facts.observedGeneration === facts.generation || memory.generationSeen?.generation === facts.generation) return;
  memory.generationSeen = { generation: facts.generation, at: ports.clock.monotonic() };
}

async function attempt(pass: PassState, quotas: Quotas): Promise<Done> {
  try {
    if (pass.facts.deleting && !pass.facts.hasFinalizer) return done({ result: 'released' });
    const failure = await observeBoth(pass);
    if (failure) return done(failure);
    pass.autoscale();
    noteGeneration(pass);
    if (isSettledAnew(pass)) return done({ result: 'requeue' });
    if (isUnjudged(pass)) return done({ result: 'requeue', afterMs: unjudgedMs });
    pass.claimedBy = rightfulClaimant(pass);
    if (pass.facts.deleting || pass.ledger?.expired) pass.users = await referringUsers(pass);
    pass.massDeletion = await lossOf(pass);
    pass.lifecycle = noteLifecycle(pass);
    const next = quotas.admit(pass, plan(pass.planInput()));
    if ('earlyStatus' in next && next.earlyStatus) await writeEarlyStatus(pass, next.earlyStatus);
    return await execute(pass, next);
  } catch (error) {
    return done(outcomeOfError(error));
  } finally {
    quotas.release(pass.facts.key);
  }
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
async function observeBoth(pass: PassState): Promise<Outcome | undefined> {
  pass.resolutions = pass.resolve();
  const needed = needsObservation(pass);
  if (needed && needsRequest(pass)) await writeEarlyStatus(pass, polling(pass));
  try {
    if (needed) await observe(pass);
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
