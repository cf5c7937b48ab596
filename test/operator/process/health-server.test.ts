// The health server over HTTP.
import { networkInterfaces } from 'node:os';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { type Check, type HealthOptions, HealthServer } from '../../../src/operator/process/health-server.ts';

const servers: HealthServer[] = [];
const errors: string[] = [];

/** Answers with the port. */
async function start(options: Partial<HealthOptions>): Promise<number> {
  const quiet = () => undefined;
  const log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (_fields: unknown, message: string) => void errors.push(message),
  };
  const server = new HealthServer({
    live: [],
    ready: [],
    registry: new Registry(),
    log,
    port: 0,
    ...options,
  });
  servers.push(server);
  return server.start();
}

const serve = async (options: Partial<HealthOptions> = {}): Promise<string> =>
  `http://127.0.0.1:${await start({ host: '127.0.0.1', ...options })}`;

afterEach(async () => {
  errors.length = 0;
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const well: Check = { name: 'well', trouble: () => undefined };
const ill: Check = { name: 'ill', trouble: () => 'it hurts' };
const broken: Check = {
  name: 'broken',
  trouble: () => {
    throw new Error('cannot look');
  },
};

describe.each([
  ['/healthz', 'live', 500],
  ['/readyz', 'ready', 503],
] as const)('%s', (path, list, failing) => {
  test('is 200 while all is well', async () => {
    const answer = await fetch(`${await serve({ [list]: [well] })}${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toEqual({ ok: true, checks: { well: 'ok' } });
  });

  test(`is ${failing} with every check when one is in trouble`, async () => {
    const answer = await fetch(`${await serve({ [list]: [well, ill] })}${path}?verbose`);
    expect(answer.status).toBe(failing);
    expect(await answer.json()).toEqual({ ok: false, checks: { well: 'ok', ill: 'it hurts' } });
  });

  test('counts a check that throws as trouble', async () => {
    const answer = await fetch(`${await serve({ [list]: [broken] })}${path}`);
    expect([answer.status, await answer.json()]).toEqual([failing, { ok: false, checks: { broken: 'cannot look' } }]);
  });

  test('asks anew each time, and does not mind the checks of the other', async () => {
    let trouble: string | undefined = 'not yet';
    const other = list === 'live' ? 'ready' : 'live';
    const url = `${await serve({ [list]: [{ name: 'x', trouble: () => trouble }], [other]: [ill] })}${path}`;
    expect((await fetch(url)).status).toBe(failing);
    trouble = undefined;
    expect((await fetch(url)).status).toBe(200);
  });
});

test('without a host it listens on all addresses of the machine, those of IPv6 too', async () => {
  const port = await start({});
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const loopback = own.filter(({ internal }) => internal);
  expect(loopback).not.toEqual([]);
  for (const { address, family } of loopback) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect((await fetch(`http://${host}:${port}/healthz`)).status, host).toBe(200);
  }
});

describe('/metrics', () => {
  test('is what the registry has, in its own format', async () => {
    const registry = { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: async () => 'figure 1\n' };
    const answer = await fetch(`${await serve({ registry })}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, Registry.PROMETHEUS_CONTENT_TYPE]);
    expect(await answer.text()).toBe('figure 1\n');
  });

  test('that cannot be collected are said and logged', async () => {
    const registry = {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      metrics: () => Promise.reject(new Error('no memory')),
    };
    const answer = await fetch(`${await serve({ registry })}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([500, 'cannot collect metrics: no memory\n']);
    expect(errors).toEqual(['cannot collect metrics']);
  });
});

describe('the server', () => {
  test('knows no other path and no other method', async () => {
    const url = await serve({ live: [well] });
    for (const path of ['/', '/healthz/', '/metrics2']) expect((await fetch(`${url}${path}`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`, { method: 'POST', body: 'x' })).status).toBe(405);
    const head = await fetch(`${url}/healthz`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('does not answer after its stop, which may come twice and closes idle connections', async () => {
    const url = await serve({ live: [well] });
    await (await fetch(`${url}/healthz`)).text();
    const [server] = servers;
    await server?.stop();
    await server?.stop();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('does not let a request that hangs hold up its stop', async () => {
    const asked = Promise.withResolvers<void>();
    const metrics = () => {
      asked.resolve();
      return new Promise<string>(() => undefined);
    };
    const url = await serve({ registry: { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics } });
    const answer = expect(fetch(`${url}/metrics`)).rejects.toThrow('fetch failed');
    await asked.promise;
    await servers[0]?.stop();
    await answer;
  });

  test('knows its port while it listens', async () => {
    const url = await serve();
    const [server] = servers;
    expect(server?.port).toBe(Number(new URL(url).port));
    await server?.stop();
    expect(server?.port).toBeUndefined();
  });

  test('says why it cannot listen', async () => {
    const port = Number(new URL(await serve()).port);
    await expect(serve({ port })).rejects.toThrow(`cannot listen for health checks on port ${port}: listen EADDRINUSE`);
  });
});
