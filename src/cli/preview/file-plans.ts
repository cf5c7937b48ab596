// What applying the objects of a file would do in the service, as data. PURE.
import { digest, installationMark } from '../../lib/generated-name.ts';
import type { Outcome } from '../../operator/reconcile/outcome.ts';
import type { Preview, PreviewedWrite } from '../../operator/reconcile/preview.ts';
import type { ObjectPlace } from './dry-run.ts';

/** changes: now, or once the plan is approved. waits: for something else first. unknown: it could not be found out. */
type PlanState = 'changes' | 'waits' | 'nothing' | 'refused' | 'unknown';

/** What becomes of the object in Kubernetes. affected: it is not in the file, and refers to something that is. */
export type ObjectFate = 'created' | 'changed' | 'unchanged' | 'refused' | 'affected';

export interface FilePlan extends ObjectPlace {
  readonly object: ObjectFate;
  readonly state: PlanState;
  readonly plan?: PreviewedWrite;
  readonly message?: string;
  /** The differences in Kubernetes, where those in the service are not known. */
  readonly spec?: readonly SpecChange[];
  readonly notes: readonly string[];
}

export interface SpecChange {
  readonly path: string;
  readonly from?: string;
  readonly to?: string;
}

export interface FilePlans {
  readonly plans: readonly FilePlan[];
  /** Objects of other kinds, which the operator does not plan for. */
  readonly notLookedAt: readonly ObjectPlace[];
  /** What is true of all of them. */
  readonly warnings: readonly string[];
}

/** As those of `kubectl diff`: nothing would change, something would, and it could not be found out. */
export function exitCodeOf({ plans }: FilePlans): number {
  if (plans.some(({ state }) => state === 'refused' || state === 'unknown')) return 2;
  return plans.some(({ state }) => state === 'changes' || state === 'waits') ? 1 : 0;
}

export interface Planned {
  readonly preview: Preview;
  readonly policy: string;
  readonly isNew: boolean;
  readonly inFile: InFile;
}

/** What the file does with an object that another one waits for; undefined: it is not in it, or stays as it is. */
export type InFile = (of: { readonly kind: string; readonly name: string }) => 'creates' | 'changes' | undefined;

type Told = Pick<FilePlan, 'state' | 'plan' | 'message' | 'notes'>;

export function toldOf({ preview, policy, isNew, inFile }: Planned): Told {
  const { write, doing, outcome, notes } = preview;
  if (write) return { state: 'changes', plan: write, notes };
  if (doing !== undefined) return { state: 'changes', message: doing, notes };
  if (outcome?.result === 'waiting') return waitingFor(outcome, { isNew, inFile }, notes);
  if (outcome?.result !== 'held' || outcome.plan === undefined) return { ...ofOutcome(outcome), notes };
  if (policy !== 'Plan') return { state: 'nothing', plan: outcome.plan, message: outcome.message, notes };
  return { state: 'changes', plan: outcome.plan, notes: [...notes, 'spec.policy is Plan: it waits for an approval'] };
}

function ofOutcome(outcome: Outcome | undefined): Pick<Told, 'state' | 'message'> {
  switch (outcome?.result) {
    case 'settled':
    case 'released':
      return { state: 'nothing', message: 'the service has what the spec asks for' };
    case 'ended':
    case 'expired':
    case 'held':
      return { state: 'nothing', message: outcome.message };
    case 'refused':
      return { state: 'refused', message: `${outcome.reason}: ${outcome.message}` };
    case 'failed':
      return { state: 'unknown', message: outcome.message };
    default:
      return { state: 'unknown', message: 'it takes more than one look at the service to tell' };
  }
}

type Waiting = Extract<Outcome, { result: 'waiting' }>;

function waitingFor(
  { message, blockedOn = [] }: Waiting,
  { isNew, inFile }: Pick<Planned, 'isNew' | 'inFile'>,
  notes: readonly string[],
): Told {
  const ofFile = blockedOn.flatMap(({ kind, name }) => {
    const does = inFile({ kind, name });
    return does === undefined ? [] : [`${kind} ${name}, which FILE ${does}`];
  });
  if (ofFile.length === 0) return { state: 'waits', message, notes };
  const after = isNew
    ? 'then it is created in the service: what is sent is not known before'
    : 'what it does then is not known before';
  return { state: 'waits', message: `waits for ${ofFile.join(', ')}`, notes: [...notes, after] };
}

/** The generated part of names of what has no uid yet: the API server gives it another one when it is really created. */
export function withoutTag(
  text: string,
  { uid, installation }: { readonly uid: string; readonly installation: string },
) {
  const tag = `${installationMark(installation)}${digest(uid, 8)}`;
  return text.replaceAll(new RegExp(`${tag}[a-z2-7]{0,8}`, 'g'), '(generated)').replaceAll(uid, '(uid)');
}

export function untagged(told: Told, of: { readonly uid: string; readonly installation: string }): Told {
  const { plan, message } = told;
  const clean = (text: string): string => withoutTag(text, of);
  const changes = plan?.changes?.map((one) => ({ ...one, ...(one.to === undefined ? {} : { to: clean(one.to) }) }));
  return {
    ...told,
    ...(message === undefined ? {} : { message: clean(message) }),
    // Its hash would be that of another object.
    ...(plan && {
      plan: { verb: plan.verb, object: clean(plan.object), destructive: plan.destructive, ...(changes && { changes }) },
    }),
  };
}
