// The entry point of the page: asks every few seconds, and shows what has changed.
import { render } from 'preact';
import { hashOf, type PageAddress, queryOf, readAddress } from './address.ts';
import { type AskOutcome, ask } from './ask.ts';
import type { Actions, Model } from './model.ts';
import { page } from './page.ts';

const everyMs = 5_000;
const longestMs = 60_000;
const tokenKey = 'token';

const root = document.getElementById('page') as HTMLElement;
let model: Model = {
  address: readAddress(location.hash),
  hasToken: sessionStorage.getItem(tokenKey) !== null,
  answer: undefined,
  isCurrent: false,
  problem: undefined,
  now: Date.now(),
};
let etag: string | undefined;
let failures = 0;
let current = new AbortController();

const actions: Actions = {
  login(token) {
    sessionStorage.setItem(tokenKey, token);
    restart({ hasToken: true, problem: undefined });
  },
  logout: () => forget(undefined),
  go(address: PageAddress) {
    location.hash = hashOf(address);
  },
};

function show(change: Partial<Model>): void {
  model = { ...model, ...change, now: Date.now() };
  render(page(model, actions), root);
}

function forget(problem: string | undefined): void {
  sessionStorage.removeItem(tokenKey);
  restart({ hasToken: false, answer: undefined, problem });
}

/** Asks the question of the address, of which nothing is known yet. */
function restart(change: Partial<Model>): void {
  etag = undefined;
  show({ ...change, isCurrent: false });
  poll();
}

/** In place of the request in progress. */
function poll(): void {
  current.abort();
  current = new AbortController();
  failures = 0;
  void refresh(current.signal);
}

async function refresh(signal: AbortSignal): Promise<void> {
  const token = sessionStorage.getItem(tokenKey);
  if (token === null || document.hidden) return;
  const send: typeof fetch = (input, init) => fetch(input, init);
  const outcome = await ask({ send, query: queryOf(model.address), token, etag, signal });
  if (signal.aborted) return;
  take(outcome);
  const waitMs = Math.min(longestMs, everyMs * 2 ** failures);
  if (outcome.kind !== 'unauthorized') setTimeout(() => signal.aborted || void refresh(signal), waitMs);
}

function take(outcome: AskOutcome): void {
  if (outcome.kind === 'unauthorized') return forget(`The API server does not accept the token: ${outcome.message}.`);
  failures = outcome.kind === 'failed' ? failures + 1 : 0;
  if (outcome.kind === 'failed')
    return show({ problem: `${model.isCurrent ? 'This is not up to date' : 'Nothing to show'}: ${outcome.message}.` });
  if (outcome.kind === 'same') return show({ problem: undefined });
  etag = outcome.etag;
  show({ answer: outcome.answer, isCurrent: true, problem: undefined });
}

addEventListener('hashchange', () => restart({ address: readAddress(location.hash), problem: undefined }));
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) poll();
});
restart({});
