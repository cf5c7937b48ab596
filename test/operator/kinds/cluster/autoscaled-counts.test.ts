// What autoscaling decides with: what was asked for last, the age of the load, and how long the work has filled less.
import { describe, expect, test } from 'vitest';
import { autoscaled } from '../../../../src/operator/kinds/cluster/autoscaled-counts.ts';
import type {
  AutoscalingMemory,
  AutoscalingSeen,
  Ledger,
  OwnedCount,
} from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { claimOf, ledgerOf } from '../../reconcile/support.ts';

const second = 1_000;
const polls = { pollMs: 30 * second, steadyMs: 30 * second };
const start = Date.UTC(2026, 0, 1, 10);
const owner: OwnedCount = {
  name: 'workers',
  count: 3,
  bounds: { minCount: 1, maxCount: 10, scaleDownAfterMs: 60 * second },
};
const change = (count: number): Partial<Ledger> => ({
  change: { generation: 1, target: { worker: count }, sentAt: '2026-01-01T10:00:00Z', tries: 1 },
});
const ledger = (changes: Partial<Ledger> = {}) => ledgerOf([claimOf({ id: 'c-1' })], changes);
const cluster = (count: number, changes: Partial<Cluster> = {}): Cluster => ({
  id: 'c-1',
  name: 'etl',
  status: 'Active',
  node_groups: [{ name: 'worker', count }],
  ...changes,
});

/** A process whose clock stands at `elapsed`, and a service whose clock is `aheadMs` ahead of it. */
class Scene {
  elapsed = 0;
  aheadMs = 0;
  readonly memory = new Map<string, AutoscalingMemory>();

  look(seen: Partial<AutoscalingSeen<Cluster>>, of: Partial<OwnedCount> = {}) {
    const now = { wall: start + this.elapsed, monotonic: 5_000 + this.elapsed };
    const given = { ledger: ledger(), reported: new Map(), ...polls, now, memory: this.memory, ...seen };
    const owned = new Map([['worker', { ...owner, ...of }]]);
    return autoscaled(owned, { remote: undefined, ...given }).get('worker') as OwnedCount;
  }

  /** A cluster with a load that was observed just now, or at `observed`. */
  filled(count: number, wantedNodes: number, observed = this.elapsed): Cluster {
    const observedAt = new Date(start + this.aheadMs + observed).toISOString();
    return cluster(count, { load: { worker: { wantedNodes, busyNodes: 0, observedAt } } });
  }

  after(seconds: number): void {
    this.elapsed += seconds * second;
  }
}

describe('what was asked for last', () => {
  test.each<readonly [string, Partial<AutoscalingSeen<Cluster>>, Partial<OwnedCount>, number]>([
    ['there is no cluster: what the owner begins with', { ledger: undefined }, {}, 3],
    ['as well, within the bounds', { ledger: undefined }, { count: 0 }, 1],
    ['nothing was observed yet: what the status reports', { reported: new Map([['worker', 6]]) }, {}, 6],
    ['as well, and a scale goes on', { reported: new Map([['worker', 6]]), ledger: ledger(change(7)) }, {}, 7],
    ['what the service has', { remote: cluster(5) }, {}, 5],
    ['what a scale of it asks for', { remote: cluster(5, { status: 'Scaling' }), ledger: ledger(change(7)) }, {}, 7],
    ['a group that was never made', { remote: cluster(5, { node_groups: [] }) }, {}, 3],
    [
      'one that was made',
      { remote: cluster(0, { node_groups: [] }), ledger: ledger({ madeFrom: { worker: 'x' } }) },
      {},
      1,
    ],
    [
      'one of the template',
      { remote: cluster(0, { node_groups: [] }), ledger: ledger({ baseline: [{ name: 'worker', count: 2 }] }) },
      { bounds: { minCount: 0, maxCount: 9, scaleDownAfterMs: 0 } },
      0,
    ],
    ['its owner is being deleted: whatever it has', { remote: cluster(12) }, { isLeaving: true }, 12],
  ])('%s', (_, seen, of, count) => {
    expect(new Scene().look(seen, of)).toMatchObject({ count });
  });

  test('counts that are not autoscaled stay, and nothing is remembered of them', () => {
    const scene = new Scene();
    const { bounds: _, ...plain } = owner;
    const seen = { remote: cluster(5), ledger: ledger(), reported: new Map(), pollMs: 1, steadyMs: 1 };
    const now = { wall: 0, monotonic: 0 };
    const owned = new Map([['worker', plain]]);
    expect([...autoscaled(owned, { ...seen, now, memory: scene.memory })]).toEqual([...owned]);
    expect(scene.memory.size).toBe(0);
  });
});

