// One pass over one key: read, observe, plan, execute, report.
//
// Guarantees: the finalizer is set before the first external write; at most one external mutation a pass; a create whose answer was
// lost is found again; the finalizer is removed only after the object is proven gone, or by Orphan; any exception is a failed pass.
import { decide, noteGeneration } from './decide.ts';
import { execute } from './execute/execute.ts';
import { Quotas } from './execute/quota.ts';
import { emptyMemory, type KeyMemory } from './key-memory.ts';
import { outcomeOfError, withWayOut } from './outcome.ts';
import { type Key, keyText, type PassContext, type PassPorts } from './pass-ports.ts';
import { PassState } from './pass-state.ts';
import { type Done, done } from './protocol/effects.ts';
import { firstChange } from './protocol/first-change.ts';
import { endIfRefused } from './refused-run.ts';
import { report, writeEarlyStatus } from './report.ts';
import type { Requeue } from './requeue.ts';
import { connectionOf } from './resource/references.ts';
import { withAccessRemedy } from './status/credentials-remedy.ts';

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
      quotas.forget(key);
      return { next: 'gone' };
    }
    // Nothing is known of the Connection yet, so nothing is read or reported: its first observation wakes the key.
    if (ports.services.lookup(connectionOf(resource)).state === 'unchecked') return { next: 'budget' };
    const memory = remember(memories, key, resource.metadata.uid);
    const pass = new PassState(ports, { kind, resource, memory, context });
    noteGeneration(pass);
    const { outcome: reached, events = [] } = await attempt(pass, quotas);
    if (reached.result !== 'requeue') quotas.saw(pass);
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

async function attempt(pass: PassState, quotas: Quotas): Promise<Done> {
  try {
    const decided = await decide(pass, { quotas, asking: (outcome) => writeEarlyStatus(pass, outcome) });
    if (!('action' in decided)) return decided;
    const next = firstChange(pass.planInput(), decided);
    if ('earlyStatus' in next && next.earlyStatus) await writeEarlyStatus(pass, next.earlyStatus);
    return await execute(pass, next);
  } catch (error) {
    return done(outcomeOfError(error));
  } finally {
    quotas.release(pass.facts.key);
  }
}
