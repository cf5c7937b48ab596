// One pass over one key: read, observe, plan, drive the protocol, report.
//
// Guarantees: the finalizer is set before the first external write; at most one external mutation a pass; a create whose answer was
// lost is found again; the finalizer goes only after the object is proven gone, or by Orphan; whatever throws is a failed pass.

import { drive } from './execute/execute.ts';
import { emptyMemory, type Memory } from './key-memory.ts';
import type { Loss } from './lists/mass-deletion.ts';
import { gather, look, mustAsk, wantsView } from './observe/observe.ts';
import { type Outcome, outcomeOfError } from './outcome.ts';
import { isUnjudged, rightfulClaimant } from './ownership/claimants.ts';
import { Run } from './pass-state.ts';
import { plan } from './plan/plan.ts';
import type { Plan } from './plan/types.ts';
import { type Key, keyText, type PassContext, type PassPorts } from './ports.ts';
import type { Done } from './protocol/effects.ts';
import { done } from './protocol/effects.ts';
import { announce, conclude } from './report.ts';
import type { Verdict } from './requeue.ts';
import { isReady, wasObserved } from './resource/facts.ts';
import { connectionName } from './resource/references.ts';
import { withAccessRemedy } from './status/credentials-remedy.ts';

/** `memories`: what this process knows of each key, by its text. */
export function createPass(
  ports: PassPorts,
  memories = new Map<string, Memory>(),
): (key: Key, context: PassContext) => Promise<Verdict> {
  return async (key, context) => {
    const kind = ports.kinds.get(key.kind);
    if (!kind) throw new Error(`cannot reconcile ${key.kind}: no such kind is registered`);
    const resource = ports.store.read(key);
    if (!resource) {
      memories.delete(keyText(key));
      return { next: 'gone' };
    }
    // Nothing is known of the Connection, so nothing is read or said, however many wait for it: its first look wakes us.
    if (ports.services.lookup(key.namespace, connectionName(resource)).state === 'unchecked') return { next: 'budget' };
    const memory = remember(memories, key, resource.metadata.uid);
    const run = new Run(ports, { kind, resource, memory, context });
    noteGeneration(run);
    const { outcome, events = [] } = await attempt(run);
    return conclude(run, withAccessRemedy(outcome, run.facts.connection, connectionSpec(run)), events);
  };
}

function connectionSpec({ ports, facts }: Run): unknown {
  const { namespace } = facts.key;
  return ports.store.read({ kind: 'Connection', namespace, name: facts.connection })?.spec;
}

function remember(memories: Map<string, Memory>, key: Key, uid: string): Memory {
  const known = memories.get(keyText(key));
  if (known?.uid === uid) return known;
  const fresh = emptyMemory(uid);
  memories.set(keyText(key), fresh);
  return fresh;
}

function noteGeneration({ facts, memory, ports }: Run): void {
  if (isReady(facts)) memory.settledGeneration = facts.generation;
  if (facts.observedGeneration === facts.generation || memory.generationSeen?.generation === facts.generation) return;
  memory.generationSeen = { generation: facts.generation, at: ports.clock.monotonic() };
}

async function attempt(run: Run): Promise<Done> {
  try {
    if (run.facts.deleting && !run.facts.held) return done({ result: 'released' });
    const failure = await observe(run);
    if (failure) return done(failure);
    // Quietly: the Connection that it depends on is looked at within seconds of a start.
    if (isUnjudged(run) || isSettledAnew(run)) return done({ result: 'conflict' });
    run.claimedBy = rightfulClaimant(run);
    run.loss = await lossOf(run);
    const next = plan(run.situation());
    const coming = announcement(next);
    if (coming) await announce(run, coming);
    return await drive(run, next);
  } catch (error) {
    return done(outcomeOfError(error));
  }
}

/**
 * The Connection leads elsewhere since this pass began. Whose claims count is judged by where it leads now, and must not be mixed with
 * what is done where it led before.
 */
function isSettledAnew({ ports, facts, service }: Run): boolean {
  const now = ports.services.lookup(facts.key.namespace, facts.connection);
  if (now.state !== 'usable' || service.state !== 'usable') return false;
  const { endpoint, tenant, endpoints } = service;
  return now.endpoint !== endpoint || now.tenant !== tenant || now.endpoints.join(' ') !== endpoints.join(' ');
}

/** Asked for only where the object itself is missing: it takes a look at all. */
async function lossOf({ memory, facts, ports }: Run): Promise<Loss | undefined> {
  return memory.missingSince === undefined ? undefined : ports.loss(facts.key.namespace, facts.connection);
}

/** Looks at the service; the outcome when it could not be looked at. */
async function observe(run: Run): Promise<Outcome | undefined> {
  run.resolutions = run.resolve();
  const needed = wantsView(run);
  if (needed && mustAsk(run)) await announce(run, looking(run));
  try {
    if (needed) await look(run);
    await gather(run);
    return undefined;
  } catch (error) {
    const outcome = outcomeOfError(error);
    return outcome.result === 'failed' && outcome.reason !== 'InternalError'
      ? { ...outcome, observing: wasObserved(run.facts) }
      : outcome;
  }
}

const deleting: Outcome = {
  result: 'waiting',
  on: 'service',
  reason: 'Deleting',
  message: 'the service is to delete it',
};

function looking({ facts }: Run): Outcome {
  if (facts.deleting) return deleting;
  return {
    result: 'waiting',
    on: 'service',
    reason: 'Provisioning',
    message: 'comparing the new spec with the service',
  };
}

/** What is about to be done, in the words of a status. */
function announcement(next: Plan): Outcome | undefined {
  switch (next.action) {
    case 'create':
      return { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'creating it in the service' };
    case 'update':
      return { result: 'waiting', on: 'service', reason: next.reason, message: next.message };
    case 'collect':
      return next.switched && { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'replacing it' };
    case 'delete':
      return deleting;
    default:
      return undefined;
  }
}
