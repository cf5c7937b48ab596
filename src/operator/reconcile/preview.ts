// What the operator would do next for a resource, without doing it: decides as a pass does, with the same observations and the same plans.
import { decide } from './decide.ts';
import { Quotas } from './execute/quota.ts';
import { emptyMemory } from './key-memory.ts';
import { currentClaim, serialiseLedger } from './ledger/ledger.ts';
import { type Outcome, outcomeOfError, type PlannedWrite } from './outcome.ts';
import { claimText } from './ownership/ownership.ts';
import type { Key, PassContext, PassPorts } from './pass-ports.ts';
import { PassState } from './pass-state.ts';
import type { Plan } from './plan/next-step.ts';
import { adoptionText } from './plan/plan-adoption.ts';
import { plannedWrite } from './plan/planned-write.ts';
import { isWrite } from './plan/policy.ts';
import { referencePrecondition } from './plan/preconditions.ts';

/** `hash`: with which the policy Plan would have it approved. */
export type PreviewedWrite = Omit<PlannedWrite, 'hash'> & { readonly hash?: string };

export interface Preview {
  /** The next request to the service that changes something. */
  readonly write?: PreviewedWrite;
  /** What is done in Kubernetes in place of that. */
  readonly doing?: string;
  /** Why neither is done. */
  readonly outcome?: Outcome;
  /** What happens before that, and after it. */
  readonly notes: readonly string[];
}

/** The ledger can be written a few times before anything is sent, such as by an adoption. */
const mostSteps = 5;

/**
 * `ports.store.claim` is called for what only the ledger would record, and has to keep it to itself. No other write of a port is called. What
 * is remembered between passes is not known, so that what takes two observations is not decided. What was previewed before counts as done, as
 * far as quotas are concerned; what waits for room and is not previewed does not.
 */
export function createPreview(ports: PassPorts): (key: Key, context: PassContext) => Promise<Preview> {
  const quotas = new Quotas(ports, { inTurn: false });
  return (key, context) => preview({ ports, quotas }, key, context);
}

interface Previewing {
  readonly ports: PassPorts;
  readonly quotas: Quotas;
}

async function preview({ ports, quotas }: Previewing, key: Key, context: PassContext): Promise<Preview> {
  const notes: string[] = [];
  for (let step = 0; step < mostSteps; step += 1) {
    const pass = passOf(ports, key, context);
    const next = await decide(pass, { quotas, asking: async () => undefined }).catch(outcomeOfError);
    if (!('action' in next)) return { outcome: 'effect' in next ? next.outcome : next, notes };
    if (next.action !== 'write-ledger') return { ...shown(pass, next), notes: [...notes, ...following(pass, next)] };
    const { outcome, event } = next.report;
    if (event) notes.push(event.note);
    const adopted = next.ledger.adopted === pass.ledger?.adopted ? undefined : adoptionText(pass.kind, next.ledger);
    if (adopted !== undefined) notes.push(adopted);
    if (outcome.result === 'settled') return { outcome, notes };
    await ports.store.claim(pass.resource, serialiseLedger(next.ledger));
  }
  return { outcome: { result: 'requeue' }, notes };
}

function passOf(ports: PassPorts, key: Key, context: PassContext): PassState {
  const [kind, resource] = [ports.kinds.get(key.kind), ports.store.read(key)];
  if (!kind || !resource) throw new Error(`cannot plan for ${key.kind} ${key.name}: it is not known`);
  return new PassState(ports, { kind, resource, memory: emptyMemory(resource.metadata.uid), context });
}

type Shown = Omit<Preview, 'notes'>;

function shown(pass: PassState, plan: Exclude<Plan, { action: 'write-ledger' }>): Shown {
  if (isWrite(plan)) return { write: plannedWrite(pass.planInput(), plan) };
  switch (plan.action) {
    case 'none':
      return { outcome: (plan.outcome.result === 'settled' ? revisionAwaited(pass) : undefined) ?? plan.outcome };
    case 'delete': {
      const object = plan.claims.map((claim) => claimText(pass.kind, claim)).join(', ');
      return { write: { verb: 'Delete', object, destructive: true } };
    }
    case 'provide':
    case 'discard':
    case 'expire':
      return plan.event ? { doing: plan.event.note } : { outcome: plan.outcome };
    case 'release':
      return { outcome: { result: 'released' } };
    case 'forget':
      return { outcome: { result: 'requeue' } };
  }
}

/** The object is kept until there is a new revision of what it refers to, and is replaced then. */
function revisionAwaited({ kind, facts, resolutions }: PassState): Outcome | undefined {
  if (kind.identity !== 'content' || !facts.spec.ok) return undefined;
  const behind = resolutions.filter((one) => one.state === 'awaited' && one.former !== undefined);
  return referencePrecondition(behind, kind.references(facts.spec.value, facts.key.name));
}

function following({ kind, ledger }: PassState, plan: Plan): readonly string[] {
  if (plan.action !== 'create') return [];
  if (plan.claim.role === 'private') return [`then the ${kind.definition.kind} itself is created, which refers to it`];
  const former = currentClaim(ledger);
  if (kind.identity !== 'content' || former?.id === undefined) return [];
  return [`then ${claimText(kind, former)} (${former.id}) is deleted, once nothing in the service refers to it`];
}
