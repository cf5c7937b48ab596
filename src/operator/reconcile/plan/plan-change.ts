// The plan for an object that is ready and differs from the spec: change it, or say why it cannot be changed.
import type { ChangeWords, Difference, GivenKind, Kind, NamedKind, RemoteObject } from '../kind/kind.ts';
import type { Claim, Ledger } from '../ledger/ledger.ts';
import { type Outcome, refuse, waiting } from '../outcome.ts';
import { claimText } from '../ownership/ownership.ts';
import { mappingContext, type PlanInput } from '../plan-input.ts';
import { changeWords, doingIn } from '../resource/change-words.ts';
import { isReady } from '../resource/facts.ts';
import { conditionOf } from '../resource/read-conditions.ts';
import { isStalled, nextTry, triesBeforeStalled, waitAfterUncertainTries } from './change-tries.ts';
import { type ChangeReason, changeDone, none, type Plan } from './next-step.ts';
import { configDigests, referencePrecondition } from './preconditions.ts';

/** The recorded object, as the service has it. */
interface Present {
  readonly claim: Claim;
  readonly remote: RemoteObject;
}

/** Only named and given objects change. */
function differenceOf({ kind, facts, ledger, service }: PlanInput, remote: RemoteObject): Difference<unknown> {
  if (!ledger || !facts.spec.ok || service.state !== 'usable')
    throw new Error('cannot plan: there is no ledger or no spec');
  if (kind.identity !== 'named' && kind.identity !== 'given') return { state: 'none' };
  return kind.difference(facts.spec.value, remote, { ledger, dialect: service.dialect });
}

export function planDifference(input: PlanInput, claim: Claim, remote: RemoteObject): Plan {
  const { kind, facts, ledger } = input;
  const difference = differenceOf(input, remote);
  switch (difference.state) {
    case 'none':
      // The last change of a given object stays on record: another client may be about to undo it, and it would be sent again and again.
      if (!ledger?.change || (kind.identity === 'given' && facts.policy !== 'Plan')) return none({ result: 'settled' });
      return changeDone(ledger, facts.generation);
    case 'unfixable':
      return none(unfixable(input, difference));
    case 'change':
      return planChange(input, { claim, remote }, difference);
  }
}

/** While the service is at work on a change, a newer one replaces it where the service accepts that. Otherwise it waits. */
export function planNewerChange(input: PlanInput, present: Present, change: OpenChange): Plan {
  const health = input.kind.health(present.remote);
  const isOpen = health.state === 'busy' && health.acceptsChange === true;
  const difference = isOpen && input.facts.spec.ok ? differenceOf(input, present.remote) : undefined;
  const isNewer =
    difference?.state === 'change' &&
    Object.entries(difference.target).some(([name, count]) => change.target[name] !== count);
  return isNewer ? planChange(input, present, difference, change) : none(changing(input, present, change));
}

type OpenChange = NonNullable<Ledger['change']>;
type UpdatePlan = Extract<Difference<unknown>, { state: 'change' }>;

/** The service cannot be made to match: either the user asks for the impossible, or somebody changed the service. */
function unfixable(
  input: PlanInput,
  { message, drift }: Extract<Difference<unknown>, { state: 'unfixable' }>,
): Outcome {
  if (drift.length === 0 || !wasSettled(input)) return refuse('InvalidSpec', message);
  const lost = drift.filter(({ fixable }) => !fixable);
  const changed = lost.map(({ path, want, have }) => `${path} from ${want} to ${have}`).join(', ');
  const text = `another client changed the service in a way that the operator cannot undo (${changed}): ${message}`;
  return { ...refuse('DriftNotFixable', text), drift };
}

/** `replaced`: the change under way. */
function planChange(input: PlanInput, { claim, remote }: Present, difference: UpdatePlan, replaced?: OpenChange): Plan {
  const { resolutions, ledger, facts, now } = input;
  const kind = changingKind(input.kind);
  if (!ledger || !facts.spec.ok) throw new Error(`cannot change a ${kind.definition.kind}`);
  const awaited = referencePrecondition(resolutions, difference.uses);
  if (awaited) return none(awaited);
  const reason = changeReason(input);
  const trying = { ledger, target: { ...difference.target }, reason };
  const { repeats = false, ...counted } = nextTry(input, trying);
  if (isStalled(input, ledger, counted)) return none(noEffect(input.kind, remote, difference.summary));
  const wait = waitAfterUncertainTries(input, trying, counted);
  if (wait) return none(wait);
  const madeFrom = kind.identity === 'named' && kind.madeFrom(facts.spec.value, difference.diff, ledger);
  const sentAt = new Date(now.wall).toISOString();
  const intended: Ledger = {
    ...ledger,
    configs: configDigests(kind, facts.spec.value),
    ...(madeFrom ? { madeFrom: { ...madeFrom } } : {}),
    change: { generation: facts.generation, target: trying.target, sentAt, ...counted },
  };
  return {
    action: 'update',
    claim,
    id: remote.id,
    ledger: intended,
    madeFrom: ledger.madeFrom,
    replaced,
    repeats,
    change: kind.change(difference.diff, mappingContext(input, claim.name)),
    differs: difference.drift,
    next: difference.next,
    ...changeReport(input, claim, difference, reason),
  };
}

