// Through a real proxy: what it sees, what the service sees, and what is said when it does not play along.
import { createServer as createTlsServer } from 'node:https';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { createService, type Service, type ServiceOptions } from '../../../../src/operator/client/service-client.ts';
import { noCredentials } from '../../../../src/operator/client/service-credentials.ts';
import { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { makeCertificates } from '../support/certificates.ts';
import { type ProxyOptions, serveProxy } from '../support/proxy-server.ts';
import { closedPort, listen, serve, serveRaw } from '../support/servers.ts';

const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 };
const user = 'zz-key-77123';
const credentials = `${user}:s3cret-word`;

function connectTo(endpoint: string, options: Partial<ServiceOptions>): Service {
  const common = { tenant: 't', dialect: 'neutral', credentials: noCredentials(), clock: systemClock } as const;
  const service = createService({ ...common, endpoint, timeoutMs: 5_000, limits, ...options });
  onTestFinished(() => service.close());
  return service;
}

const through = (port: number | string, none: readonly string[] = []) => {
  const url = `http://${credentials}@127.0.0.1:${port}`;
  return { proxies: { http: url, https: url, none } };
};

async function servePlain() {
  return serve(() => ({ body: { plugins: [] } }));
}

async function serveTls() {
  const { ca, cert, key } = await makeCertificates(['service.test'], ['fd00::1']);
  const paths: string[] = [];
  const hosts: (string | undefined)[] = [];
  const server = createTlsServer({ cert, key }, ({ url = '', headers }, response) => {
    hosts.push(headers.host);
    paths.push(`${url} ${headers['proxy-authorization'] ?? 'without credentials'}`);
    response.end('{"plugins":[]}');
  });
  const { port } = await listen(server);
  return { ca, port, paths, hosts };
}

/** What went wrong, as a user reads it. */
async function whyOf(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`no ServiceError: ${String(error)}`);
  expect(JSON.stringify(error) + error.message).not.toMatch(/s3cret|77123/);
  return error;
}

