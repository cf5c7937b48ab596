// Small parts of the page. All data becomes text, never HTML.
import { type ComponentChildren, h, type JSX } from 'preact';
import type { WebName, WebState } from '../view/answer.ts';
import { hashOfObject } from './address.ts';

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** As kubectl shows it: `3d`, `5h`, `12m` or `40s`. Empty if the time cannot be read. */
export function ageOf(time: string | undefined, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time ?? '')) / 1_000));
  if (Number.isNaN(seconds)) return '';
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / length)}${unit}`;
}

export function objectLink(object: WebName, shown: string = object.name): JSX.Element {
  return h('a', { href: hashOfObject(object) }, shown);
}

export function stateText(state: WebState, deleting: boolean): JSX.Element {
  return h('span', { class: `state ${state}` }, deleting ? `${state}, deleting` : state);
}

/** With a header for each column. Without rows there is no table. */
export function table(headers: readonly string[], rows: readonly JSX.Element[]): JSX.Element | undefined {
  if (rows.length === 0) return undefined;
  const head = h('tr', null, ...headers.map((header) => h('th', { scope: 'col' }, header)));
  return h('table', null, h('thead', null, head), h('tbody', null, ...rows));
}

export function cell(...content: readonly ComponentChildren[]): JSX.Element {
  return h('td', null, ...content);
}

/** Is never broken into lines. */
export function shortCell(...content: readonly ComponentChildren[]): JSX.Element {
  return h('td', { class: 'short' }, ...content);
}
