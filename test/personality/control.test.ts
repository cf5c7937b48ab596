// The control port: the personality in force, another one, none; what was injected; and what is wrong with a bad one.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../dev/personality/control.ts';
import { Injector } from '../../dev/personality/injector.ts';
import { usualLimits } from '../../src/lib/http/http-limits.ts';
import { peerOf } from '../contract/peer.ts';
import { connect, type Peer, serve, workers } from '../contract/support.ts';
import { ManualClock } from '../support/clock.ts';

const path = '/v1.0/t/node-group-templates';

const token = 'sesame';

/** `anybody` knows no token. */
async function start(): Promise<{ readonly peer: Peer; readonly control: Peer; readonly anybody: Peer }> {
  const clock = new ManualClock();
  const injector = new Injector(clock);
  const app = createControl(injector, 'neutral', {
    token,
    names: { allowed: ['named.example'], any: false },
    limits: usualLimits,
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const anybody = connect(url);
  const control = peerOf({
    ...anybody,
    send: (method, at, body, headers) => anybody.send(method, at, body, { 'x-auth-token': token, ...headers }),
  });
  return { peer: await serve({ clock, hooks: injector }), control, anybody };
}

const busy = { faults: [{ name: 'busy', path: 'node-group-templates', answer: { is: 'refusal', status: 503 } }] };

/** With the token, and headers that fetch would not let pass. */
async function sendAs(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const [answer] = await once(
    request(`${url}/personality`, { headers: { 'x-auth-token': token, ...headers } }).end(),
    'response',
  );
  return (answer as IncomingMessage).resume();
}

describe('the control port', () => {
  test('shows, replaces and clears the personality of the running service', async () => {
    const { peer, control } = await start();
    const status = async () => (await peer.get(path)).status;
    expect([(await control.get('/personality')).body, await status()]).toEqual([{}, 200]);
    expect((await control.put('/personality', busy)).body).toEqual(busy);
    expect([(await control.get('/personality')).body, await status()]).toEqual([busy, 503]);
    expect((await control.remove('/personality')).status).toBe(204);
    expect([(await control.get('/personality')).body, await status()]).toEqual([{}, 200]);
  });

  test.each(['text/yaml', 'Application/YAML; charset=utf-8', 'application/json'])('takes YAML as %s', async (type) => {
    const { control } = await start();
    const yaml = 'listLagMs: 5 # ms';
    const { body } = await control.send('PUT', '/personality', yaml, { 'content-type': type });
    expect(body).toEqual({ listLagMs: 5 });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'yaml'])('refuses what is %s', async (type) => {
    const { control } = await start();
    const { status, body } = await control.send('PUT', '/personality', '{}', { 'content-type': type });
    expect([status, body.error_name]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each([{}, { 'x-auth-token': '' }, { 'x-auth-token': 'sesam' }])('wants its token: %j', async (headers) => {
    const { control, anybody } = await start();
    for (const [method, at] of [
      ['GET', '/personality'],
      ['PUT', '/personality'],
      ['DELETE', '/personality'],
      ['GET', '/counts'],
      ['GET', '/nothing'],
    ] as const) {
      const { status, text } = await anybody.send(method, at, method === 'PUT' ? busy : undefined, headers);
      expect([method, at, status]).toEqual([method, at, 401]);
      expect(text).not.toContain(token);
    }
    expect((await control.get('/personality')).body).toEqual({});
  });

  test.each([{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { host: 'evil.example' }])(
    'lets in no page of another site, with the token: %j',
    async (headers) => {
      const { control } = await start();
      expect((await sendAs(control.url, headers)).statusCode).toBe(403);
    },
  );

  test('takes the names that it was given', async () => {
    const { control } = await start();
    expect((await sendAs(control.url, { host: 'named.example' })).statusCode).toBe(200);
  });

  test('counts what was injected, from when the personality was set', async () => {
    const { peer, control } = await start();
    await control.put('/personality', busy);
    expect((await control.get('/counts')).body).toEqual({ busy: { met: 0, applied: 0 } });
    await peer.post(path, workers);
    await peer.get(path);
    expect((await control.get('/counts')).body).toEqual({ busy: { met: 2, applied: 2 } });
    await control.put('/personality', busy);
    expect((await control.get('/counts')).body).toEqual({ busy: { met: 0, applied: 0 } });
  });

  test('refuses a bad one by field, and the one before stays in force', async () => {
    const { control } = await start();
    await control.put('/personality', busy);
    const { status, body } = await control.put('/personality', { faults: [{ rate: 2, delayMs: 1 }], listLag: 5 });
    expect([status, body.error_code, body.error_name]).toEqual([400, 400, 'VALIDATION_ERROR']);
    expect(body.error_message).toMatch(/^faults\[0\]\[rate\]: /);
    expect(body.error_message).toContain('listLag: unknown field');
    expect((await control.put('/personality', '{')).body.error_name).toBe('MALFORMED_REQUEST_BODY');
    expect((await control.get('/personality')).body).toEqual(busy);
  });

  test('tells what there is to whoever asks for something else', async () => {
    const { control } = await start();
    const { status, body } = await control.post('/personality', {});
    expect([status, body.error_message]).toEqual([
      404,
      'cannot POST /personality: there are GET, PUT, DELETE /personality, GET /counts',
    ]);
  });
});
