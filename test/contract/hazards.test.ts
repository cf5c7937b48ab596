// What no other service is sent, because it may store it and not survive.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { hazardOf } from './foreign/visit/hazards.ts';
import { visit } from './foreign/visit/visit.ts';
import type { Peer } from './peer.ts';
import { bundledTarget } from './targets.ts';

test.each([
  [
    'clusters',
    { name: 'one', cluster_configs: null },
    'a service that stores null for the configurations of a cluster',
  ],
  ['jobs', { job_configs: null }, 'a service that stores null for the configurations of a run'],
  ['clusters', { cluster_configs: {} }, undefined],
  ['cluster-templates', { cluster_configs: null }, undefined],
  ['clusters', 'no JSON', undefined],
  ['clusters', 'null', undefined],
  ['clusters', '{"cluster_configs": {}}', undefined],
  [
    'clusters',
    '{"name": "one", "cluster_configs": null}',
    'a service that stores null for the configurations of a cluster',
  ],
  ['job-executions', Buffer.from('{"info": null}'), 'a service that stores null for the state of a run'],
])('%s, %j: %s', (collection, sent, why) => {
  const found = hazardOf(collection, sent);
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});

/** A service that hears of each request, as a test sees it. */
async function visited(ours: boolean): Promise<{ readonly peer: Peer; readonly heard: readonly string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { peer: await visit({ ...bundledTarget, endpoint, ours }, {}), heard };
}

/** In place of leaving this test out. */
function throwOnSkip(context: TestContext): void {
  vi.spyOn(context, 'skip').mockImplementation((why) => {
    throw new Error(`left out: ${String(why)}`);
  });
}

describe('a request', () => {
  const path = '/v1.0/t/clusters';
  const text = '{"cluster_configs": null}';
  const ways: readonly (readonly [string, (peer: Peer) => Promise<unknown>])[] = [
    ['as a value', (peer) => peer.send('POST', path, { cluster_configs: null })],
    ['as a text', (peer) => peer.send('POST', path, text)],
    ['by fetch', (peer) => peer.fetch(path, { method: 'POST', body: text })],
    ['by fetch, as bytes', (peer) => peer.fetch(path, { method: 'POST', body: new TextEncoder().encode(text) })],
  ];

  test.for(ways)('%s: no service of somebody else gets it', async ([, ask], context) => {
    throwOnSkip(context);
    const { peer, heard } = await visited(false);
    await expect(ask(peer)).rejects.toThrow('left out: a service that stores null for the configurations of a cluster');
    expect(heard).not.toContain('POST /v1.0/acme/clusters');
  });

  test.for(ways)('%s: ours does', async ([, ask], context) => {
    throwOnSkip(context);
    const { peer, heard } = await visited(true);
    await ask(peer);
    expect(heard).toContain('POST /v1.0/acme/clusters');
  });
});
