// The control port: the personality in force, another one, none; what was injected; and what is wrong with a bad one.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../src/server/control.ts';
import { Injector } from '../../src/server/injector.ts';
import { connect, type Peer, serve, workers } from '../contract/support.ts';
import { ManualClock } from '../support/clock.ts';

const path = '/v1.0/t/node-group-templates';

async function start(): Promise<{ readonly peer: Peer; readonly control: Peer }> {
  const clock = new ManualClock();
  const injector = new Injector(clock);
  const app = createControl(injector, 'neutral');
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { peer: await serve({ clock, injector }), control: connect(url) };
}

const busy = { faults: [{ name: 'busy', path: 'node-group-templates', answer: { is: 'refusal', status: 503 } }] };

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

  test('takes YAML of any type', async () => {
    const { control } = await start();
    const yaml = 'listLagMs: 5 # ms';
    expect((await control.send('PUT', '/personality', yaml, { 'content-type': 'text/yaml' })).body).toEqual({
      listLagMs: 5,
    });
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
