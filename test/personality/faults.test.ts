// Each fault of requests as a plain client sees it, and what is there afterwards.

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Injector } from '../../dev/personality/injector.ts';
import type { Personality } from '../../dev/personality/personality.ts';
import type { Log, LogFields } from '../../src/lib/ports.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import type { ServerOptions } from '../../src/service/program/options.ts';
import { createServer } from '../../src/service/program/server.ts';
import { connect, type Json, type Peer, serve, startBody, workers } from '../contract/support.ts';
import { ManualClock } from '../support/clock.ts';
import { limitMs } from '../support/patience.ts';

const templates = '/v1.0/t/node-group-templates';
const clusters = '/v1.0/t/clusters';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
const create = { method: 'POST', path: 'node-group-templates' } as const;
const cut = { is: 'cut' } as const;

async function misbehave(personality: Personality, options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const injector = new Injector(clock, personality);
  return { clock, injector, peer: await serve({ clock, hooks: injector, ...options }) };
}

const names = async (peer: Peer): Promise<readonly string[]> =>
  (await peer.get(templates)).body.node_group_templates.map(({ name }: Json) => name);

describe('what becomes of the work', () => {
  test('done, and the answer lost: the object is there', async () => {
    const { peer, injector } = await misbehave({ faults: [{ ...create, nth: 1, answer: cut }] });
    await expect(peer.post(templates, workers)).rejects.toThrow('fetch failed');
    expect(await names(peer)).toEqual(['workers']);
    expect((await peer.post(templates, { ...workers, name: 'other' })).status).toBe(202);
    expect(injector.counts()).toEqual({ 'faults[0]': { met: 2, applied: 1 } });
  });

  test('skipped, and the connection cut: nothing is there', async () => {
    const { peer } = await misbehave({ faults: [{ ...create, nth: 1, work: 'skipped', answer: cut }] });
    await expect(peer.post(templates, workers)).rejects.toThrow('fetch failed');
    expect(await names(peer)).toEqual([]);
  });

  test('refused although it is done', async () => {
    const fault = { ...create, work: 'done', answer: { is: 'refusal', status: 502 } } as const;
    const { peer } = await misbehave({ faults: [fault] });
    expect((await peer.post(templates, workers)).status).toBe(502);
    expect(await names(peer)).toEqual(['workers']);
  });

  test.each([cut, { is: 'refusal', status: 504 } as const])(
    'late, and answered by %j: it appears on time',
    async (answer) => {
      const { peer, clock } = await misbehave({ faults: [{ ...create, work: 'late', lateMs: 300, answer }] });
      const outcome = await peer.post(templates, workers).then(
        ({ status }) => status,
        () => 'cut',
      );
      expect(outcome).toBe(answer.is === 'cut' ? 'cut' : 504);
      await clock.advance(299);
      expect(await names(peer)).toEqual([]);
      await clock.advance(1);
      expect(await names(peer)).toEqual(['workers']);
    },
  );

  test('late work that is refused by then goes to the log, and the service stays up', async () => {
    const warnings: LogFields[] = [];
    const log: Log = { debug() {}, info() {}, warn: (fields) => void warnings.push(fields), error() {} };
    const fault = { ...create, nth: 1, work: 'late', lateMs: 300, answer: cut } as const;
    const { peer, clock } = await misbehave({ faults: [fault] }, { log });
    await expect(peer.post(templates, workers)).rejects.toThrow('fetch failed');
    expect((await peer.post(templates, workers)).status).toBe(202);
    await clock.advance(300);
    expect(warnings.map(({ err }) => String(err))).toEqual([expect.stringContaining('the name is in use')]);
    expect(await names(peer)).toEqual(['workers']);
  });

  test('late work that is still to come ends with the service', async () => {
    const clock = new ManualClock();
    const fault = { ...create, work: 'late', lateMs: 300, answer: cut } as const;
    const server = createServer({
      clock,
      random: createSeededRandom(1),
      hooks: new Injector(clock, { faults: [fault] }),
    });
    onTestFinished(() => server.close());
    await expect(connect(await server.start()).post(templates, workers)).rejects.toThrow('fetch failed');
    expect(clock.pending).toBe(1);
    await server.close();
    expect(clock.pending).toBe(0);
  });

  test('an Error row: the create is refused, and a cluster without machines holds the name until it is deleted', async () => {
    const answer = { is: 'refusal', status: 400, errorName: 'QUOTA_ERROR', message: 'no room' } as const;
    const fault = { method: 'POST', path: 'clusters', nth: 1, work: 'error-row', answer } as const;
    const { peer, clock } = await misbehave({ faults: [fault] });
    const refused = await peer.post(clusters, { ...startBody, node_groups });
    expect([refused.status, refused.body]).toEqual([
      400,
      { error_code: 400, error_name: 'QUOTA_ERROR', error_message: 'no room' },
    ]);
    await clock.advance(1000);
    const [row] = (await peer.get(clusters)).body.clusters;
    expect(row).toMatchObject({ name: 'cluster-1', status: 'Error', node_groups: [{ name: 'g', instances: [] }] });
    const again = () => peer.post(clusters, { ...startBody, node_groups });
    expect((await again()).body.error_name).toBe('CLUSTER_NAME_ALREADY_EXISTS');
    expect((await peer.remove(`${clusters}/${row.id}`)).status).toBe(204);
    await clock.advance(1000);
    expect((await again()).status).toBe(202);
  });

  test('a create that is refused anyway leaves no Error row, and is told the truth', async () => {
    const answer = { is: 'refusal', status: 418 } as const;
    const { peer } = await misbehave({ faults: [{ method: 'POST', path: 'clusters', work: 'error-row', answer }] });
    const { body } = await peer.post(clusters, { ...startBody, node_groups, plugin_name: 'unknown' });
    expect(body.error_name).toBe('INVALID_REFERENCE');
    expect((await peer.get(clusters)).body.clusters).toEqual([]);
  });
});