describe('the state of the cluster', () => {
  test.each<readonly [string, Partial<Cluster>, Partial<Ledger>, string]>([
    ['Active', {}, {}, 'NoSignal'],
    ['it is started', { status: 'Spawning' }, {}, 'ClusterNotReady'],
    ['it is scaled', { status: 'Scaling' }, change(5), 'NoSignal'],
    ['it has failed', { status: 'Error' }, {}, 'ClusterNotReady'],
    [
      'another load',
      { load: { constructor: { wantedNodes: 9, busyNodes: 9, observedAt: '2026-01-01T10:00:00Z' } } },
      {},
      'NoSignal',
    ],
  ])('%s', (_, changes, more, reason) => {
    const seen = new Scene().look({ remote: cluster(5, changes), ledger: ledger(more) });
    expect(seen).toMatchObject({ count: 5, decision: { reason } });
  });
});

describe('the age of a load', () => {
  const old = { count: 5, decision: { reason: 'TooOld' } };
  const fresh = { count: 9, decision: { reason: 'WithinRange', wanted: 9 } };

  test('its time counts', () => {
    const scene = new Scene();
    expect(scene.look({ remote: scene.filled(5, 9, -60 * second) })).toMatchObject(fresh);
    expect(scene.look({ remote: scene.filled(5, 9, -60 * second - 1) })).toMatchObject(old);
  });

  test('with polls that follow each other quickly, the service has the time that it takes to ask', () => {
    const scene = new Scene();
    const pollMs = 1 * second;
    expect(scene.look({ pollMs, remote: scene.filled(5, 9, -15 * second) })).toMatchObject(fresh);
    expect(scene.look({ pollMs, remote: scene.filled(5, 9, -15 * second - 1) })).toMatchObject(old);
  });

  test('a clock that is ahead does not keep it young', () => {
    const scene = new Scene();
    scene.aheadMs = 3_600 * second;
    const remote = scene.filled(5, 9);
    expect(scene.look({ remote })).toMatchObject(fresh);
    scene.after(60);
    expect(scene.look({ remote })).toMatchObject(fresh);
    scene.after(1);
    expect(scene.look({ remote })).toMatchObject(old);
    expect(scene.look({ remote: scene.filled(5, 9) })).toMatchObject(fresh);
  });
});

describe('how long the work has filled less', () => {
  test('one step after the quiet time, which then begins anew', () => {
    const scene = new Scene();
    const look = (has: number) => scene.look({ remote: scene.filled(has, 2) }).count;
    expect(look(5)).toBe(5);
    scene.after(59);
    expect(look(5)).toBe(5);
    scene.after(1);
    expect(look(5)).toBe(4);
    // The request did not get through: it is still decided.
    scene.after(1);
    expect(look(5)).toBe(4);
    expect(look(4)).toBe(4);
    scene.after(59);
    expect(look(4)).toBe(4);
    scene.after(1);
    expect(look(4)).toBe(3);
  });

  test.each<readonly [string, (scene: Scene) => void]>([
    ['work that fills it', (scene) => scene.look({ remote: scene.filled(5, 5) })],
    ['a load that is not reported', (scene) => scene.look({ remote: cluster(5) })],
    ['an old load', (scene) => scene.look({ remote: scene.filled(5, 2, -61 * second) })],
    [
      'a scale',
      (scene) => scene.look({ remote: { ...scene.filled(5, 2), status: 'Scaling' }, ledger: ledger(change(5)) }),
    ],
    ['another owner', (scene) => scene.look({ remote: scene.filled(5, 2) }, { name: 'others' })],
    ['another process', (scene) => scene.memory.clear()],
    ['a while without an observation', (scene) => scene.after(61)],
  ])('%s in between', (_, befalls) => {
    const scene = new Scene();
    scene.look({ remote: scene.filled(5, 2) });
    scene.after(50);
    befalls(scene);
    scene.after(10);
    expect(scene.look({ remote: scene.filled(5, 2) }).count).toBe(5);
    scene.after(60);
    expect(scene.look({ remote: scene.filled(5, 2) }).count).toBe(4);
  });

  test('a retry at the interval of the Connection goes on with it, although each load has to be newer', () => {
    const scene = new Scene();
    const look = () => scene.look({ pollMs: 5 * second, remote: scene.filled(5, 2) }).count;
    look();
    scene.after(59);
    look();
    scene.after(1);
    expect(look()).toBe(4);
    scene.after(61);
    expect(look()).toBe(5);
  });

  test('other figures that are less, too, and an edit of the time, do not begin it anew', () => {
    const scene = new Scene();
    scene.look({ remote: scene.filled(5, 2) });
    scene.after(30);
    scene.look({ remote: scene.filled(5, 4) });
    scene.after(10);
    const bounds = { minCount: 1, maxCount: 10, scaleDownAfterMs: 40 * second };
    expect(scene.look({ remote: scene.filled(5, 3) }, { bounds }).count).toBe(4);
  });
});