function changeReport(
  { kind, memory }: PlanInput,
  claim: Claim,
  { summary, drift, next, removes = false }: UpdatePlan,
  reason: ChangeReason,
): Pick<Extract<Plan, { action: 'update' }>, 'doing' | 'whole' | 'earlyStatus' | 'report'> {
  const { to, doing } = wordsOf(kind);
  const message =
    reason === 'CorrectingDrift'
      ? `restoring what another client changed in the service: ${summary}`
      : `${doing} ${summary}`;
  const earlyStatus = waiting('service', reason, message);
  const doingTo = (changes: string) => `${to} ${claimText(kind, claim)} (${changes})`;
  const whole = next && { whole: { doing: doingTo(summary), removes } };
  const words = { doing: doingTo(next?.summary ?? summary), ...whole, earlyStatus };
  const action = to === 'scale' ? 'Scale' : 'Update';
  const event = {
    type: 'Normal',
    reason: reason === 'Provisioning' ? 'Updating' : reason,
    action,
    note: message,
  } as const;
  if (reason === 'CorrectingDrift') return { ...words, report: { outcome: { ...earlyStatus, drift }, event } };
  if (reason !== 'Provisioning') return { ...words, report: { outcome: earlyStatus, event } };
  // A registration takes effect at once; and what belongs to the creation is reported with it.
  const outcome = { result: 'progressed', reason, message } as const;
  return { ...words, report: memory.begun ? { outcome } : { outcome, event } };
}

/** The words of the request in progress stay as long as it is. */
function changing(input: PlanInput, { remote }: Present, change: OpenChange): Outcome {
  const { facts, kind } = input;
  const reason = changeReason(input);
  const said = conditionOf(facts, 'Ready');
  const isSame = said?.reason === reason && facts.observedGeneration === facts.generation;
  const target = Object.entries(change.target).map(([name, count]) => `${name} to ${count}`);
  const doing = isSame ? doingIn(said.message) : `${wordsOf(kind).doing} ${target.join(', ')}`;
  const { message: reported } = kind.health(remote);
  return waiting('service', reason, changeWords({ doing, waiting: newerCounts(input, remote, change), reported }));
}

/** What the spec wants that the change under way does not bring, by part. */
function newerCounts(input: PlanInput, remote: RemoteObject, { target }: OpenChange) {
  const { kind, facts, ledger } = input;
  const wanted =
    kind.identity === 'named' && facts.spec.ok && ledger ? kind.counts.wanted(facts.spec.value, ledger) : undefined;
  if (!wanted) return [];
  const difference = differenceOf(input, remote);
  const differing = difference.state === 'change' ? difference.target : {};
  const names = Object.keys({ ...target, ...differing });
  return names.map((name) => [name, wanted.get(name) ?? 0] as const).filter(([name, count]) => target[name] !== count);
}

/** What was right for this generation, and no longer is, was changed in the service. */
function changeReason(input: PlanInput): ChangeReason {
  return wasSettled(input) ? 'CorrectingDrift' : wordsOf(input.kind).reason;
}

/** The object matched this generation before: this process observed it, or the status reports it. */
function wasSettled({ facts, memory }: PlanInput): boolean {
  if (facts.isRecounted) return false;
  if (memory.settledGeneration === facts.generation || isReady(facts)) return true;
  const reason = conditionOf(facts, 'Ready')?.reason;
  const isDrift = reason === 'CorrectingDrift' || reason === 'DriftNotFixable';
  return isDrift && facts.observedGeneration === facts.generation;
}

function noEffect(kind: Kind, remote: RemoteObject, summary: string): Outcome {
  const text = kind.health(remote).message;
  const { noEffect: reason, doing } = wordsOf(kind);
  const why = text ? `the service reports: ${text}` : 'the service gave no reason';
  const fate =
    kind.identity === 'given'
      ? ' and undone each time: another client changes it back, or the service ignores the request. Stop that client, or change the spec'
      : ` without effect; ${why}. Check quota and capacity in the service, or change the count`;
  const message = `${doing} (${summary}) was requested ${triesBeforeStalled} times${fate}. The operator retries every 10 minutes`;
  return refuse(reason, message);
}

function changingKind(kind: Kind): NamedKind | GivenKind {
  if (kind.identity !== 'named' && kind.identity !== 'given')
    throw new Error(`cannot change a ${kind.definition.kind}`);
  return kind;
}

function wordsOf(kind: Kind): ChangeWords {
  return changingKind(kind).changeWords;
}
