// What became of an approved plan, by the ledger and the status of its object. PURE.
import { approvePlanAnnotation, ledgerAnnotation } from '../../operator/api/shared-api.ts';
import { conditionIn, isBehind, isTrue, type Observed } from '../observed.ts';
import { planIn, policyOf, type WaitingPlan } from './waiting-plan.ts';

/** anotherPlan: it took the place of the approved one. refused: the service, or the operator, cannot do it. stopped: nobody wants it any more. */
export interface Verdict {
  readonly outcome: 'carriedOut' | 'anotherPlan' | 'refused' | 'stopped';
  readonly message: string;
}

/** A plan, and what the ledger had when it was approved. */
export interface ApprovedPlan {
  readonly plan: WaitingPlan;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** How many plans had been carried out. */
  readonly carriedOut: number;
  /** The objects in the service that it deletes. */
  readonly deletes: readonly string[];
}

export function approvedPlan(object: Observed, plan: WaitingPlan): ApprovedPlan {
  const { claims, carriedOut } = ledgerIn(object);
  const { uid, generation } = object.metadata;
  const withId = claims.filter(({ id }) => plan.object.includes(id));
  const named = withId.length > 0 ? withId : claims.filter(({ name }) => plan.object.endsWith(` ${name}`));
  return { plan, uid, generation, carriedOut, deletes: plan.verb === 'Delete' ? named.map(({ id }) => id) : [] };
}

/** Undefined: the operator has not finished. */
export function verdictOn(object: Observed, approved: ApprovedPlan): Verdict | undefined {
  const { metadata } = object;
  const { hash } = approved.plan;
  const waiting = planIn(object);
  if (metadata.uid !== approved.uid) return stopped('the object was deleted, and another one has its name');
  if (waiting?.hash !== hash && isCarriedOut(object, approved)) return carriedOut(object, waiting);
  if (metadata.deletionTimestamp !== undefined) return stopped('the object is being deleted');
  if (metadata.annotations?.[approvePlanAnnotation] !== hash)
    return stopped('somebody else has set or removed the annotation that approved the plan');
  if (policyOf(object) !== 'Plan') return stopped(`spec.policy is ${policyOf(object)} by now`);
  if (isBehind(object) || waiting?.hash === hash) return undefined;
  if (waiting !== undefined)
    return {
      outcome: 'anotherPlan',
      message: `another plan took its place, and nothing was carried out: it waits with the hash ${waiting.hash}`,
    };
  if (isTrue(object, 'Paused')) return stopped('the object is suspended');
  return withoutPlan(object, approved);
}

function withoutPlan(object: Observed, { plan }: ApprovedPlan): Verdict | undefined {
  const { reason = '', message = '', status } = conditionIn(object, 'Ready') ?? {};
  if (isTrue(object, 'Stalled'))
    return {
      outcome: 'refused',
      message: `it is not carried out: ${reason}: ${message}. The approval stays, so the operator does it once that is possible`,
    };
  // An old revision is deleted while the current one is Ready.
  return status === 'True' && plan.verb !== 'Delete'
    ? stopped(`nothing is to be done any more: ${message}`)
    : undefined;
}

function stopped(why: string): Verdict {
  return { outcome: 'stopped', message: `the plan is not carried out: ${why}` };
}

function carriedOut(object: Observed, waiting: WaitingPlan | undefined): Verdict {
  const { reason = 'Pending', message = '' } = conditionIn(object, 'Ready') ?? {};
  const next = waiting === undefined ? `${reason}: ${message}` : `another plan waits, with the hash ${waiting.hash}`;
  return { outcome: 'carriedOut', message: `the plan was carried out. Now: ${next}` };
}

/** The operator counts what it has created and changed; what it has deleted leaves the ledger. */
function isCarriedOut(object: Observed, approved: ApprovedPlan): boolean {
  const { claims, carriedOut: count } = ledgerIn(object);
  if (approved.plan.verb !== 'Delete') return count > approved.carriedOut;
  if (approved.deletes.length > 0) return !claims.some(({ id }) => approved.deletes.includes(id));
  // The ledger does not have what a lost answer or a refused create left.
  const isRetried = conditionIn(object, 'Reconciling')?.reason === 'ProgressingWithRetry';
  return !isRetried && !isBehind(object) && object.metadata.generation === approved.generation;
}

interface RecordedClaim {
  readonly id: string;
  readonly name: string;
}

/** A ledger that cannot be read has nothing: the operator does not write then, either. */
function ledgerIn({ metadata }: Observed): { readonly claims: readonly RecordedClaim[]; readonly carriedOut: number } {
  const { claims, plans } = parsed(metadata.annotations?.[ledgerAnnotation]);
  const known = Array.isArray(claims) ? (claims as readonly (Partial<RecordedClaim> | null)[]) : [];
  return {
    claims: known.flatMap((one) =>
      typeof one?.id === 'string' && typeof one.name === 'string' ? [{ id: one.id, name: one.name }] : [],
    ),
    carriedOut: typeof plans === 'number' ? plans : 0,
  };
}

function parsed(text: string | undefined): { readonly claims?: unknown; readonly plans?: unknown } {
  try {
    return (JSON.parse(text ?? '{}') ?? {}) as object;
  } catch {
    return {};
  }
}