describe('what is answered', () => {
  test.each([
    [
      'service',
      'application/json',
      { error_code: 503, error_name: 'SERVICE_UNAVAILABLE', error_message: 'Service Unavailable' },
    ],
    ['framework', 'application/json', { error: 503, error_message: 'Service Unavailable' }],
    [
      'identity',
      'application/json',
      { error: { code: 503, title: 'Service Unavailable', message: 'Service Unavailable' } },
    ],
    ['tenant', 'text/plain; charset=UTF-8', '503 Service Unavailable\n\nService Unavailable\n'],
    ['proxy', 'text/html', expect.stringMatching(/^<html>.*<h1>503 Service Unavailable<\/h1>/)],
  ] as const)('a refusal in the shape of the %s', async (shape, type, body) => {
    const { peer } = await misbehave({ faults: [{ answer: { is: 'refusal', status: 503, shape } }] });
    const reply = await peer.get(templates);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([503, type]);
    expect(reply.body ?? reply.text).toEqual(body);
    expect(reply.headers.get('www-authenticate') === null).toBe(shape !== 'identity');
  });

  test('too many requests, with the time to wait', async () => {
    const answer = { is: 'refusal', status: 429, retryAfter: 3 } as const;
    const { peer } = await misbehave({ faults: [{ times: 2, answer }] });
    const replies = [await peer.get(templates), await peer.get(templates), await peer.get(templates)];
    expect(replies.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '3'],
      [429, '3'],
      [200, null],
    ]);
  });

  test('200 and a string where an object is due', async () => {
    const { peer } = await misbehave({
      faults: [{ path: 'node-group-templates', method: 'GET', nth: 1, answer: { is: 'text' } }],
    });
    const reply = await peer.get(templates);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(reply.body).toBe('<Response 183 bytes [404 NOT FOUND]>');
    expect(await names(peer)).toEqual([]);
  });

  test('a string of one’s own, also in place of a refusal', async () => {
    const { peer } = await misbehave({ faults: [{ answer: { is: 'text', text: 'moment' } }] });
    const reply = await peer.get(`${clusters}/nothing`);
    expect([reply.status, reply.body]).toEqual([200, 'moment']);
  });

  test('half an answer, and then the end of the connection', async () => {
    const { peer } = await misbehave({ faults: [{ ...create, nth: 1, answer: { is: 'truncated' } }] });
    const response = await fetch(peer.url + templates, {
      method: 'POST',
      body: JSON.stringify(workers),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(202);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await names(peer)).toEqual(['workers']);
  });

  test('no answer at all where half of it would be the whole', async () => {
    const { peer } = await misbehave({ faults: [{ method: 'DELETE', answer: { is: 'truncated' } }] });
    const { id } = (await peer.post(templates, workers)).body.node_group_template;
    await expect(peer.remove(`${templates}/${id}`)).rejects.toThrow('fetch failed');
    expect(await names(peer)).toEqual([]);
  });

  test('the truth, later', async () => {
    const { peer, clock } = await misbehave({ faults: [{ delayMs: 50 }] });
    let answered = false;
    const asking = peer.get(templates).finally(() => (answered = true));
    await vi.waitFor(() => expect(clock.pending).toBe(1), limitMs);
    await clock.advance(49);
    expect([clock.pending, answered]).toEqual([1, false]);
    await clock.advance(1);
    expect((await asking).status).toBe(200);
  });
});

