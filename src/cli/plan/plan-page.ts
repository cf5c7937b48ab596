// Plans as text. PURE.
import type { Observed } from '../observed.ts';
import { labelled, oneLine, type Paint, table } from '../output/page.ts';
import type { PlanList } from './plan-list.ts';
import { type PlannedChange, policyOf, type WaitingPlan } from './waiting-plan.ts';

/** As many as a status has. */
const mostChanges = 100;
const allLines = Number.POSITIVE_INFINITY;

/** Nothing is cut: who approves a plan has to see all of it. */
export function planPage(object: Observed, plan: WaitingPlan, paint: Paint): string {
  const isObserved = policyOf(object) === 'Observe';
  const lines = [
    `${paint('bold', `Plan for ${nameText(object)}`)}${isObserved ? ', which is only observed: with the policy Manage, the operator would do this' : ''}`,
    ...writeLines(plan, paint),
    ...(isCut(plan) ? labelled('Note', 'the status has only a part of it, because it is long', allLines) : []),
    ...labelled('Hash', plan.hash, allLines),
  ];
  return `${lines.join('\n')}\n`;
}

/** What is done, to which object, and with which fields. */
export function writeLines(plan: Omit<WaitingPlan, 'hash'>, paint: Paint): readonly string[] {
  const { verb, object: target, destructive, changes = [] } = plan;
  const risk = destructive ? 'destructive: it deletes, cancels, removes or scales down something' : 'not destructive';
  return [
    ...labelled('Does', `${verb} ${target}`, allLines),
    ...labelled('Risk', risk, allLines).map((line) => (destructive ? paint('red', line) : line)),
    ...changes.flatMap((one, at) => labelled(at === 0 ? 'Changes' : '', changeText(one), allLines)),
  ];
}

export function nameText({ kind, metadata }: Observed): string {
  return oneLine(`${kind} ${metadata.namespace}/${metadata.name}`);
}

export function changeText({ path, from, to = '(removed)' }: PlannedChange): string {
  return from === undefined ? `${path}: ${to}` : `${path}: ${from} -> ${to}`;
}

function isCut({ object, changes = [] }: WaitingPlan): boolean {
  const texts = [object, ...changes.flatMap(({ from = '', to = '' }) => [from, to])];
  return changes.length >= mostChanges || texts.some((text) => text.endsWith('…'));
}

interface PlanView {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly paint: Paint;
}

export function planTable({ plans, unread }: PlanList, { namespace, paint }: PlanView): string {
  const isEverywhere = namespace === undefined;
  const head = ['KIND', 'NAME', 'POLICY', 'VERB', 'DESTRUCTIVE', 'HASH', 'OBJECT'];
  const rows = plans.map(({ kind, name, policy, isOutdated, plan }) => [
    kind,
    name,
    policy,
    plan.verb,
    plan.destructive ? 'yes' : 'no',
    isOutdated ? '(outdated)' : plan.hash,
    plan.object,
  ]);
  const spaced = isEverywhere
    ? [['NAMESPACE', ...head], ...rows.map((row, at) => [plans[at]?.namespace ?? '', ...row])]
    : [head, ...rows];
  const none =
    unread.length === 0 ? [`no plan waits in ${isEverywhere ? 'any namespace' : `namespace ${namespace}`}`] : [];
  const lines = [
    ...(rows.length === 0 ? none : table(spaced).map((line, at) => (at === 0 ? paint('bold', line) : line))),
    ...unread.flatMap(({ kind, why }) => labelled(kind, `cannot be read: ${why}`, 2)),
    ...(rows.length === 0 ? [] : ['', ...footer(plans)]),
  ];
  return `${lines.join('\n')}\n`;
}

function footer(plans: PlanList['plans']): readonly string[] {
  return [
    'kubectl dataprocessing plan KIND/NAME shows one of them, and approve KIND/NAME approves it.',
    ...(plans.some(({ policy }) => policy === 'Observe')
      ? ['Those with the policy Observe are what Manage would do, and cannot be approved.']
      : []),
    ...(plans.some(({ policy }) => policy === 'Manage')
      ? ['Those with the policy Manage are carried out without an approval.']
      : []),
    ...(plans.some(({ isOutdated }) => isOutdated)
      ? ['Those that are outdated belong to a former spec: the operator is about to plan again.']
      : []),
  ];
}
