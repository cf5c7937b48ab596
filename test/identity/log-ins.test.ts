// Guessing passwords: how often somebody may fail, from one address and for one account, and that no comparison tells how far it got.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { demoAccounts, parseAccounts } from '../../dev/identity/accounts.ts';
import { createIdentity } from '../../dev/identity/identity.ts';
import { Throttle } from '../../dev/identity/throttle.ts';
import { Tokens } from '../../dev/identity/tokens.ts';
import { type Json, type Peer, type Reply, serve } from '../contract/support.ts';
import { ManualClock } from '../support/clock.ts';

const accounts = parseAccounts(`
projects: [{ name: red }]
users:
  - { name: ann, id: 'a0000000000000000000000000000000', password: right, projects: [red] }
  - { name: bob, password: other, projects: [red] }
applicationCredentials:
  - { name: robot, id: 'c0000000000000000000000000000000', secret: beep, user: ann, project: red }
`);

const open = (clock: ManualClock): Promise<Peer> => serve({ clock, identity: createIdentity(accounts, { clock }) });
const login = (peer: Peer, identity: object): Promise<Reply> => peer.post('/v3/auth/tokens', { auth: { identity } });
const password = (user: object) => ({ methods: ['password'], password: { user } });
const domain = { id: 'default' };
const as = (name: string, secret: string) => password({ name, domain, password: secret });
const byId = (secret: string) => password({ id: 'a0000000000000000000000000000000', password: secret });
const robot = (secret: string) => ({
  methods: ['application_credential'],
  application_credential: { id: 'c0000000000000000000000000000000', secret },
});

async function fail(peer: Peer, times: number, identity: object): Promise<void> {
  for (let count = 0; count < times; count += 1) expect((await login(peer, identity)).status).toBe(401);
}

describe('who guesses', () => {
  test('ten times a minute may try no more for this account, even rightly, and is told for how long', async () => {
    const clock = new ManualClock();
    const peer = await open(clock);
    await fail(peer, 9, as('ann', 'wrong'));
    await clock.advance(20_000);
    await fail(peer, 1, byId('wrong'));
    for (const secret of ['wrong', 'right']) {
      const { status, headers, body } = await login(peer, as('ann', secret));
      expect([status, headers.get('retry-after')]).toEqual([429, '40']);
      expect(body.error).toEqual({
        code: 429,
        title: 'Too Many Requests',
        message: 'Too many failed authentication attempts. Try again in 40 seconds.',
      });
    }
    expect((await login(peer, as('bob', 'other'))).status).toBe(201);
    await clock.advance(40_000);
    expect((await login(peer, as('ann', 'right'))).status).toBe(201);
  });

  test('cannot tell an account that there is from another', async () => {
    const peer = await open(new ManualClock());
    await fail(peer, 10, as('nobody', 'wrong'));
    expect((await login(peer, as('nobody', 'wrong'))).status).toBe(429);
  });

  test('for application credentials that do not exist is counted, too', async () => {
    const peer = await open(new ManualClock());
    const unknown = (id: string) => ({
      methods: ['application_credential'],
      application_credential: { id, secret: 'beep' },
    });
    for (let count = 0; count < 10; count += 1) expect((await login(peer, unknown('c1'))).status).toBe(404);
    expect((await login(peer, unknown('c1'))).status).toBe(429);
    for (let count = 0; count < 20; count += 1) expect((await login(peer, unknown(`c${count + 2}`))).status).toBe(404);
    expect((await login(peer, robot('beep'))).status).toBe(429);
  });

  test('an application credential is throttled apart from its user', async () => {
    const peer = await open(new ManualClock());
    await fail(peer, 10, robot('wrong'));
    expect((await login(peer, robot('beep'))).status).toBe(429);
    expect((await login(peer, as('ann', 'right'))).status).toBe(201);
  });

  test('for ever new accounts has the tries of one address', async () => {
    const clock = new ManualClock();
    const peer = await open(clock);
    for (let count = 0; count < 30; count += 1) await fail(peer, 1, as(`user ${count}`, 'wrong'));
    expect((await login(peer, as('bob', 'other'))).status).toBe(429);
    await clock.advance(60_000);
    expect((await login(peer, as('bob', 'other'))).status).toBe(201);
  });

  test('whoever logs in as is right is not counted, nor what is no attempt', async () => {
    const peer = await open(new ManualClock());
    for (let count = 0; count < 40; count += 1) expect((await login(peer, as('ann', 'right'))).status).toBe(201);
    for (let count = 0; count < 40; count += 1) expect((await login(peer, { methods: ['password'] })).status).toBe(400);
    const scope = { project: { name: 'blue', domain } };
    for (let count = 0; count < 40; count += 1) {
      const { status } = await peer.post('/v3/auth/tokens', { auth: { identity: as('ann', 'right'), scope } });
      expect(status).toBe(401);
    }
  });
});

test('who tried is remembered for so many only, and for a minute', async () => {
  const clock = new ManualClock();
  const throttle = new Throttle(clock);
  for (let count = 0; count < 25_000; count += 1) {
    const attempt = throttle.attemptFrom(`address ${count}`);
    attempt.on(`account ${count}`);
    attempt.failed();
  }
  expect(throttle.size).toBe(20_000);
  await clock.advance(60_000);
  const late = throttle.attemptFrom('late');
  late.on('late');
  late.failed();
  expect(throttle.size).toBe(2);
});

test('an account has so many tokens at once, and the oldest make room', () => {
  const tokens = new Tokens(new ManualClock(), 3_600_000);
  const [ann, bob] = accounts.users;
  const identified = (user: Json) =>
    ({ method: 'password', user, project: undefined, applicationCredential: undefined }) as const;
  const [kept, first] = [tokens.issue(identified(bob)), tokens.issue(identified(ann))];
  const later = Array.from({ length: 1000 }, () => tokens.issue(identified(ann)));
  expect([kept, first, later[0], later.at(-1)].map((token) => tokens.find(token?.id) === token)).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test.each(['src/service/api/authentication/authentication.ts', 'dev/identity/login.ts', 'dev/personality/control.ts'])(
  '%s compares no secret by its letters',
  async (file) => {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text).toContain('isSameSecret(');
    expect(text).not.toMatch(/(?:password|secret|token) [!=]== (?!undefined|'')|[!=]== (?:password|secret|token)\b/);
  },
);

test('tokens and passwords that share a beginning, or all but the case, are still others', async () => {
  const peer = await serve({ identity: createIdentity(demoAccounts), grants: [{ token: 'good' }] });
  for (const token of ['goo', 'good ', 'goodd', 'GOOD', '']) {
    const { status } = await peer.send('GET', '/v1.1/t/clusters', undefined, { 'x-auth-token': token });
    expect([token, status]).toEqual([token, token === 'good ' ? 200 : 401]);
  }
  for (const wrong of ['dem', 'demoo', 'DEMO', '']) expect((await login(peer, as('demo', wrong))).status).toBe(401);
});
