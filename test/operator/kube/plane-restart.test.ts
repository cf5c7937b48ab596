// A real API server that dies and comes back under a store that follows it and writes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { type Follower, inParallel, noPlane, PlaneBench } from './support/plane-bench.ts';
import { until } from './support/ports.ts';

describe.skipIf(noPlane)('an API server that restarts', () => {
  let plane: Plane;
  let bench: PlaneBench;
  let follower: Follower;

  beforeAll(async () => {
    plane = await startPlane();
    bench = await PlaneBench.open('kube-restart', plane.kubeconfig);
    const names = Array.from({ length: 100 }, (_, index) => `old-${index}`);
    await inParallel(names, 8, (name) => bench.apply(name, { size: 1 }));
    follower = bench.follow();
    await follower.synced();
  });
  afterAll(async () => {
    await follower?.stop();
    await bench?.close();
    await plane?.stop();
  });

  it('is followed again by itself, and nothing is taken for deleted', async () => {
    const before = follower.held;
    const restarting = plane.restartApiServer();
    await until('the loss is known', () => follower.store.health().sources[0]?.failing !== undefined);
    expect(follower.held).toEqual(before);
    await restarting;
    await bench.apply('new', { size: 1 });
    await bench.delete('old-0');
    await follower.caughtUp(bench);
    await until('all is well', () => follower.store.health().sources[0]?.failing === undefined);
    expect(follower.changes.filter(({ current }) => current === undefined).map(({ key }) => key.name)).toEqual([
      'old-0',
    ]);
    const loud = follower.log.lines.filter(({ level }) => level !== 'debug').map(({ level }) => level);
    // While it starts it may come and go: each loss is said, and so is each return.
    expect(loud.length).toBeGreaterThan(0);
    expect(loud).toEqual(loud.map((_level, index) => (index % 2 === 0 ? 'warn' : 'info')));
    expect(loud.at(-1)).toBe('info');
  });

  it('fails the writes of that time, and the next ones work', async () => {
    const key = { kind: 'Widget', namespace: bench.namespace, name: 'old-1' };
    const write = (phase: string) => follower.store.writeStatus(follower.store.read(key) ?? never(), { phase });
    await write('before');
    const restarting = plane.restartApiServer();
    await until('a write fails', () =>
      write('during').then(
        () => false,
        (error: { category: string }) => error.category === 'unreachable',
      ),
    );
    await restarting;
    await until('a write works', () =>
      write('after').then(
        () => true,
        () => false,
      ),
    );
    await follower.caughtUp(bench);
    expect((await bench.get('old-1'))?.status).toEqual({ phase: 'after' });
  });
});

function never(): never {
  throw new Error('the object is not in the cache');
}