describe('which requests', () => {
  test('those of the route and the method, under both versions, with an extension or not', async () => {
    const { peer, injector } = await misbehave({
      faults: [{ name: 'gets', method: 'GET', path: 'clusters/:id', delayMs: 0 }],
    });
    await peer.get(`${clusters}/x`);
    await peer.get('/v1.1/t/clusters/x.json');
    await peer.get(clusters);
    await peer.remove(`${clusters}/x`);
    expect(injector.counts()).toEqual({ gets: { met: 2, applied: 2 } });
  });

  test('the first rule that applies counts, and every rule counts its matches', async () => {
    const answer = (status: number) => ({ is: 'refusal', status }) as const;
    const faults = [
      { name: 'second', nth: 2, answer: answer(500) },
      { name: 'all', path: 'clusters' as const, answer: answer(501) },
      { name: 'never', answer: answer(502) },
    ];
    const { peer, injector } = await misbehave({ faults });
    const statuses = [await peer.get(clusters), await peer.get(clusters), await peer.get(templates)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([501, 500, 502]);
    expect(injector.counts()).toEqual({
      second: { met: 3, applied: 1 },
      all: { met: 2, applied: 1 },
      never: { met: 3, applied: 1 },
    });
  });

  test('a rate hits the same ones in each run of the same seed', async () => {
    const run = async (seed: number) => {
      const { peer } = await misbehave({ seed, faults: [{ rate: 0.5, answer: { is: 'refusal', status: 503 } }] });
      const statuses: number[] = [];
      for (let call = 0; call < 24; call += 1) statuses.push((await peer.get(templates)).status);
      return statuses.join();
    };
    const [one, again, other] = [await run(1), await run(1), await run(2)];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(one).toMatch(/200.*503|503.*200/);
  });

  test('none of those without a token, for which there is nothing to do', async () => {
    const { peer, injector } = await misbehave({ faults: [{ answer: cut }] }, { grants: [{ token: 'a' }] });
    expect((await peer.get(templates)).status).toBe(401);
    expect((await peer.get('/')).status).toBe(300);
    expect(injector.counts()).toEqual({ 'faults[0]': { met: 0, applied: 0 } });
  });
});

test('the age of a token counts from its first use, and another token is as good as new', async () => {
  const grants = [{ token: 'a' }, { token: 'b' }];
  const { peer, clock, injector } = await misbehave({ tokenLifetimeMs: 100 }, { grants, dialect: 'sahara' });
  const ask = (token: string) => peer.send('GET', templates, undefined, { 'x-auth-token': token });
  const statuses = [(await ask('a')).status];
  await clock.advance(99);
  statuses.push((await ask('a')).status);
  await clock.advance(1);
  const refused = await ask('a');
  statuses.push(refused.status, (await ask('b')).status, (await ask('a')).status);
  expect(statuses).toEqual([200, 200, 401, 200, 401]);
  expect(refused.body.error).toMatchObject({ code: 401, message: 'cannot authenticate: the token has expired' });
  expect(refused.headers.get('www-authenticate')).toMatch(/^Keystone/);
  expect(injector.counts()).toEqual({ tokenLifetimeMs: { met: 5, applied: 2 } });
  injector.replace({ tokenLifetimeMs: 100 });
  expect((await ask('a')).status).toBe(200);
});

test('a service with an empty personality answers as one without', async () => {
  const { peer } = await misbehave({});
  const plain = await serve({ clock: new ManualClock() });
  for (const each of [peer, plain]) await each.post(templates, workers);
  const [one, other] = [await peer.get(templates), await plain.get(templates)];
  expect(one.text).toBe(other.text);
  const without = ({ headers }: typeof one) => [...headers].filter(([name]) => name !== 'date');
  expect(without(one)).toEqual(without(other));
});
