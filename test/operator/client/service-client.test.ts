// A whole service: permits, throttling, own writes in the inventory, and what an answer must be about.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import type { RequestNote } from '../../../src/operator/client/http/request.ts';
import { createService, type Service, type ServiceOptions } from '../../../src/operator/client/service-client.ts';
import { noCredentials } from '../../../src/operator/client/service-credentials.ts';
import type { Permit } from '../../../src/operator/client/throttle/budget.ts';
import { routes } from '../../../src/wire/routes.ts';
import { ManualClock } from '../../support/clock.ts';
import { type Reply, type Scripted, serve } from './support/servers.ts';

const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 };
const cluster = { id: '1', name: 'c1', status: 'Active' };
const notFound = { error_code: 404, error_name: 'NOT_FOUND', error_message: 'no cluster' };

interface World {
  readonly service: Service;
  readonly server: Scripted;
  readonly notes: readonly RequestNote[];
  permit(signal?: AbortSignal): Promise<Permit>;
}

type Script = Readonly<Record<string, Reply | readonly Reply[]>>;

/** Answers each `METHOD /path` of the script, lists one after the other; everything else is a 404. */
async function world(script: Script, more: Partial<ServiceOptions> = {}): Promise<World> {
  const turns = new Map<string, number>();
  const server = await serve(({ method, url }) => {
    const key = `${method} ${url.replace('/v1.0/t', '')}`;
    const replies = [script[key] ?? { status: 404, body: notFound }].flat();
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return replies[Math.min(turn, replies.length - 1)] ?? {};
  });
  const notes: RequestNote[] = [];
  const service = createService({
    endpoint: server.url,
    tenant: 't',
    dialect: 'neutral',
    credentials: noCredentials(),
    clock: systemClock,
    timeoutMs: 5000,
    limits,
    onRequest: (note) => void notes.push(note),
    ...more,
  });
  onTestFinished(() => service.close());
  const permit = async (signal?: AbortSignal) => {
    const taken = await service.budget.take({ user: 'test', withinMs: 1000, signal });
    if (taken === undefined) throw new Error('no permit');
    return taken;
  };
  return { service, server, notes, permit };
}