describe('a service at https', () => {
  test('is reached by a tunnel, and its own authority is trusted in it', async () => {
    const { ca, port, paths } = await serveTls();
    const proxy = await serveProxy({ hosts: { 'service.test': port } });
    const service = connectTo('https://service.test/base', { ...through(proxy.port), tls: { ca } });
    expect(await service.plugins()).toEqual([]);
    expect(proxy.asked).toEqual(['CONNECT service.test:443']);
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from(credentials).toString('base64')}`]);
    expect(paths).toEqual(['/base/v1.0/t/plugins without credentials']);
  });

  test.each([
    ['https://[fd00::1]:8386', '[fd00::1]:8386'],
    ['https://[FD00:0::1]', '[fd00::1]:443'],
  ])('is reached by its IPv6 address, too: %s', async (endpoint, asked) => {
    const { ca, port, hosts } = await serveTls();
    const proxy = await serveProxy({ hosts: { '[fd00::1]': port } });
    expect(await connectTo(endpoint, { ...through(proxy.port), tls: { ca } }).plugins()).toEqual([]);
    expect(proxy.asked).toEqual([`CONNECT ${asked}`]);
    expect(proxy.hosts).toEqual([asked]);
    expect(hosts).toEqual([asked.replace(':443', '')]);
  });

  test('is not trusted without it, and the tunnel is not to blame', async () => {
    const { port, paths } = await serveTls();
    const proxy = await serveProxy({ hosts: { 'service.test': port } });
    const error = await whyOf(connectTo('https://service.test', through(proxy.port)).plugins());
    expect(error).toMatchObject({ category: 'unreachable', certainty: 'definite' });
    expect(error.why).toMatch(/the certificate of the service is not trusted/);
    expect(paths).toEqual([]);
  });

  test('is reached by one tunnel, time and again', async () => {
    const { ca, port } = await serveTls();
    const proxy = await serveProxy({ hosts: { 'service.test': port } });
    const service = connectTo('https://service.test', { ...through(proxy.port), tls: { ca } });
    for (let index = 0; index < 10; index++) await service.plugins();
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
  });

  test.each<readonly [string, ProxyOptions, RegExp]>([
    ['407', { refuse: { status: 407 } }, /refuses the connection to the service \(407\): check user/],
    ['502', { refuse: { status: 502 } }, /refuses the connection to the service \(502\)$/],
    ['no way to the host', {}, /refuses the connection to the service \(502\)$/],
  ])('a proxy that answers %s is named, without its credentials', async (_name, options, expected) => {
    const proxy = await serveProxy(options);
    const error = await whyOf(connectTo('https://service.test', through(proxy.port)).plugins());
    expect(error).toMatchObject({ category: 'unreachable', certainty: 'definite' });
    expect(error.why).toMatch(expected);
    expect(error.why).toContain(`the proxy for the service failed: 127.0.0.1:${proxy.port} `);
  });

  test('a proxy that hangs up is named', async () => {
    const { port } = await serveRaw((socket) => socket.destroy());
    const error = await whyOf(connectTo('https://service.test', through(port)).plugins());
    expect(error.why).toContain(`127.0.0.1:${port} broke the connection (`);
  });
});

describe('a service at http', () => {
  test('is forwarded to', async () => {
    const { port, received } = await servePlain();
    const proxy = await serveProxy({ hosts: { 'service.test': port } });
    const service = connectTo('http://service.test:8080/base', through(proxy.port));
    expect(await service.plugins()).toEqual([]);
    expect(proxy.asked).toEqual(['GET http://service.test:8080/base/v1.0/t/plugins']);
    expect(proxy.authorizations[0]).toMatch(/^Basic /);
    expect(received[0]).toMatchObject({ url: '/base/v1.0/t/plugins', headers: { host: 'service.test:8080' } });
    expect(received[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('is forwarded to by its IPv6 address, too', async () => {
    const { port, received } = await servePlain();
    const proxy = await serveProxy({ hosts: { '[fd00::1]': port } });
    expect(await connectTo('http://[fd00::1]:8386', through(proxy.port)).plugins()).toEqual([]);
    expect(proxy.asked).toEqual(['GET http://[fd00::1]:8386/v1.0/t/plugins']);
    expect(received[0]?.headers.host).toBe('[fd00::1]:8386');
  });

  test.each<readonly [string, ProxyOptions, string, string]>([
    ['407', { refuse: { status: 407 } }, 'definite', 'refuses the connection to the service (407): check user'],
    ['502', {}, 'open', ', or what is behind it, answers 502'],
    [
      'its own page, with our user and password on it',
      { refuse: { status: 400, body: `bad ${credentials}` } },
      'open',
      'bad ***:***',
    ],
  ])('a proxy that answers %s is told from the service', async (_name, options, certainty, expected) => {
    const proxy = await serveProxy(options);
    const work = connectTo('http://service.test', through(proxy.port)).plugins();
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ certainty, why: expect.stringContaining(expected) });
    expect(String(error)).not.toMatch(/s3cret|77123/);
  });

  test('an answer in the own form of the service is one of the service', async () => {
    const body = { error_code: 503, error_name: 'BUSY', error_message: 'come again' };
    const { port } = await serve(() => ({ status: 503, body }));
    const proxy = await serveProxy({ hosts: { 'service.test': port } });
    const error = await whyOf(connectTo('http://service.test', through(proxy.port)).plugins());
    expect(error).toMatchObject({ category: 'serverFault', detail: 'come again' });
  });
});

describe.each(['http', 'https'])('whatever the scheme: %s', (scheme) => {
  test('a proxy that is down is named, and nothing was sent', async () => {
    const { port } = new URL(await closedPort());
    const error = await whyOf(connectTo(`${scheme}://service.test`, through(port)).plugins());
    expect(error).toMatchObject({ category: 'unreachable', certainty: 'definite' });
    expect(error.why).toBe(`the proxy for the service failed: 127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);
  });

  test('a proxy whose certificate nobody knows is not trusted with anything', async () => {
    const proxy = await serveProxy({ tls: await makeCertificates([], ['127.0.0.1']) });
    const url = `https://${credentials}@127.0.0.1:${proxy.port}`;
    const proxies = { http: url, https: url, none: [] };
    const error = await whyOf(connectTo(`${scheme}://service.test`, { proxies }).plugins());
    expect(error.why).toMatch(/cannot be reached \((?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)\w+\)$/);
    expect(proxy.asked).toEqual([]);
  });

  test('what is to be reached without a proxy never gets there', async () => {
    const proxy = await serveProxy({});
    // RFC 2606 keeps this name from ever being found.
    const error = await whyOf(connectTo(`${scheme}://service.invalid`, through(proxy.port, ['.invalid'])).plugins());
    expect(error.why).not.toContain('proxy');
    expect(proxy.asked).toEqual([]);
  });
});

test('this machine is reached without the proxy', async () => {
  const { url } = await servePlain();
  const proxy = await serveProxy({});
  expect(await connectTo(url, through(proxy.port)).plugins()).toEqual([]);
  expect(proxy.asked).toEqual([]);
});
