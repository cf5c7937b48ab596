// Samples of output in the documentation, compared with what commands really print.
import { expect } from 'vitest';

/**
 * What a sample may have in another way than the output: `…`, which stands for any text of the line; durations and ages; addresses
 * of machines; the time in the name of a scheduled run; and the widths of columns. The rest is the same, character by character.
 */
const variable = /…|\b(?:\d+ ?(?:ms|[dhms]))+\b|\b127(?:\.\d+){3}\b|-\d{8}\b| +/g;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/^…$/, '.*'],
  [/^ +$/, ' +'],
  [/^127/, '127(?:\\.\\d+){3}'],
  [/^-/, '-\\d{8}'],
  [/^\d/, '(?:\\d+ ?(?:ms|[dhms]))+'],
];

const patternOf = (text: string): string => patterns.find(([kind]) => kind.test(text))?.[1] ?? '';

function lineOf(sample: string): string {
  const fixed = sample.split(variable).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const between = [...sample.matchAll(variable)].map(([text]) => patternOf(text));
  return `${fixed.map((text, index) => `${text}${between[index] ?? ''}`).join('')} *\n`;
}

const special: ReadonlyMap<string, string> = new Map([
  ['…', '(?:.*\\n)*?'],
  ['', '(?: *\\n)*'],
]);

/** The lines of the sample, one after the other. A line `…` stands for any lines, and an empty one for none or more empty ones. */
export function patternOfSample(sample: string): RegExp {
  const lines = sample.trimEnd().split('\n');
  const all = lines.map((line) => special.get(line.trim()) ?? lineOf(line.trimEnd()));
  return new RegExp(`^${all.join('')}`, 'm');
}

export const expectSample = (sample: string, printed: string): void =>
  expect(`${printed}\n`, `does not contain this sample:\n${sample}`).toMatch(patternOfSample(sample));

export interface Sample {
  /** The commands before it: the block of the shell that it follows, or the lines of its own that begin with `$`. */
  readonly commands: string;
  readonly output: string;
}

/** The blocks `console` of a page, without the indentation of list items. */
export function samplesIn(page: string): readonly Sample[] {
  const blocks = [...page.matchAll(/^( *)```(sh|console)\n(.*?)^\1```/gms)].map(
    ([, indent = '', language, text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'console') return [];
    const own = text.split('\n').filter((line) => line.startsWith('$ '));
    const before = blocks[index - 1];
    const commands = own.length > 0 ? own.map((line) => line.slice(2)).join('\n') : (before?.text ?? '');
    return [{ commands, output: text.replaceAll(/^\$ .*\n/gm, '').trim() }];
  });
}
