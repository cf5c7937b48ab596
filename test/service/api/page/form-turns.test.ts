// The forms of the page need no token, so they wait for their turn like everything else that nobody has a token for.
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Turns } from '../../../../src/service/api/http/turns.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { ManualClock } from '../../../support/clock.ts';
import { limitMs } from '../../../support/patience.ts';

/** The texts of forms that were parsed. */
const parsed: string[] = [];
/** Who has waited for a turn. */
const payers: unknown[] = [];
/** If set, nobody gets a turn. */
let held: (() => void)[] | undefined;

class CountedForm extends URLSearchParams {
  constructor(from?: ConstructorParameters<typeof URLSearchParams>[0]) {
    super(from);
    if (typeof from === 'string') parsed.push(from);
  }
}

beforeEach(() => {
  parsed.length = 0;
  payers.length = 0;
  held = undefined;
  vi.stubGlobal('URLSearchParams', CountedForm);
  vi.spyOn(Turns.prototype, 'enter').mockImplementation((payer, work) => {
    payers.push(payer);
    if (held === undefined) work();
    else held.push(work);
  });
  return () => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  };
});

async function serve(): Promise<string> {
  const grants = [{ token: 'of-demo', tenant: 'demo' }];
  const server = createServer({ clock: new ManualClock(), random: createSeededRandom(7), grants, webPage: true });
  onTestFinished(async () => server.close());
  return await server.start();
}

const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const signIn = async (url: string, body = 'tenant=demo&token=of-demo') =>
  fetch(`${url}/page/login`, { method: 'POST', headers, body, redirect: 'manual' });

test('a form is parsed in its turn, which it takes once, at the place of those without a token', async () => {
  const url = await serve();
  held = [];
  const answers = [signIn(url), signIn(url)];
  await vi.waitFor(() => expect(held).toHaveLength(2), limitMs);
  expect(parsed).toEqual([]);
  for (const work of held) work();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([303, 303]);
  expect([parsed.length, payers]).toEqual([2, ['', '']]);
});

test('a request takes one turn, whether it has a body or not', async () => {
  const url = await serve();
  const known = { 'x-auth-token': 'of-demo' };
  await fetch(`${url}/v1.1/demo/clusters`, { headers: known });
  const typed = { ...known, 'content-type': 'application/json' };
  await fetch(`${url}/v1.1/demo/clusters`, { method: 'POST', headers: typed, body: '{}' });
  await fetch(`${url}/v1.1/demo/clusters/nothing`, { method: 'DELETE', headers: typed, body: '{}' });
  await fetch(`${url}/page`);
  expect(payers).toEqual(['demo', 'demo', 'demo', '']);
});

test('a form that is longer than any token is not parsed', async () => {
  const url = await serve();
  expect((await signIn(url, `tenant=demo&token=${'x'.repeat(9_000)}`)).status).toBe(413);
  expect(parsed).toEqual([]);
});
