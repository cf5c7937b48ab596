// Requests to pods through an API server, played by a scripted one.
import { expect, onTestFinished, test } from 'vitest';
import { createTransport } from '../../../../../src/kube/http/transport.ts';
import { createPodProxy } from '../../../../../src/service/backends/pods/api/pod-proxy.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { answer, plainConfig, scriptServer } from '../../../../operator/kube/support/scripted-server.ts';
import { ManualClock } from '../../../../support/clock.ts';

const host = 'c-1-master-0.c-1.data.svc.cluster.local';
const proxied = '/api/v1/namespaces/data/pods/c-1-master-0%3A9870/proxy';

async function open() {
  const server = await scriptServer(answer(200, { ok: true }));
  const transport = createTransport({ config: plainConfig(server.url), clock: new ManualClock() });
  onTestFinished(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });
  return { server, proxy: createPodProxy(transport) };
}

const how = { signal: new AbortController().signal, headers: {}, redirect: 'manual' } as const;

async function bytesOf({ bytes }: { readonly bytes: AsyncIterable<Uint8Array> }): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('every question goes to the pod that its host names', async () => {
  const { server, proxy } = await open();
  expect(await proxy.get(`http://${host}:9870/jmx?qry=a:b=c`, how.signal)).toEqual({ ok: true, text: '{"ok":true}' });
  expect(await proxy.ask(`http://${host}:9870/apps?tags=1`)).toEqual({ ok: true });
  await proxy.ask(`http://${host}:9870/apps/2/state`, { state: 'KILLED' });
  await bytesOf(await proxy.download(`http://${host}:9870/webhdfs/v1/a%20b?op=OPEN`, how));
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET ${proxied}/jmx?qry=a%3Ab%3Dc`,
    `GET ${proxied}/apps?tags=1`,
    `PUT ${proxied}/apps/2/state`,
    `GET ${proxied}/webhdfs/v1/a%20b?op=OPEN`,
  ]);
  expect(server.bodies[2]).toBe('{"state":"KILLED"}');
});

test('a file arrives as it is, and so does the refusal of the pod', async () => {
  const { server, proxy } = await open();
  const bytes = Buffer.from([0x50, 0x4b, 0xff, 0x00, 0xc3]);
  server.behave((_request, response) => void response.writeHead(200).end(bytes));
  expect(await bytesOf(await proxy.download(`http://${host}:9864/f`, how))).toEqual(bytes);
  server.behave(answer(404, { RemoteException: { message: 'no such file' } }));
  const refused = await proxy.download(`http://${host}:9870/f`, how);
  expect([refused.status, String(await bytesOf(refused))]).toEqual([
    404,
    '{"RemoteException":{"message":"no such file"}}',
  ]);
});

test('an answer that breaks off may come again, as one that does not begin', async () => {
  const { server, proxy } = await open();
  server.behave((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('the first bytes', () => response.destroy());
  });
  const { bytes } = await proxy.download(`http://${host}:9864/f`, how);
  const breaking = bytesOf({ bytes });
  await expect(breaking).rejects.toThrow(Transient);
  await expect(breaking).rejects.toThrow('cannot get pods/proxy data/c-1-master-0');
  await expect(proxy.get(`http://${host}:9870/jmx`, how.signal)).rejects.toThrow(Transient);
});

test('a pod that the API server does not reach is no answer of the pod', async () => {
  const { server, proxy } = await open();
  for (const code of [404, 503]) {
    server.behave(answer(code, { kind: 'Status', message: 'pods "c-1-master-0" not found' }));
    await expect(proxy.download(`http://${host}:9870/f`, how)).rejects.toThrow(
      'the API server does not reach the pod: pods "c-1-master-0" not found',
    );
  }
});

test('the pod of a run is asked by its name', async () => {
  const { server, proxy } = await open();
  const address = proxy.addressOf({ metadata: { name: 'run-1-x', namespace: 'data' } });
  await proxy.ask(`http://${address}:4040/api/v1/applications`);
  expect(server.requests[0]?.url).toBe('/api/v1/namespaces/data/pods/run-1-x%3A4040/proxy/api/v1/applications');
});
