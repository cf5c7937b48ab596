// ConfigMaps on a real API server: only those that somebody names are read, and of them only digests are kept.
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { placeOf } from '../../../src/kube/resource.ts';
import type { Delta } from '../../../src/kube/watch/watch-cache.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { ConfigMaps, configMaps } from '../../../src/operator/kube/config-maps.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { ApiProxy } from '../../support/kubernetes/api-proxy.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 10 };
const digestOf = (text: string) => ({ digest: createHash('sha256').update(text).digest('hex'), size: text.length });

describe.skipIf(kubeconfig === '')('ConfigMaps on a real API server', () => {
  let api: ApiServer;
  let namespace: string;
  let proxy: ApiProxy;
  let maps: ConfigMaps;
  let close: () => Promise<void>;
  const changes: Delta[] = [];
  const lines: unknown[] = [];

  beforeAll(async () => {
    api = await connect(kubeconfig);
    namespace = await createNamespace(api, 'config-maps');
    await apply('bystander', { data: { key: 'x' } });
  });
  afterAll(() => api?.close());
  beforeEach(async () => {
    proxy = await ApiProxy.start({ kubeconfig });
    const credentials = async () => ({ headers: {} });
    const trust = { rejectUnauthorized: true };
    const config = { server: proxy.url, namespace, trust, credentials, renew: () => undefined };
    const transport = createTransport({ config, clock: systemClock });
    changes.length = 0;
    lines.length = 0;
    const log = { debug() {}, info() {}, warn: (...line: unknown[]) => void lines.push(line), error() {} };
    // Backoffs are short.
    const clock = fastClock(20);
    maps = new ConfigMaps({ transport, clock, random: systemRandom, log, publish: (all) => void changes.push(...all) });
    close = async () => {
      await maps.stop();
      await transport.close();
      await proxy[Symbol.asyncDispose]();
    };
  });
  afterEach(() => close());

  const path = (name: string) => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  const apply = (name: string, content: object) =>
    api.apply(path(name), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...content });
  const remove = (name: string) => api.send({ method: 'DELETE', path: path(name) });
  const use = (user: string, name: string, ...keys: readonly string[]) =>
    maps.use(
      user,
      keys.map((key) => ({ namespace, name, key })),
    );
  const read = (name: string) => maps.read(placeOf({ namespace, name }));
  const files = (name: string) => read(name)?.files;
  const watched = (name: string) =>
    proxy.watches().filter(({ query }) => query.get('fieldSelector') === `metadata.name=${name}`).length;

  test('are read when they are named, followed, and left alone afterwards', async () => {
    await apply('followed', { data: { a: 'one', b: 'other' } });
    use('u', 'followed', 'a');
    expect(read('followed')).toMatchObject({ kind: 'ConfigMap', unread: '' });
    await expect.poll(() => files('followed'), patience).toEqual({ a: digestOf('one') });
    expect(JSON.stringify(read('followed'))).not.toContain('one');
    await expect.poll(() => watched('followed'), patience).toBe(1);
    await apply('followed', { data: { a: 'two', b: 'other' } });
    await expect.poll(() => files('followed'), patience).toEqual({ a: digestOf('two') });
    // What nobody names is no change.
    const before = changes.length;
    await apply('followed', { data: { a: 'two', b: 'changed' } });
    await apply('followed', {
      data: { a: 'two', b: 'changed' },
      binaryData: { c: Buffer.from('3').toString('base64') },
    });
    use('u', 'followed', 'a', 'c');
    await expect.poll(() => files('followed'), patience).toEqual({ a: digestOf('two'), c: digestOf('3') });
    expect(changes.length - before).toBe(1);
    await remove('followed');
    await expect.poll(() => read('followed'), patience).toBeUndefined();
    await apply('followed', { data: { a: 'new' } });
    await expect.poll(() => files('followed'), patience).toEqual({ a: digestOf('new') });
    use('u', 'followed');
    await expect.poll(() => watched('followed'), patience).toBe(0);
    expect([maps.size, read('followed')]).toEqual([0, undefined]);
    const requests = proxy.passed.map(({ method, path: to, watch }) => (watch ? 'watch' : `${method} ${to}`));
    expect(new Set(requests)).toEqual(new Set(['watch', `GET ${path('followed')}`]));
    expect(lines).toEqual([]);
  });

  test('that do not exist are awaited, and one watch serves all who name them', async () => {
    use('one', 'shared', 'a');
    use('two', 'shared', 'b');
    await expect.poll(() => watched('shared'), patience).toBe(1);
    expect(read('shared')).toBeUndefined();
    await apply('shared', { data: { a: '1', b: '2' } });
    await expect.poll(() => files('shared'), patience).toEqual({ a: digestOf('1'), b: digestOf('2') });
    use('one', 'shared');
    await apply('shared', { data: { a: '1', b: '3' } });
    await expect.poll(() => files('shared'), patience).toEqual({ b: digestOf('3') });
    expect(watched('shared')).toBe(1);
  });

  test.each(['closed', 'cut'] as const)(
    'are followed on when the watch is %s, whatever happened meanwhile',
    async (how) => {
      const name = `ended-${how}`;
      await apply(name, { data: { a: 'one' } });
      use('u', name, 'a');
      await expect.poll(() => watched(name), patience).toBe(1);
      const lift = proxy.rule({ behave: 'answer', status: 503, body: 'down', path: /configmaps/ });
      proxy.endWatches({}, how);
      await remove(name);
      await apply(name, { data: { a: 'two' } });
      await expect.poll(() => proxy.seen({ path: /configmaps/ }).length, patience).toBeGreaterThan(4);
      // What is known stays known.
      expect(files(name)).toEqual({ a: digestOf('one') });
      expect(lines.length).toBeLessThanOrEqual(2);
      lift();
      await expect.poll(() => files(name), patience).toEqual({ a: digestOf('two') });
    },
  );

  test('that may not be read are told as such, until they may', async () => {
    await apply('secret', { data: { a: 'one' } });
    const body = { kind: 'Status', apiVersion: 'v1', code: 403, message: 'configmaps "secret" is forbidden' };
    const lift = proxy.rule({ behave: 'answer', status: 403, body, path: /configmaps/ });
    use('u', 'secret', 'a');
    const why = 'cannot read ConfigMap secret: ';
    await expect.poll(() => read('secret')?.unread, patience).toContain(why);
    expect(read('secret')?.unread).toContain('is forbidden');
    lift();
    await expect.poll(() => files('secret'), patience).toEqual({ a: digestOf('one') });
    expect(changes.map(({ current }) => current?.unread === undefined)).toEqual([false, true]);
  });

  test('begin nothing any more once they are stopped', async () => {
    await maps.stop();
    use('u', 'late', 'a');
    expect([maps.size, read('late')]).toEqual([0, undefined]);
    expect(proxy.passed).toEqual([]);
    expect(configMaps.fieldSelector).toBeUndefined();
  });
});
