// What the page says of the caches that it reads.
import { expect, onTestFinished, test } from 'vitest';
import type { ApiTransport } from '../../../src/kube/http/transport.ts';
import type { SourceHealth } from '../../../src/kube/watch/source-record.ts';
import { systemClock } from '../../../src/lib/system.ts';
import type { KubernetesStore } from '../../../src/operator/kube/kubernetes-store.ts';
import type { WebAnswer } from '../../../src/operator/web/view/answer.ts';
import { createWebServer } from '../../../src/operator/wiring/web.ts';

type Health = Partial<Pick<SourceHealth, 'failing' | 'forbidden'>>;

/** Answers with what the page says, of a user who may list everything. */
async function askAbout({ synced = true, health = {} }: { readonly synced?: boolean; readonly health?: Health }) {
  const source = { failing: undefined, forbidden: false, ...health };
  const store = { synced: () => synced, list: () => [], health: () => ({ sources: [source] }) };
  const request = async () => ({ status: { allowed: true, authenticated: true, user: { username: 'jane' } } });
  const quiet = () => undefined;
  const server = createWebServer({
    address: { host: '127.0.0.1', port: 0 },
    transport: { request } as unknown as ApiTransport,
    store: store as unknown as KubernetesStore,
    leadership: { leading: () => false },
    instance: 'operator-1',
    clock: systemClock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  await server.start();
  onTestFinished(async () => server.stop());
  const headers = { authorization: 'Bearer x' };
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/objects`, { headers });
  return { status: answer.status, body: (await answer.json()) as WebAnswer };
}

test('caches that are current need no note', async () => {
  const { status, body } = await askAbout({});
  expect([status, body.notes, body.replica]).toEqual([200, [], { name: 'operator-1', leading: false }]);
});

test('before the first lists have arrived, it has no objects, and names what is missing', async () => {
  const { status, body } = await askAbout({ synced: false });
  expect([status, body]).toEqual([
    503,
    { error: expect.stringMatching(/^this replica has not read everything yet: connections, /) },
  ]);
});

test('caches that are old or incomplete are said to be, without the reason, which may name a namespace', async () => {
  const old = await askAbout({ health: { failing: 'cannot watch clusters secret-namespace' } });
  expect(old.body.notes).toEqual(['The operator does not reach the API server, so this may be out of date.']);
  const forbidden = { failing: 'cannot list clusters secret-namespace: 403', forbidden: true };
  const partial = await askAbout({ health: forbidden });
  expect(partial.body.notes).toEqual([
    'The operator lacks the permission to read some namespaces, so their objects may be missing or out of date.',
  ]);
});
