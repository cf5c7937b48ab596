// One object: its state, what it waits for, what waits for it, and its conditions.
import { h, type JSX } from 'preact';
import type { WebAnswer, WebCondition, WebObject } from '../view/answer.ts';
import { blockerList } from './listing.ts';
import type { Model } from './model.ts';
import { ageOf, cell, objectLink, shortCell, stateText, table } from './parts.ts';

export function detail({ objects }: WebAnswer, { address, now }: Model): JSX.Element {
  const [object] = objects;
  if (object === undefined) return h('p', null, `There is no ${address.resource} ${address.name}${placeIn(address)}.`);
  return h(
    'article',
    null,
    h('h2', null, `${object.kind} ${object.name}`),
    facts(object, now),
    section('Waits for', object.blockedOn.length > 0 && blockerList(object.blockedOn)),
    section('Is waited for by', waiting(object)),
    section('Links', links(object)),
    section('Conditions', conditions(object.conditions ?? [], now)),
  );
}

function placeIn({ namespace }: Model['address']): string {
  return namespace === undefined ? '' : ` in the namespace ${namespace}`;
}

function section(title: string, content: JSX.Element | false | undefined): JSX.Element | null {
  return content ? h('section', null, h('h3', null, title), content) : null;
}

function facts(object: WebObject, now: number): JSX.Element {
  const { namespace, state, deleting, reason, message, since, created, columns } = object;
  const pairs: readonly (readonly [string, JSX.Element | string])[] = [
    ['Namespace', namespace],
    ['State', stateText(state, deleting)],
    ['Reason', reason],
    ['Message', message],
    ['Since', ageOf(since, now)],
    ['Age', ageOf(created, now)],
    ...columns.map(({ name, value }) => [name, value] as const),
  ];
  const shown = pairs.filter(([, value]) => value !== '');
  return h('dl', null, ...shown.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)]));
}

function waiting({ blocks = [] }: WebObject): JSX.Element | undefined {
  if (blocks.length === 0) return undefined;
  return h('div', null, ...blocks.map((one) => h('div', null, objectLink(one, `${one.kind} ${one.name}`))));
}

function links({ links: all }: WebObject): JSX.Element | undefined {
  if (all.length === 0) return undefined;
  const lines = all.map(({ name, url }) =>
    h('div', null, h('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, name || url)),
  );
  return h('div', null, ...lines);
}

function conditions(all: readonly WebCondition[], now: number): JSX.Element | undefined {
  const rows = all.map(({ type, status, reason, message, since }) =>
    h(
      'tr',
      { key: type },
      shortCell(type),
      shortCell(status),
      cell(reason),
      cell(message),
      shortCell(ageOf(since, now)),
    ),
  );
  return table(['Condition', 'Status', 'Reason', 'Message', 'Since'], rows);
}
