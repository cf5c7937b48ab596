// The whole page, as it follows from the model.
import { h, type JSX } from 'preact';
import type { WebAnswer } from '../view/answer.ts';
import { hashOf, type PageAddress } from './address.ts';
import { detail } from './detail.ts';
import { listing } from './listing.ts';
import type { Actions, Model } from './model.ts';

export function page(model: Model, actions: Actions): JSX.Element {
  const { answer, hasToken, isCurrent } = model;
  if (!hasToken) return h('main', null, h('h1', null, 'Data processing'), login(model, actions));
  return h(
    'div',
    null,
    heading(model, actions),
    h(
      'main',
      null,
      problemText(model.problem),
      answer === undefined ? null : kindLinks(answer, model.address),
      ...(isCurrent ? (answer?.notes ?? []) : []).map((note) => h('p', { class: 'note' }, note)),
      content(model),
    ),
    answer === undefined ? null : footer(answer),
  );
}

function content(model: Model): JSX.Element | null {
  const { answer, address, isCurrent, problem } = model;
  if (answer === undefined || !isCurrent) return problem === undefined ? h('p', null, 'Loading …') : null;
  return address.name === undefined ? listing(answer, model) : detail(answer, model);
}

function problemText(problem: string | undefined): JSX.Element | null {
  return problem === undefined ? null : h('p', { class: 'problem', role: 'alert' }, problem);
}

function heading({ address, answer }: Model, { go, logout }: Actions): JSX.Element {
  const choose = (event: Event): void => {
    const { value } = event.currentTarget as HTMLInputElement;
    go({ ...address, namespace: value.trim(), name: '' });
  };
  const known = (answer?.namespaces ?? []).map((name) => h('option', { key: name, value: name }));
  const namespace = address.namespace ?? '';
  return h(
    'header',
    null,
    h('h1', null, 'Data processing'),
    h(
      'label',
      null,
      'Namespace ',
      h('input', { value: namespace, placeholder: 'all', list: 'namespaces', spellcheck: false, onChange: choose }),
    ),
    h('datalist', { id: 'namespaces' }, ...known),
    h('span', { class: 'user' }, answer?.user ?? ''),
    h('button', { type: 'button', onClick: logout }, 'Forget token'),
  );
}

function kindLinks({ kinds }: WebAnswer, address: PageAddress): JSX.Element {
  const namespace = address.namespace ?? '';
  const sums = kinds.flatMap(({ kind, resource, states }) => {
    const sum = Object.values(states).reduce((one, other) => one + other, 0);
    const isHere = address.resource === resource;
    return sum > 0 || isHere ? [link(`${kind} ${sum}`, { resource, namespace }, isHere)] : [];
  });
  return h('nav', { 'aria-label': 'Kinds' }, link('All', { namespace }, address.resource === undefined), ...sums);
}

function link(text: string, to: PageAddress, isHere: boolean): JSX.Element {
  return h('a', { href: hashOf(to), ...(isHere && { 'aria-current': 'page' }) }, text);
}

function footer({ replica }: WebAnswer): JSX.Element {
  const role = replica.leading ? 'the leader' : 'a standby, which has the same objects as the leader';
  return h('footer', null, `Answered by ${replica.name}, ${role}.`);
}

function login({ problem }: Model, actions: Actions): JSX.Element {
  const submit = (event: Event): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token') as HTMLInputElement;
    const token = field.value.trim();
    field.value = '';
    if (token !== '') actions.login(token);
  };
  return h(
    'form',
    { class: 'login', onSubmit: submit },
    problemText(problem),
    h('label', { for: 'token' }, 'Token of Kubernetes'),
    h('input', {
      id: 'token',
      name: 'token',
      type: 'password',
      autocomplete: 'off',
      spellcheck: false,
      autofocus: true,
    }),
    h('button', { type: 'submit' }, 'Show'),
    h(
      'p',
      { class: 'quiet' },
      'You see the objects that this token may list. The token stays in this tab until you close it.',
    ),
  );
}