describe('a group without nodes, of which no engine tells anything', () => {
  const bounds = { minCount: 0, maxCount: 4, scaleDownAfterMs: 60 * second };
  const made = { ledger: ledger({ madeFrom: { worker: 'x' } }) };
  const told = (wantedNodes: number, busyNodes = 0, observed = 0) => ({
    wantedNodes,
    busyNodes,
    observedAt: new Date(start + observed).toISOString(),
  });
  /** A cluster whose group `fixed` has two nodes, and `worker` so many. */
  const both = (workers: number, load: NonNullable<Cluster['load']>): Partial<AutoscalingSeen<Cluster>> => {
    const worker = workers > 0 ? [{ name: 'worker', count: workers }] : [];
    return { ...made, remote: { ...cluster(0), node_groups: [{ name: 'fixed', count: 2 }, ...worker], load } };
  };

  test.each<readonly [string, Partial<AutoscalingSeen<Cluster>>, object]>([
    ['work waits for a node of the other', both(0, { fixed: told(3, 2) }), { count: 1, decision: { wanted: 1 } }],
    ['however much', both(0, { fixed: told(9, 2) }), { count: 1, decision: { reason: 'WithinRange' } }],
    ['the other has room', both(0, { fixed: told(2, 2) }), { count: 0, decision: { reason: 'WithinRange' } }],
    ['what is told is too old', both(0, { fixed: told(3, 2, -61_000) }), { count: 0, decision: { reason: 'TooOld' } }],
    [
      'nothing is told',
      { ...made, remote: cluster(0, { node_groups: [] }) },
      { count: 0, decision: { reason: 'NoSignal' } },
    ],
    ['its own load counts once it has a node', both(1, { fixed: told(9, 2), worker: told(0, 1) }), { count: 1 }],
    ['and says how many more', both(1, { fixed: told(9, 2), worker: told(3, 1) }), { count: 3 }],
    [
      'of a node that has just come nothing is told',
      both(1, { fixed: told(9, 2) }),
      { decision: { reason: 'NoSignal' } },
    ],
  ])('%s', (_, seen, expected) => {
    expect(new Scene().look(seen, { bounds })).toMatchObject(expected);
  });

  test('one that begins without nodes, too', () => {
    const seen = { ...both(0, { fixed: told(3, 2) }), ledger: ledger() };
    expect(new Scene().look(seen, { bounds, count: 0 }).count).toBe(1);
  });

  test('work that has no place on its nodes makes it begin only once', () => {
    const scene = new Scene();
    const look = (workers: number, fixed: number, worker?: number) =>
      scene.look(
        both(workers, {
          fixed: told(fixed, 2, scene.elapsed),
          ...(worker !== undefined && { worker: told(worker, 0, scene.elapsed) }),
        }),
        { bounds },
      ).count;
    expect(look(0, 3)).toBe(1);
    expect(look(1, 3, 0)).toBe(1);
    scene.after(60);
    expect(look(1, 3, 0)).toBe(0);
    expect(look(0, 3)).toBe(0);
    // That work is gone, and other work comes.
    expect(look(0, 2)).toBe(0);
    expect(look(0, 3)).toBe(1);
  });

  test('the last group with a load keeps a node', () => {
    const scene = new Scene();
    const look = (load: NonNullable<Cluster['load']>) => scene.look(both(1, load), { bounds });
    for (const load of [{ worker: told(0) }, { worker: told(0), gone: told(0) }]) {
      look(load);
      scene.after(60);
      const observedAt = new Date(start + scene.elapsed).toISOString();
      const now = { ...load, worker: { ...told(0), observedAt } };
      expect(look(now)).toMatchObject({ count: 1, decision: { reason: 'AtMinimum' } });
    }
  });

  test('of two groups without work, one keeps a node', () => {
    const scene = new Scene();
    const look = (elapsed: number) => {
      const load = { fixed: told(0, 0, elapsed), worker: told(0, 0, elapsed) };
      const now = { wall: start + elapsed, monotonic: 5_000 + elapsed };
      const given = { ledger: ledger(), reported: new Map(), ...polls, now, memory: scene.memory };
      const node_groups = ['fixed', 'worker'].map((name) => ({ name, count: 1 }));
      const owned = new Map(['fixed', 'worker'].map((name) => [name, { ...owner, name, bounds }]));
      const found = autoscaled(owned, { ...given, remote: { ...cluster(0), node_groups, load } });
      return [...found.values()].map(({ count }) => count);
    };
    expect([look(0), look(60_000)]).toEqual([
      [1, 1],
      [0, 1],
    ]);
  });
});
