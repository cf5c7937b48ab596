// Tokens that a Keystone elsewhere is asked about: not more often, and not more of them at once, than needed.
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { keystoneGate, TokenCache } from '../../../../src/service/api/authentication/gate.ts';
import { type Peer, serve } from '../../../contract/support.ts';
import { listen } from '../../../operator/client/support/servers.ts';
import { ManualClock } from '../../../support/clock.ts';
import { limitMs } from '../../../support/patience.ts';

const patience = { timeout: limitMs, interval: 5 };
const project = '11111111222233334444555555555555';

/** Holds each question until the test answers all that there are. */
async function startKeystone() {
  const held: ServerResponse[] = [];
  const seen = { asked: 0, most: 0 };
  const { url } = await listen(
    createServer((_request, response) => {
      held.push(response);
      seen.asked += 1;
      seen.most = Math.max(seen.most, held.length);
    }),
  );
  const answer = (status: number): number => {
    const token = { expires_at: '2999-01-01T00:00:00Z', project: { id: project } };
    const all = held.splice(0);
    for (const response of all) response.writeHead(status).end(JSON.stringify({ token }));
    return all.length;
  };
  /** So many in all. */
  const answerUntil = (status: number, asked: number) =>
    vi.waitFor(() => {
      answer(status);
      expect(seen.asked).toBe(asked);
      expect(held.length).toBe(0);
    }, patience);
  return { authUrl: `${url}/v3`, seen, answer, answerUntil };
}

const list = async (peer: Peer, token: string): Promise<number> =>
  (await peer.send('GET', `/v1.1/${project}/clusters`, undefined, { 'x-auth-token': token })).status;

const times = (count: number, send: (index: number) => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)));

describe.each([
  ['good', 200, 200],
  ['refused', 404, 401],
] as const)('a token that is %s', (_what, said, answered) => {
  test('is asked about once, by however many it is sent at once', async () => {
    const { authUrl, seen, answerUntil } = await startKeystone();
    const peer = await serve({ keystone: { authUrl } });
    const statuses = times(300, () => list(peer, 'one'));
    await answerUntil(said, 1);
    expect(new Set(await statuses)).toEqual(new Set([answered]));
    expect(await list(peer, 'one')).toBe(answered);
    expect(seen.asked).toBe(1);
  });
});

test('a refusal is forgotten after ten seconds, and sooner where good tokens are', async () => {
  const { authUrl, seen, answerUntil } = await startKeystone();
  const clock = new ManualClock();
  const [usual, forgetful] = [
    await serve({ clock, keystone: { authUrl } }),
    await serve({ clock, keystone: { authUrl, cacheMs: 0 } }),
  ];
  const ask = async (peer: Peer, asked: number, status: number) => {
    const [answered] = await Promise.all([list(peer, 'one'), answerUntil(status, asked)]);
    return answered;
  };
  expect(await ask(usual, 1, 401)).toBe(401);
  await clock.advance(9999);
  expect([await list(usual, 'one'), seen.asked]).toEqual([401, 1]);
  await clock.advance(1);
  expect(await ask(usual, 2, 200)).toBe(200);
  expect([await ask(forgetful, 3, 401), await ask(forgetful, 4, 200)]).toEqual([401, 200]);
});

test('a failure is shared, told once, and not remembered', async () => {
  const answers = [
    Promise.reject(new Error('down')),
    Promise.resolve({ project, expiresAt: Number.POSITIVE_INFINITY }),
  ];
  const validate = vi.fn(() => answers.shift() ?? Promise.resolve(undefined));
  const error = vi.fn();
  const log = { debug() {}, info() {}, warn() {}, error };
  const authUrl = () => '';
  const gate = keystoneGate({ validate, authUrl, dialect: 'neutral', clock: new ManualClock(), log, cacheMs: 1000 });
  const passings = await Promise.allSettled(Array.from({ length: 20 }, async () => gate('one', project)));
  expect(passings.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
  expect([error.mock.calls.length, validate.mock.calls.length]).toEqual([1, 1]);
  expect(await gate('one', project)).toBe(project);
});

test('more than a thousand tokens at once are not asked about', async () => {
  const validate = vi.fn(() => new Promise<undefined>(() => {}));
  const cache = new TokenCache({ validate, clock: new ManualClock(), cacheMs: 1000 });
  for (let index = 0; index < 1000; index += 1) void cache.subjectOf(`random ${index}`);
  await expect(cache.subjectOf('one more')).rejects.toThrow('too many tokens');
  expect(validate).toHaveBeenCalledTimes(1000);
});

test('of many tokens a few are asked about at once, and those that are known do not wait', async () => {
  const { authUrl, seen, answer, answerUntil } = await startKeystone();
  const peer = await serve({ keystone: { authUrl } });
  const [known] = await Promise.all([list(peer, 'known'), answerUntil(200, 1)]);
  const statuses = times(200, (index) => list(peer, `random ${index}`));
  await vi.waitFor(() => expect(seen.asked).toBe(17), patience);
  expect([known, await list(peer, 'known')]).toEqual([200, 200]);
  await answerUntil(401, 201);
  expect(new Set(await statuses)).toEqual(new Set([401]));
  expect([seen.most, answer(401)]).toEqual([16, 0]);
});

test('refused tokens do not drive out good ones, however many they are', async () => {
  const { authUrl, seen, answerUntil } = await startKeystone();
  const peer = await serve({ keystone: { authUrl } });
  await Promise.all([list(peer, 'known'), answerUntil(200, 1)]);
  for (const from of [0, 600]) {
    const statuses = times(600, (index) => list(peer, `random ${from + index}`));
    await answerUntil(401, from + 601);
    await statuses;
  }
  expect([await list(peer, 'known'), seen.asked]).toEqual([200, 1201]);
});
