// Sources on a real API server: big lists both ways, short watches, forgotten versions, and churn.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceKind } from '../../../src/kube/resource.ts';
import type { StoreOptions } from '../../../src/operator/kube/kubernetes-store.ts';
import { type Follower, inParallel, noPlane, PlaneBench, rewriting } from './support/plane-bench.ts';
import { until } from './support/ports.ts';
import { none } from './support/source-bench.ts';

describe.skipIf(noPlane)('on a real API server', () => {
  let bench: PlaneBench;
  let follower: Follower;
  const many = Array.from({ length: 1200 }, (_, index) => `many-${index}`);

  beforeAll(async () => {
    bench = await PlaneBench.open('kube-follow');
    await inParallel(many, 16, (name) => bench.apply(name, { size: 1 }));
  });
  afterAll(() => bench?.close());
  afterEach(() => follower?.stop());

  async function follow(options: Partial<StoreOptions> = {}): Promise<void> {
    follower = bench.follow(options);
    await follower.synced();
  }

  /** The server itself refuses a list by stream that lacks this. */
  const inPages = () => rewriting(bench.transport, ({ resourceVersionMatch: _dropped, ...query }) => query);

  const paged = ['watch 422', 'list 200', 'list 200', 'list 200', 'watch 200'];

  it('lists 1200 objects by stream, without a list request, where the server can', async () => {
    const before = bench.reports.length;
    const expected = (await bench.streamsLists()) ? ['watch 200'] : paged;
    await follow();
    await until('the watch is open', () => bench.reports.slice(before).length >= expected.length);
    expect(follower.held).toEqual(await bench.truth());
    expect(follower.held.length).toBeGreaterThanOrEqual(1200);
    expect(follower.changes.every(({ initial }) => initial)).toBe(true);
    expect(bench.reports.slice(before).map(({ verb, status }) => `${verb} ${status}`)).toEqual(expected);
  });

  it('lists 1200 objects in pages where the server refuses the stream', async () => {
    const before = bench.reports.length;
    await follow({ transport: inPages() });
    await until('the watch is open', () => bench.reports.slice(before).length >= 5);
    expect(follower.held).toEqual(await bench.truth());
    expect(bench.reports.slice(before).map(({ verb, status }) => `${verb} ${status}`)).toEqual(paged);
    expect(follower.store.health().sources).toMatchObject([{ failing: undefined, relists: none }]);
  });

  it('keeps neither managedFields nor what kubectl last applied', async () => {
    const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
    await bench.apply('heavy', { size: 1 }, { annotations: { [lastApplied]: '{}', kept: 'yes' } });
    await follow();
    const { metadata } = follower.store.read({ kind: 'Widget', namespace: bench.namespace, name: 'heavy' }) ?? {};
    expect(metadata?.annotations).toEqual({ kept: 'yes' });
    expect(metadata).not.toHaveProperty('managedFields');
  });

  it('tells of create, change, delete and a new object of the same name', async () => {
    await follow();
    follower.changes.length = 0;
    await bench.apply('lively', { size: 1 });
    await bench.apply('lively', { size: 2 });
    await bench.delete('lively');
    await bench.apply('lively', { size: 3 });
    await until('all four are told', () => follower.changes.length === 4);
    const sizes = follower.changes.map(({ previous, current }) => [sizeOf(previous), sizeOf(current)]);
    expect(sizes).toEqual([
      [undefined, 1],
      [1, 2],
      [2, undefined],
      [undefined, 3],
    ]);
  });

  it('loses nothing over watches that end every second', async () => {
    await follow({ transport: rewriting(bench.transport, (query) => ({ ...query, timeoutSeconds: 1 })) });
    const before = bench.reports.length;
    for (let round = 0; round < 25; round += 1) {
      await bench.apply(`short-${round}`, { size: round });
      await until('it is seen', () => follower.held.some((text) => text.startsWith(`short-${round}@`)));
    }
    await until('several watches have ended', () => bench.reports.slice(before).filter(isWatch).length >= 3);
    await follower.caughtUp(bench);
    expect(follower.store.health().sources).toMatchObject([{ relists: none, failing: undefined }]);
  });

  it('lists anew when the server has forgotten the version', async () => {
    let forgotten = false;
    const forgetting = rewriting(bench.transport, (query) => {
      if (query['resourceVersion'] === undefined || forgotten) return { ...query, timeoutSeconds: 1 };
      forgotten = true;
      return { ...query, resourceVersion: '1' };
    });
    await follow({ transport: forgetting });
    await until('it has listed anew', () => (follower.store.health().sources[0]?.relists.expired ?? 0) >= 1);
    expect(forgotten).toBe(true);
    await bench.apply('after-410', { size: 1 });
    await follower.caughtUp(bench);
    expect(follower.changes.filter(({ current }) => current === undefined)).toEqual([]);
    expect(follower.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('lists anew in time although the watch is silent from a version of the future', async () => {
    let first = true;
    const lost = rewriting(bench.transport, (query) => {
      if (query['resourceVersion'] === undefined) return first ? { ...query, timeoutSeconds: 1 } : query;
      first = false;
      return { ...query, resourceVersion: '999999999' };
    });
    await follow({ transport: lost, relistMs: 5_000 });
    await until('the lost watch is open', () => !first);
    await bench.apply('unseen', { size: 1 });
    await follower.caughtUp(bench);
    expect(follower.store.health().sources[0]?.relists.schedule).toBeGreaterThanOrEqual(1);
  });

  it('ends every run of changes with the truth', async () => {
    const ending = rewriting(bench.transport, (query) => ({ ...query, timeoutSeconds: 1 }));
    await follow({ transport: ending });
    const names = Array.from({ length: 40 }, (_, index) => `churn-${index}`);
    const steps = Array.from({ length: 400 }, (_, step) => step);
    await inParallel(steps, 8, (step) => {
      const name = names[(step * 7) % names.length] ?? '';
      return step % 3 === 2 ? bench.delete(name) : bench.apply(name, { size: step });
    });
    await follower.caughtUp(bench);
    const seen = new Map<string, string | undefined>();
    for (const { key, previous, current } of follower.changes) {
      expect(previous?.metadata.uid).toBe(seen.get(key.name));
      seen.set(key.name, current?.metadata.uid);
    }
    expect([...seen.values()].filter((uid) => uid !== undefined)).toHaveLength(follower.held.length);
  });

  it('sees of the Secrets only those of its type', async () => {
    const type = 'dataprocessing.dev/credentials';
    const kind: ResourceKind = { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', fieldSelector: `type=${type}` };
    const create = (name: string, own: object) =>
      bench.server.send({
        method: 'POST',
        path: `/api/v1/namespaces/${bench.namespace}/secrets`,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { token: 'x' }, ...own },
      });
    await create('theirs', {});
    await create('ours', { type });
    await follow({ resources: [kind] });
    expect([...follower.store.list('Secret')]).toMatchObject([{ kind: 'Secret', type, data: { token: 'eA==' } }]);
    const key = { kind: 'Secret', namespace: bench.namespace };
    expect(await follower.store.readFresh({ ...key, name: 'theirs' })).toBeUndefined();
    expect(await follower.store.readFresh({ ...key, name: 'ours' })).toMatchObject({ type });
    const claimed = await follower.store.claim(follower.store.read({ ...key, name: 'ours' }) ?? never(), undefined);
    expect(claimed.metadata.finalizers).toEqual(['dataprocessing.dev/external']);
    await follower.store.release(claimed);
    expect((await follower.store.readFresh({ ...key, name: 'ours' }))?.metadata.finalizers).toBeUndefined();
  });
});

function sizeOf(resource: { readonly spec?: unknown } | undefined): number | undefined {
  return (resource?.spec as { size?: number } | undefined)?.size;
}

function isWatch({ verb }: { readonly verb: string }): boolean {
  return verb === 'watch';
}

function never(): never {
  throw new Error('the object is not in the cache');
}
