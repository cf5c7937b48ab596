// The explanation on one screen. PURE.
import { ago, labelled, oneLine, type Paint, pageWidth, type Style } from '../output/page.ts';
import type { Awaited, Explanation } from './explanation.ts';

/** As many lines as a terminal usually has, without that of the prompt. */
const mostLines = 23;
/** The end, which tells what to do, stays. */
const endLines = 8;
const mostAwaited = 7;

const words: Readonly<Record<string, readonly [string, Style]>> = {
  ready: ['is ready', 'green'],
  progressing: ['is not ready yet', 'yellow'],
  stalled: ['needs you', 'red'],
  unapproved: ['waits for the approval of its plan', 'red'],
  deleting: ['is being deleted', 'yellow'],
  suspended: ['is suspended', 'yellow'],
  expired: ['has expired', 'yellow'],
  unobserved: ['waits for the operator', 'yellow'],
  missing: ['does not exist', 'red'],
  forbidden: ['cannot be read', 'red'],
};

/** `now`: Unix ms. */
export function whyPage(
  explained: Explanation,
  { now, paint }: { readonly now: number; readonly paint: Paint },
): string {
  const { state, wanted, actual, cause, otherCauses, notes, lastError, nextTry, warning } = explained;
  const isSameError = lastError !== undefined && cause.text.includes(lastError.message);
  const before = [
    titleOf(explained, now, paint),
    ...(warning === undefined ? [] : labelled('Warning', warning, 2).map((line) => paint('red', line))),
    ...(wanted === undefined ? [] : labelled('Wanted', wanted, 2)),
    ...(actual === undefined ? [] : labelled('Actual', actual, 2)),
    ...waitLines(explained.waitsFor),
  ];
  const causeLines = labelled(state === 'ready' ? 'State' : 'Cause', cause.text, 6).map((line) => paint('bold', line));
  const after = [
    ...otherCauses.flatMap(({ text }) => labelled('Also', text, 2)),
    ...notes.flatMap((note) => labelled('Note', note, 2)),
    ...(lastError === undefined || isSameError ? [] : errorLines(lastError, now)),
    ...labelled('Next try', nextTry, 2),
    ...cause.todo.flatMap((one, at) => commandLines(at === 0 ? 'You can' : '', one)),
  ];
  return `${bounded(before, causeLines, after).join('\n')}\n`;
}

function titleOf({ kind, name, namespace, state, reason, since }: Explanation, now: number, paint: Paint): string {
  const [text, style] = words[state] ?? [`is ${state}`, 'red'];
  const why = reason === undefined || state === 'unobserved' ? '' : ` (${oneLine(reason)})`;
  const when = ago(since, now);
  return `${paint('bold', oneLine(`${kind} ${placed(namespace, name)}`))} ${paint(style, text)}${why}${when === undefined ? '' : `, since ${when}`}`;
}

/** An object of the whole cluster has its name alone. */
function placed(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The chain as a tree. */
function waitLines(awaited: readonly Awaited[]): readonly string[] {
  const lines = awaited.flatMap((one) => treeOf(one, 0));
  const shown = lines.slice(0, mostAwaited);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].flatMap((line, at) =>
    [`${(at === 0 ? 'Waits for' : '').padEnd(11)}${line}`.slice(0, pageWidth)].map((one) => one.trimEnd()),
  );
}

function treeOf({ kind, name, namespace, state, reason, waitsFor }: Awaited, depth: number): readonly string[] {
  const begin = depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `;
  const about = [words[state]?.[0].replace(/^is /, '') ?? state, reason].filter(
    (part) => part !== '' && part !== 'other',
  );
  return [
    oneLine(`${kind} ${placed(namespace, name)}: ${about.join(', ')}`).replace(/^/, begin),
    ...waitsFor.flatMap((one) => treeOf(one, depth + 1)),
  ];
}

function errorLines({ reason, message, time }: NonNullable<Explanation['lastError']>, now: number): readonly string[] {
  const when = ago(time, now);
  return labelled('Last error', `${when === undefined ? '' : `${when}, `}${reason}: ${message}`, 3);
}

/** A command stays on one line, so that it can be copied. */
function commandLines(label: string, text: string): readonly string[] {
  const [, what = text, command] = /^(.*?): (kubectl .*)$/.exec(text) ?? [];
  if (command === undefined) return labelled(label, text, 3);
  return [...labelled(label, `${what}:`, 2), `${' '.repeat(13)}${oneLine(command)}`];
}

/** What does not fit is left out between the cause and the end, or else before the cause. The cause stays. */
function bounded(before: readonly string[], cause: readonly string[], after: readonly string[]): readonly string[] {
  if (before.length + cause.length + after.length <= mostLines) return [...before, ...cause, ...after];
  const [middle, end] = [after.slice(0, -endLines), after.slice(-endLines)];
  const gap = `${' '.repeat(11)}…`;
  const left = mostLines - cause.length - end.length - 1;
  if (before.length <= left) return [...before, ...cause, ...middle.slice(0, left - before.length), gap, ...end];
  const gaps = middle.length > 0 ? [gap] : [];
  return [...before.slice(0, left - gaps.length), gap, ...cause, ...gaps, ...end];
}
