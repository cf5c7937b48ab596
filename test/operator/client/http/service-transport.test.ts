// Connections: whose certificates are trusted, and how long an idle connection may be used again.
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import type { Tls } from '../../../../src/operator/client/http/service-transport.ts';
import { createService, type Service } from '../../../../src/operator/client/service-client.ts';
import { noCredentials } from '../../../../src/operator/client/service-credentials.ts';
import { makeCertificates } from '../support/certificates.ts';
import { listen, serveRaw } from '../support/servers.ts';

const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 };

function connectTo(endpoint: string, tls?: Tls): Service {
  const credentials = noCredentials();
  const options = { endpoint, tenant: 't', dialect: 'neutral', credentials, clock: systemClock } as const;
  const service = createService({ ...options, timeoutMs: 5000, limits, tls });
  onTestFinished(() => service.close());
  return service;
}

async function serveTls(names: readonly string[] = [], addresses: readonly string[] = ['127.0.0.1']) {
  const { ca, cert, key } = await makeCertificates(names, addresses);
  let asked = 0;
  const server = createTlsServer({ cert, key }, (_, response) => {
    asked++;
    response.end('{"plugins":[]}');
  });
  const { port } = await listen(server);
  return { ca, url: `https://127.0.0.1:${port}`, asked: () => asked };
}

describe('TLS', () => {
  test('a certificate of the given authority is trusted', async () => {
    const { ca, url } = await serveTls();
    expect(await connectTo(url, { ca }).plugins()).toEqual([]);
  });

  test('nothing is sent to a service whose certificate is not trusted', async () => {
    const { url, asked } = await serveTls();
    await expect(connectTo(url).plugins()).rejects.toMatchObject({
      category: 'unreachable',
      certainty: 'definite',
      why: expect.stringMatching(/the certificate of the service is not trusted \(\w+\): set spec\.tls\.caSecretRef/),
    });
    expect(asked()).toBe(0);
  });

  test('a certificate for another host is not trusted', async () => {
    const { ca, url } = await serveTls(['elsewhere.test'], []);
    await expect(connectTo(url, { ca }).plugins()).rejects.toMatchObject({
      certainty: 'definite',
      needsUser: true,
      why: 'the certificate of the service does not include the host of the endpoint: it is for elsewhere.test, not for 127.0.0.1; use one of these names as the host, or issue a certificate for 127.0.0.1',
    });
  });

  test('http:// on a port for TLS gets no answer, and the Connection is not told a wrong cause', async () => {
    const { url } = await serveTls();
    await expect(connectTo(url.replace('https', 'http')).plugins()).rejects.toMatchObject({
      category: 'unreachable',
      why: 'the connection to the service broke before its answer was complete',
    });
  });

  test('a TLS alert in answer to http:// tells that the endpoint needs https://', async () => {
    const { url } = await serveRaw((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 40])));
    await expect(connectTo(url).plugins()).rejects.toMatchObject({
      category: 'unreachable',
      needsUser: true,
      why: 'the server speaks TLS: use https:// in the endpoint',
    });
  });

  test('https:// on a port without TLS tells that the endpoint needs http://', async () => {
    const { url } = await listen(createServer((_, response) => response.end('{"plugins":[]}')));
    await expect(connectTo(url.replace('http', 'https')).plugins()).rejects.toMatchObject({
      needsUser: true,
      why: 'the server does not speak TLS: use http:// in the endpoint',
    });
  });

  test('unless nothing is verified', async () => {
    const { url } = await serveTls(['elsewhere.test'], []);
    expect(await connectTo(url, { insecureSkipVerify: true }).plugins()).toEqual([]);
  });

  test('another authority can be given while the service is in use', async () => {
    const { ca, url } = await serveTls();
    const service = connectTo(url);
    await expect(service.plugins()).rejects.toMatchObject({ category: 'unreachable' });
    service.configure({ timeoutMs: 5000, limits, tls: { ca } });
    expect(await service.plugins()).toEqual([]);
    service.configure({ timeoutMs: 5000, limits, tls: { ca: (await makeCertificates([], [])).ca } });
    await expect(service.plugins()).rejects.toMatchObject({ category: 'unreachable' });
  });
});

describe('connections', () => {
  async function serveCounted(keepAliveMs: number) {
    let connections = 0;
    const server = createServer((_, response) => response.end('{"plugins":[]}'));
    server.keepAliveTimeout = keepAliveMs;
    server.on('connection', () => connections++);
    const { url } = await listen(server);
    return { service: connectTo(url), connections: () => connections };
  }

  test('are used again by requests that follow each other', async () => {
    const { service, connections } = await serveCounted(60_000);
    for (let index = 0; index < 20; index++) await service.plugins();
    // The pool may open a second one while it looks whether the first is still alive.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  test('grow with the requests in flight, not with those that wait', async () => {
    const { service, connections } = await serveCounted(60_000);
    await Promise.all(Array.from({ length: 50 }, () => service.plugins()));
    expect(connections()).toBeLessThanOrEqual(2 * limits.maxInFlight);
  });

  test('are not used again where the server is about to close them', async () => {
    const { service, connections } = await serveCounted(1000);
    for (let index = 0; index < 3; index++) await service.plugins();
    expect(connections()).toBe(3);
  });
});
