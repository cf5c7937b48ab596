// The plans for the objects of a file as text. PURE.
import { counted, labelled, oneLine, type Paint, pageWidth, wrapped } from '../output/page.ts';
import { changeText, writeLines } from '../plan/plan-page.ts';
import type { FilePlan, FilePlans, ObjectFate } from './file-plans.ts';

const allLines = Number.POSITIVE_INFINITY;

const fates: Readonly<Record<ObjectFate, string>> = {
  created: ', which FILE creates',
  changed: ', which FILE changes',
  unchanged: ', which FILE leaves as it is',
  refused: '',
  affected: ', which is not in FILE and refers to what is',
};

/** Nothing is cut: who decides by a plan has to see all of it. */
export function filePlansPage({ plans, notLookedAt, warnings }: FilePlans, paint: Paint): string {
  const others = notLookedAt.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  const blocks = [
    ...plans.map((one) => blockOf(one, paint)),
    ...(others.length === 0 ? [] : [wrapped(`Not looked at: ${others.join(', ')}`, pageWidth)]),
    ...(warnings.length === 0 ? [] : [warnings.flatMap((one) => labelled('Warning', one, allLines))]),
    [summaryOf(plans)],
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function blockOf(one: FilePlan, paint: Paint): readonly string[] {
  const { kind, namespace, name, object, state, plan, message, spec = [], notes } = one;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  const isQuiet = state === 'nothing' && plan === undefined;
  return [
    `${paint('bold', oneLine(`${isQuiet ? 'No change for' : 'Plan for'} ${kind} ${place}`))}${fates[object]}`,
    ...(message === undefined ? [] : messageLines(state, message, paint)),
    ...(plan ? writeLines(plan, paint) : []),
    ...spec.flatMap((change, at) => labelled(at === 0 ? 'Changes' : '', changeText(change), allLines)),
    ...notes.flatMap((note) => labelled('Note', note, allLines)),
    ...(plan?.hash === undefined ? [] : labelled('Hash', plan.hash, allLines)),
  ];
}

const labels: Readonly<Record<FilePlan['state'], string>> = {
  changes: 'Does',
  waits: 'Waits',
  nothing: 'Because',
  refused: 'Refused',
  unknown: 'Unknown',
};

function messageLines(state: FilePlan['state'], message: string, paint: Paint): readonly string[] {
  const lines = labelled(labels[state], message.replace(/^waits (?=for )/, ''), allLines);
  return state === 'refused' || state === 'unknown' ? lines.map((line) => paint('red', line)) : lines;
}

const states = [
  ['changes', 'changes something in the service', 'change something in the service'],
  ['waits', 'waits', 'wait'],
  ['nothing', 'changes nothing there', 'change nothing there'],
  ['refused', 'is refused', 'are refused'],
  ['unknown', 'is not known', 'are not known'],
] as const;

function summaryOf(plans: readonly FilePlan[]): string {
  const parts = states.flatMap(([state, one, many]) => {
    const count = plans.filter((plan) => plan.state === state).length;
    return count === 0 ? [] : [`${counted(count, 'object')} ${count === 1 ? one : many}`];
  });
  return `${parts.join(', ') || 'FILE has no object that the operator plans for'}. Nothing was written.`;
}
