// The list of objects, with the numbers above it that choose among them.
import { h, type JSX } from 'preact';
import type { WebAnswer, WebBlocker, WebObject, WebState } from '../view/answer.ts';
import { hashOf, type PageAddress } from './address.ts';
import type { Model } from './model.ts';
import { ageOf, cell, objectLink, shortCell, stateText, table } from './parts.ts';

export function listing(answer: WebAnswer, { address, now }: Model): JSX.Element {
  const headers = ['State', 'Kind', 'Namespace', 'Name', 'Reason', 'Details', 'Since', 'Age'];
  const rows = answer.objects.map((object) => row(object, now));
  return h(
    'div',
    null,
    stateNumbers(answer, address),
    table(headers, rows) ?? h('p', null, 'No objects that you may list.'),
    answer.more > 0 ? h('p', { class: 'quiet' }, `${answer.more} more: choose a kind, a namespace or a state.`) : null,
  );
}

function row(object: WebObject, now: number): JSX.Element {
  return h(
    'tr',
    { key: `${object.resource}/${object.namespace}/${object.name}` },
    shortCell(stateText(object.state, object.deleting)),
    shortCell(object.kind),
    cell(object.namespace),
    cell(objectLink(object)),
    shortCell(object.reason),
    cell(details(object)),
    shortCell(ageOf(object.since, now)),
    shortCell(ageOf(object.created, now)),
  );
}

/** What it waits for, or else its message if it is not well, or else its columns. */
function details({ state, message, blockedOn, columns }: WebObject): JSX.Element | string {
  if (state === 'Waiting' && blockedOn.length > 0) return blockerList(blockedOn, 'waits for ');
  if (state !== 'Ready' && state !== 'Succeeded') return message;
  return columns.map(({ name, value }) => `${name}: ${value}`).join(' · ');
}

export function blockerList(blockers: readonly WebBlocker[], intro = ''): JSX.Element {
  const lines = blockers.map(({ kind, name, object, reason, message }) => {
    const what = `${kind} ${name}`;
    return h('div', null, intro, object === undefined ? what : objectLink(object, what), ` (${reason}): ${message}`);
  });
  return h('div', null, ...lines);
}

/** How many objects there are in each state, of the kind that is shown. */
function stateNumbers({ kinds }: WebAnswer, address: PageAddress): JSX.Element {
  const sums = new Map<WebState, number>();
  for (const { resource, states } of kinds) {
    if (address.resource !== undefined && address.resource !== resource) continue;
    for (const [state, count] of Object.entries(states) as [WebState, number][])
      sums.set(state, (sums.get(state) ?? 0) + count);
  }
  const links = [...sums].map(([state, count]) => {
    const isChosen = address.state === state;
    const href = hashOf({ ...address, state: isChosen ? '' : state });
    return h('a', { href, ...(isChosen && { 'aria-current': 'true' }) }, `${state} ${count}`);
  });
  return h('nav', { 'aria-label': 'States' }, ...links);
}
