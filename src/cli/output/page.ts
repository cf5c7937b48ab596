// Text for people: paragraphs with a label, tables, times, and colours where they are seen. PURE.
import { visible } from './visible.ts';

export const pageWidth = 100;
const labelWidth = 11;

/** Styles a text; on anything but a terminal, it leaves it. */
export type Paint = (style: Style, text: string) => string;
export type Style = 'bold' | 'red' | 'yellow' | 'green' | 'dim';

const codes: Readonly<Record<Style, number>> = { bold: 1, red: 31, yellow: 33, green: 32, dim: 2 };

export function painter(isColoured: boolean): Paint {
  return (style, text) => (isColoured ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}

/** Lines of at most `width` characters, broken between words. A longer word has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** What others wrote, on one line and harmless to a terminal. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

/** `Label      text`, with following lines below the text. More than `most` lines are cut. */
export function labelled(label: string, text: string, most = 4): readonly string[] {
  const width = label.length < labelWidth ? labelWidth : label.length + 2;
  const lines = wrapped(text, pageWidth - width);
  const kept = lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]} …`] : lines;
  return kept.map((line, at) => `${(at === 0 ? label : '').padEnd(width)}${line}`);
}

export function cut(text: string, width: number): string {
  const line = oneLine(text);
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}

/** Columns as wide as their longest cell, and the last one cut at the width of the page. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  return clean.map((row) => {
    const begin = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const taken = begin.reduce((sum, cell) => sum + cell.length + 2, 0);
    return [...begin, cut(row.at(-1) ?? '', Math.max(20, pageWidth - taken))].join('  ').trimEnd();
  });
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `5 minutes`; what lies in the future counts as now. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [unit, size] = units.find(([, one]) => seconds >= 2 * one) ?? ['second', 1];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `5 minutes ago`; undefined for what is no time. */
export function ago(time: string | number | undefined, now: number): string | undefined {
  const at = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : `${duration(now - at)} ago`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