describe('a replica that may not write any more', () => {
  const script = {
    'GET /clusters': { body: { clusters: [cluster] } },
    'POST /clusters': { status: 202, body: { cluster } },
    'PUT /clusters/1': { status: 202, body: { cluster } },
    'DELETE /clusters/1': { status: 204 },
    'GET /v1.1/t/job-executions/1/cancel': { body: { job_execution: { id: '1' } } },
  };

  test('sends no write, says that it was not sent, and goes on reading', async () => {
    let may = true;
    const there = await world(script, { mayWrite: () => may });
    const { service, server } = there;
    await service.create(routes.clusters, {}, await there.permit());
    may = false;
    const writes = [
      service.create(routes.clusters, {}, await there.permit()),
      service.scaleCluster('1', {}, await there.permit()),
      service.remove(routes.clusters, '1', await there.permit()),
      service.cancelExecution('1', await there.permit()),
    ];
    for (const write of writes)
      await expect(write).rejects.toMatchObject({
        category: 'unreachable',
        certainty: 'definite',
        why: 'another replica may lead now, so the request was not sent',
      });
    await look(there);
    expect(server.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('is asked at the last moment: when the token and the connection are there', async () => {
    let may = true;
    const token = async () => {
      may = false;
      return 'token';
    };
    const credentials = { token, rejected: () => false };
    const there = await world(script, { credentials, mayWrite: () => may });
    const sent = there.service.create(routes.clusters, {}, await there.permit());
    await expect(sent).rejects.toMatchObject({ certainty: 'definite' });
    expect(there.server.received).toEqual([]);
  });

  test('nor is what is not wanted any more once the token and the connection are there', async () => {
    let wanted = true;
    const token = async () => {
      wanted = false;
      return 'token';
    };
    const there = await world(script, { credentials: { token, rejected: () => false }, mayWrite: () => true });
    const { service, server } = there;
    const permit = async () => ({ ...(await there.permit()), isStillWanted: () => wanted });
    const writes: readonly ((given: Permit) => Promise<unknown>)[] = [
      (given) => service.create(routes.clusters, {}, given),
      (given) => service.scaleCluster('1', {}, given),
      (given) => service.remove(routes.clusters, '1', given),
      (given) => service.cancelExecution('1', given),
    ];
    for (const write of writes) {
      wanted = true;
      await expect(write(await permit())).rejects.toMatchObject({ certainty: 'definite', isOutdated: true });
    }
    expect(server.received).toEqual([]);
  });
});

test('a cancellation is a write, although it is a GET: it is not sent again with another token', async () => {
  const expired = { status: 401, body: { error: { code: 401, message: 'expired' } } };
  const rejected: string[] = [];
  const credentials = { token: async () => 'token', rejected: (token: string) => rejected.push(token) > 0 };
  const there = await world(
    { 'GET /v1.1/t/job-executions/1/cancel': expired, 'GET /clusters': expired },
    { credentials },
  );
  const sent = there.service.cancelExecution('1', await there.permit());
  await expect(sent).rejects.toMatchObject({ category: 'unauthorized', certainty: 'definite' });
  expect([there.server.received.length, rejected]).toEqual([1, ['token']]);
  await expect(look(there)).rejects.toMatchObject({ category: 'unauthorized' });
  expect(there.server.received.length).toBe(3);
});

/** Observes after all that has happened so far. */
const look = ({ service }: World, clock: Clock = systemClock) =>
  service.inventory.observe(routes.clusters, { notBefore: clock.monotonic() });

describe('reads', () => {
  test('plugins', async () => {
    const plugin = { name: 'vanilla', title: 'Vanilla', description: '', versions: ['1'] };
    const { service } = await world({ 'GET /plugins': { body: { plugins: [plugin] } } });
    expect(await service.plugins()).toEqual([plugin]);
  });

  test.each([
    [{ volume_full: true }, true],
    [{ volume_full: false }, false],
    [{ volume_full: 'true' }, false],
    [{}, false],
  ])('plugins, beside which is %j', async (beside, isFull) => {
    const { service } = await world({ 'GET /plugins': { body: { plugins: [], ...beside } } });
    await service.plugins();
    expect(service.isFull).toBe(isFull);
  });

  test('one row; a 404 of the service rejects', async () => {
    const { service } = await world({ 'GET /clusters/1': { body: { cluster } } });
    expect(await service.get(routes.clusters, '1')).toEqual(cluster);
    await expect(service.get(routes.clusters, '2')).rejects.toMatchObject({ category: 'notFound', ownShape: true });
  });

  test.each([
    ['another row than the one asked for', { cluster: { ...cluster, id: '2' } }, /about another object/],
    ['no wrapping key', cluster, /has no "cluster"/],
    ['a row without a name', { cluster: { id: '1' } }, /cluster\.name/],
    ['a 404 written out', '"<Response 183 bytes [404 NOT FOUND]>"', /read again/],
  ])('%s is no answer', async (_, body, why) => {
    const { service } = await world({ 'GET /clusters/1': { body } });
    const refusal = { category: 'malformed', why: expect.stringMatching(why) };
    await expect(service.get(routes.clusters, '1')).rejects.toMatchObject(refusal);
    await expect(service.inventory.getById(routes.clusters, '1')).rejects.toMatchObject(refusal);
  });

  test('a sighting: the row, or its absence in the own shape and in no other', async () => {
    const { service } = await world({
      'GET /clusters/1': { body: { cluster } },
      'GET /clusters/3': { status: 404, body: { error: 404, error_message: 'Not Found' } },
    });
    expect(await service.inventory.getById(routes.clusters, '1')).toMatchObject({ row: cluster });
    expect(await service.inventory.getById(routes.clusters, '2')).toMatchObject({ row: undefined });
    await expect(service.inventory.getById(routes.clusters, '3')).rejects.toMatchObject({ category: 'malformed' });
  });

  test.each([
    ['no array', { clusters: {} }],
    ['another key', { binaries: [] }],
    ['a text', '"x"'],
    ['nothing', ''],
  ])('a LIST with %s is malformed, not empty', async (_, body) => {
    const here = await world({ 'GET /clusters': { body } });
    await expect(look(here)).rejects.toMatchObject({ category: 'malformed', status: 200 });
    expect(here.service.inventory.peek(routes.clusters)).toBeUndefined();
  });

  test('a hundred who ask at once cost one request', async () => {
    const here = await world({ 'GET /clusters': { body: { clusters: [cluster] } } });
    const views = await Promise.all(Array.from({ length: 100 }, () => look(here)));
    expect(new Set(views.map(({ listSentAt }) => listSentAt)).size).toBe(1);
    expect(here.notes.map(({ method, route }) => `${method} ${route}`)).toEqual(['GET clusters']);
  });
});

describe('writes', () => {
  test('a created row is there at once, and observed by a read only', async () => {
    const here = await world({
      'GET /clusters': [{ body: { clusters: [] } }, { body: { clusters: [cluster] } }],
      'POST /clusters': { status: 202, body: { cluster: { ...cluster, status: 'Validating' } } },
    });
    await look(here);
    const permit = await here.permit();
    expect(await here.service.create(routes.clusters, { name: 'c1' }, permit)).toMatchObject({ status: 'Validating' });
    const created = systemClock.monotonic();
    expect(here.service.inventory.peek(routes.clusters)?.byName('c1')).toHaveLength(1);
    const view = await look(here);
    expect(view.byId('1')?.status).toBe('Active');
    expect(view.listSentAt).toBeGreaterThanOrEqual(created);
    expect(here.server.received[1]?.body).toBe('{"name":"c1"}');
  });

  test('a create without an id in its answer is open', async () => {
    const here = await world({ 'POST /clusters': { status: 202, body: { cluster: { ...cluster, id: '' } } } });
    await expect(here.service.create(routes.clusters, {}, await here.permit())).rejects.toMatchObject({
      category: 'malformed',
      certainty: 'open',
    });
    expect(here.service.inventory.peek(routes.clusters)).toBeUndefined();
  });

  test('a permit is not released by the request', async () => {
    const here = await world({ 'DELETE /clusters/1': { status: 204 } }, { limits: { ...limits, maxInFlight: 1 } });
    const permit = await here.permit();
    await here.service.remove(routes.clusters, '1', permit);
    expect(await here.service.budget.take({ user: 'x', withinMs: 0 })).toBeUndefined();
    permit.release();
    expect(await here.service.budget.take({ user: 'x', withinMs: 0 })).toBeDefined();
  });

  test('the signal of the permit ends the request', async () => {
    const here = await world({});
    const abort = new AbortController();
    const permit = await here.permit(abort.signal);
    abort.abort();
    await expect(here.service.remove(routes.clusters, '1', permit)).rejects.toMatchObject({ certainty: 'definite' });
    expect(here.server.received).toHaveLength(0);
  });

  test('scale, and the three requests on images', async () => {
    const image = { id: 'i', name: 'ubuntu', tags: ['a'] };
    const here = await world({
      'PUT /clusters/1': { status: 202, body: { cluster: { ...cluster, status: 'Validating' } } },
      'POST /images/i': { status: 202, body: { image } },
      'POST /images/i/tag': { status: 202, body: { image } },
      'POST /images/i/untag': { status: 202, body: { image } },
    });
    const permit = await here.permit();
    const { service } = here;
    const resize = { resize_node_groups: [{ name: 'g', count: 2 }] };
    expect((await service.scaleCluster('1', resize, permit)).status).toBe('Validating');
    await service.registerImage('i', { username: 'u' }, permit);
    await service.tagImage('i', { tags: ['a'] }, permit);
    expect(await service.untagImage('i', { tags: ['b'] }, permit)).toEqual(image);
    expect(here.server.received.map(({ body }) => body)).toEqual([
      JSON.stringify(resize),
      '{"username":"u"}',
      '{"tags":["a"]}',
      '{"tags":["b"]}',
    ]);
  });

  test('each failed write makes older reads too old', async () => {
    const clock = new ManualClock();
    const here = await world({ 'GET /clusters': { body: { clusters: [] } } }, { clock });
    await look(here, clock);
    await expect(here.service.remove(routes.clusters, '1', await here.permit())).rejects.toBeDefined();
    await look(here, clock);
    expect(here.server.received.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });
});

describe('permits', () => {
  test.each([
    ['429 without a time', { status: 429 }, 1000],
    ['429 with a time', { status: 429, headers: { 'retry-after': '3' } }, 3000],
    ['429 with a very long time', { status: 429, headers: { 'retry-after': '9999' } }, 60_000],
    ['503 with a time', { status: 503, headers: { 'retry-after': '2' } }, 2000],
    ['503 without a time', { status: 503 }, 0],
    ['500', { status: 500, headers: { 'retry-after': '2' } }, 0],
  ])('%s pauses all requests', async (_, reply, ms) => {
    const clock = new ManualClock();
    const { service } = await world({ 'GET /plugins': reply }, { clock });
    await expect(service.plugins()).rejects.toBeDefined();
    if (ms > 0) {
      await clock.advance(ms - 1);
      expect(await service.budget.take({ user: 'x', withinMs: 0 })).toBeUndefined();
      await clock.advance(1);
    }
    expect(await service.budget.take({ user: 'x', withinMs: 0 })).toBeDefined();
  });

  test('a read waits for its permit as long as a request may take, and then was never sent', async () => {
    const clock = new ManualClock();
    const here = await world({}, { clock });
    here.service.budget.pauseFor(60_000);
    const asked = here.service.plugins().catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await asked).toMatchObject({
      category: 'throttled',
      certainty: 'definite',
      request: { method: 'GET', path: '/v1.0/t/plugins' },
    });
    expect(here.server.received).toHaveLength(0);
  });

  test('a read that is given up while it waits leaves the line', async () => {
    const here = await world({});
    here.service.budget.pauseFor(60_000);
    const abort = new AbortController();
    const asked = here.service.get(routes.clusters, '1', abort.signal).catch((error: unknown) => error);
    abort.abort();
    expect(await asked).toMatchObject({ category: 'unreachable', certainty: 'definite' });
  });

  test('reads give their permits back, after good answers and bad ones', async () => {
    const { service } = await world(
      { 'GET /plugins': [{ body: 'x' }, { body: { plugins: [] } }] },
      { limits: { ...limits, maxInFlight: 1 } },
    );
    await expect(service.plugins()).rejects.toBeDefined();
    expect(await service.plugins()).toEqual([]);
    expect(await service.budget.take({ user: 'x', withinMs: 0 })).toBeDefined();
  });

  test('closing ends what waits', async () => {
    const { service } = await world({});
    service.budget.pauseFor(60_000);
    const asked = service.plugins().catch((error: unknown) => error);
    await service.close();
    expect(await asked).toMatchObject({ certainty: 'definite' });
  });
});

describe('the bytes of a file', () => {
  const path = 'PUT /v1.1/t/job-binary-internals/words';
  const file = { id: '1', name: 'words', datasize: 3 };
  const bytes = Buffer.from([0, 255, 10]);

  test('are sent as they are, with their length, and their row enters the inventory', async () => {
    const here = await world({ [path]: { status: 202, body: { job_binary_internal: file } } });
    const made = await here.service.upload('words', { bytes, secret: false }, await here.permit());
    expect(made).toMatchObject(file);
    expect(here.server.received[0]?.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3',
    });
    expect(here.server.received[0]?.body).toBe(bytes.toString());
    expect(here.notes).toMatchObject([{ method: 'PUT', template: '/job-binary-internals/{id}', status: 202 }]);
  });

  test.each([true, false])('an answer may repeat them only if they are no secret (%s)', async (secret) => {
    const text = 'line two of the secret file';
    const refusal = { error_code: 400, error_name: 'BAD_JOB_BINARY', error_message: `cannot keep ${text}` };
    const odd = { [text]: text };
    for (const reply of [
      { status: 400, body: refusal },
      { status: 202, body: odd },
      { status: 500, body: text },
    ]) {
      const here = await world({ [path]: reply });
      const sent = here.service.upload('words', { bytes: Buffer.from(`one\n${text}\n`), secret }, await here.permit());
      const error = await sent.catch((thrown: unknown) => thrown);
      const told = JSON.stringify([error, (error as Error).message, (error as Error).stack, here.notes]);
      if (secret) expect(told).not.toContain('line two');
      else if (reply.status === 400) expect(told).toContain(text);
      if (reply.status === 400) expect(error).toMatchObject({ errorName: 'BAD_JOB_BINARY', certainty: 'answered' });
    }
  });

  test('a path that is not there is no missing object', async () => {
    const here = await world({});
    const sent = here.service.upload('words', { bytes, secret: true }, await here.permit());
    await expect(sent).rejects.toMatchObject({ category: 'malformed', why: expect.stringContaining('answered 404') });
  });
});
