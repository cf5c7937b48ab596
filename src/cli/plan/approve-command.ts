// Shows the plan that waits for an object, approves exactly that one, and waits until the operator has carried it out.
import { sleep } from '../../lib/timing/wait.ts';
import type { ApproveWish } from '../arguments/commands.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { conditionIn, isBehind, type Observed } from '../observed.ts';
import { printFound } from '../output/formats.ts';
import { oneLine, painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { approve } from './approval.ts';
import { nameText, planPage } from './plan-page.ts';
import { approvedPlan, type Verdict, verdictOn } from './verdict.ts';
import { planIn, policyOf, type WaitingPlan, whyNotWaiting } from './waiting-plan.ts';

interface Ending {
  readonly outcome: Verdict['outcome'] | 'approved' | 'nothingWaits' | 'declined' | 'timedOut';
  readonly message: string;
  readonly plan?: WaitingPlan;
}

interface Approving {
  readonly reach: Reach;
  readonly wish: ApproveWish;
  readonly printer: Printer;
  /** When it stops waiting, on the monotonic clock. */
  readonly until: number;
}

const pollMs = 1_000;

/** Resolves to the exit code: 0 if the plan was carried out, or was to be approved only. Rejects with UsageError if nobody can be asked. */
export async function approvePlan(reach: Reach, wish: ApproveWish, printer: Printer): Promise<number> {
  if (!wish.yes && !canAsk(wish, printer))
    throw new UsageError('there is no terminal to ask on: give --yes to approve the plan without a question');
  const { kind, name } = wish.object;
  const approving = { reach, wish, printer, until: printer.clock.monotonic() + wish.timeoutMs };
  const object = await planned(approving);
  const { message, ...ending } = await decide(approving, object);
  const { namespace = reach.objects.namespace } = object.metadata;
  await printFound(printer, wish.format, {
    found: { kind: kind.kind, namespace, name, ...ending, message },
    page: () => `${nameText(object)}: ${oneLine(message)}\n`,
  });
  return ending.outcome === 'carriedOut' || ending.outcome === 'approved' ? 0 : 1;
}

/** The plan must be seen where the answer is typed. For programs, it is shown on standard error. */
function canAsk({ format }: ApproveWish, { ask, isTerminal }: Printer): boolean {
  return ask !== undefined && (format !== 'text' || isTerminal);
}

/** The object, once the operator has planned for its current spec. */
async function planned({ reach, wish, printer, until }: Approving): Promise<Observed> {
  const { kind, name } = wish.object;
  for (let isTold = false; ; isTold = true) {
    printer.signal.throwIfAborted();
    const object = await reach.objects.read<Observed>(kind, name);
    const isAwaited =
      policyOf(object) === 'Plan' && isBehind(object) && object.metadata.deletionTimestamp === undefined;
    if (!isAwaited || !wish.wait || printer.clock.monotonic() >= until) return object;
    if (!isTold) printer.tell('waiting for the operator to plan for the current spec');
    await sleep(printer.clock, pollMs, printer.signal);
  }
}

async function decide(approving: Approving, object: Observed): Promise<Ending> {
  const { reach, wish, printer } = approving;
  const why = whyNotWaiting(object);
  const plan = planIn(object);
  if (why !== undefined || plan === undefined) return { outcome: 'nothingWaits', message: `no plan waits: ${why}` };
  if (wish.hash !== undefined && wish.hash !== plan.hash) {
    const message = `nothing was approved: the plan that waits has the hash ${plan.hash}, and not ${wish.hash}`;
    return { outcome: 'anotherPlan', message, plan };
  }
  await show(approving, object, plan);
  if (!wish.yes && (await printer.ask?.('Type yes to approve it: '))?.trim() !== 'yes')
    return { outcome: 'declined', message: 'nothing was approved', plan };
  const approved = await approve(reach, wish.object.kind, object);
  if (approved === undefined)
    return {
      outcome: 'anotherPlan',
      message: 'nothing was approved: the object has changed since its plan was shown',
      plan,
    };
  if (!wish.wait) return { outcome: 'approved', message: `the plan ${plan.hash} is approved`, plan };
  return { ...(await followed(approving, approved, plan)), plan };
}

async function show({ wish, printer }: Approving, object: Observed, plan: WaitingPlan): Promise<void> {
  if (wish.format === 'text') await printer.print(Buffer.from(planPage(object, plan, painter(printer.isColoured))));
  else for (const line of planPage(object, plan, painter(false)).trimEnd().split('\n')) printer.tell(line);
}

/** Waits until the plan is carried out, or is not going to be. */
async function followed(approving: Approving, approved: Observed, plan: WaitingPlan): Promise<Ending> {
  const { reach, wish, printer, until } = approving;
  const begin = approvedPlan(approved, plan);
  const { kind, name } = wish.object;
  try {
    for (let told = conditionIn(approved, 'Ready')?.message; ; ) {
      printer.signal.throwIfAborted();
      const object = await reach.objects.read<Observed>(kind, name);
      const verdict = verdictOn(object, begin);
      if (verdict !== undefined) return verdict;
      const { reason = 'Pending', message = '' } = conditionIn(object, 'Ready') ?? {};
      if (printer.clock.monotonic() >= until) return timedOut(`${reason}: ${message}`);
      if (message !== told) printer.tell(`${name} is not finished: ${reason}: ${message}`);
      told = message;
      await sleep(printer.clock, pollMs, printer.signal);
    }
  } catch (error) {
    printer.tell(`${name} is not followed any more, but its plan is approved, so the operator carries it out`);
    throw error;
  }
}

function timedOut(state: string): Ending {
  const message = `the plan is approved, but was not carried out within the time of --timeout. The operator goes on. Now: ${state}`;
  return { outcome: 'timedOut', message };
}
