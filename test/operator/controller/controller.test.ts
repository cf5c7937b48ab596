// The controller over a cache in memory: which passes a change leads to, and what follows from their verdicts.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Log, LogFields } from '../../../src/lib/ports.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { Controller, type PassNote, type ResourceIndex } from '../../../src/operator/controller/controller.ts';
import { externalText } from '../../../src/operator/controller/dependents.ts';
import { keyText, type PassContext } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { ManualClock, settle } from '../../support/clock.ts';
import { limitMs } from '../../support/patience.ts';
import { FakeSource, resource } from './resources.ts';

interface Spec {
  readonly uses?: readonly string[];
  readonly id?: string;
}
const knowledge: ResourceIndex = {
  owns: (kind) => kind !== 'Secret',
  laneOf: ({ namespace }) => namespace,
  limitOf: () => 8,
  referencesOf: ({ spec }) => (spec as Spec | undefined)?.uses ?? [],
  externalsOf: ({ spec }) =>
    [(spec as Spec | undefined)?.id ?? []].flat().map((id) => externalText('team/main', 'clusters', id)),
  factsOf: ({ status, metadata }) => JSON.stringify([status, metadata.deletionTimestamp]),
  annotations: ['dataprocessing.dev/recreate'],
  commands: ['dataprocessing.dev/recreate'],
};

let clock: ManualClock;
let source: FakeSource;
let passes: string[];
let contexts: PassContext[];
let notes: PassNote[];
let errors: LogFields[];
let leading: boolean;
let verdictOf: (key: string) => Requeue | Promise<Requeue>;
let controller: Controller;

beforeEach(() => {
  clock = new ManualClock(0);
  source = new FakeSource();
  [passes, contexts, notes, errors, leading] = [[], [], [], [], true];
  verdictOf = (key) => (source.has(key) ? { next: 'watch' } : { next: 'gone' });
  const quiet = () => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: (fields) => errors.push(fields) };
  controller = new Controller({
    source,
    leadership: { leading: () => leading },
    knowledge,
    pass: async (key, context) => {
      passes.push(keyText(key));
      contexts.push(context);
      return verdictOf(keyText(key));
    },
    clock,
    random: { next: () => 0.5 },
    log,
    observer: { started: quiet, passed: (note) => notes.push(note) },
  });
});

/** The passes since the last call. */
async function passesNow(): Promise<string[]> {
  await settle();
  return passes.splice(0);
}

const etl = resource();
const named = (kind: string, name: string, spec: Spec = {}): RawResource => ({
  ...resource({ name, uid: name }),
  kind,
  spec,
});

describe('before and after its time', () => {
  test('the first list is collected until the start, deletions first', async () => {
    source.put(named('Cluster', 'a'), true);
    source.put(named('Cluster', 'b'), true);
    source.put(resource({ name: 'dying', deletionTimestamp: '2026-01-01T00:00:00Z' }), true);
    expect(await passesNow()).toEqual([]);
    controller.start();
    expect(await passesNow()).toEqual(['Cluster/team/dying', 'Cluster/team/a', 'Cluster/team/b']);
  });

  test('what came and went before the start gets no pass', async () => {
    source.put(named('Cluster', 'a'));
    source.put(named('Cluster', 'b'));
    source.delete(named('Cluster', 'a'));
    controller.start();
    expect(await passesNow()).toEqual(['Cluster/team/b']);
  });

  test('no pass starts while another replica may lead', async () => {
    leading = false;
    controller.start();
    source.put(etl);
    await clock.advance(10_000);
    expect(await passesNow()).toEqual([]);
    leading = true;
    await clock.advance(1_000);
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
  });

  test('after draining nothing starts, and a pass that hangs is named', async () => {
    controller.start();
    verdictOf = () => new Promise(() => undefined);
    source.put(etl);
    await settle();
    const drained = controller.drain(5_000);
    source.put(named('Cluster', 'late'));
    await clock.advance(6_000);
    expect(await drained).toEqual(['Cluster/team/etl']);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
  });
});

describe('a change', () => {
  beforeEach(() => controller.start());

  test('of the spec leads to a pass, and so does a status that somebody else wrote', async () => {
    source.put(etl);
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
    source.put({ ...etl, status: { ready: true } });
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
    source.put({ ...etl, status: { ready: true } });
    expect(await passesNow()).toEqual([]);
    source.put(resource({ generation: 2 }));
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
  });

  test('of what is usable in an object wakes those who refer to it, of any kind', async () => {
    const template = named('NodeGroupTemplate', 'workers');
    source.put(template);
    source.put(named('Cluster', 'a', { uses: ['NodeGroupTemplate/team/workers', 'Secret/team/token'] }));
    source.put(named('Cluster', 'b', { uses: ['NodeGroupTemplate/team/workers'] }));
    await passesNow();
    source.put({ ...template, status: { ready: true } });
    expect((await passesNow()).toSorted()).toEqual([
      'Cluster/team/a',
      'Cluster/team/b',
      'NodeGroupTemplate/team/workers',
    ]);
    source.put(named('Secret', 'token'));
    expect(await passesNow()).toEqual(['Cluster/team/a']);
    source.put({ ...template, status: { ready: true }, metadata: { ...template.metadata, labels: { x: 'y' } } });
    expect(await passesNow()).toEqual([]);
    source.delete(template);
    expect((await passesNow()).toSorted()).toEqual([
      'Cluster/team/a',
      'Cluster/team/b',
      'NodeGroupTemplate/team/workers',
    ]);
  });

  test('that ends a reference wakes what was referred to, which may wait to be unused', async () => {
    const user = named('Cluster', 'user', { uses: ['NodeGroupTemplate/team/workers', 'Secret/team/token'] });
    source.put(named('NodeGroupTemplate', 'workers'));
    source.put(user);
    await passesNow();
    source.delete(user);
    expect((await passesNow()).toSorted()).toEqual(['Cluster/team/user', 'NodeGroupTemplate/team/workers']);
    source.put({ ...named('NodeGroupTemplate', 'workers'), status: 'new' });
    expect(await passesNow()).toEqual(['NodeGroupTemplate/team/workers']);
  });

  test('that gives up an object of the service wakes those who want it, too', async () => {
    const holder = named('Cluster', 'holder', { id: '1' });
    source.put(holder);
    source.put(named('Cluster', 'heir', { id: '1' }));
    source.put(named('Cluster', 'other', { id: '2' }));
    await passesNow();
    source.delete(holder);
    expect((await passesNow()).toSorted()).toEqual(['Cluster/team/heir', 'Cluster/team/holder']);
  });

  test('while the pass runs leads to another one', async () => {
    const first = Promise.withResolvers<Requeue>();
    verdictOf = () => first.promise;
    source.put(etl);
    await settle();
    source.put(resource({ generation: 2 }));
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
    first.resolve({ next: 'settled', pollMs: 30_000 });
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
  });
});

describe('a wake', () => {
  beforeEach(() => controller.start());

  test('from the service reaches those who hold the object, by id or name', async () => {
    source.put(named('Cluster', 'a', { id: '1' }));
    source.put(named('Cluster', 'b', { id: '2' }));
    source.put(named('Cluster', 'c', { id: 'pinned-name' }));
    await passesNow();
    controller.wakeExternal('team/main', 'clusters', ['2', 'pinned-name', 'unknown']);
    expect(await passesNow()).toEqual(['Cluster/team/b', 'Cluster/team/c']);
    controller.wakeExternal('team/other', 'clusters', ['1']);
    source.delete(named('Cluster', 'a'));
    await passesNow();
    controller.wakeExternal('team/main', 'clusters', ['1']);
    expect(await passesNow()).toEqual([]);
  });

  test('of very many reaches all of them, over several turns of the event loop', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `c${index}`);
    for (const name of names) source.put(named('Cluster', name, { id: name, uses: ['Connection/team/main'] }));
    while ((await passesNow()).length > 0);
    const [all, adds] = [names.map((name) => `Cluster/team/${name}`), () => controller.statistics().adds];
    for (const wake of [
      () => controller.wakeExternal('team/main', 'clusters', names),
      () => controller.wakeDependents({ kind: 'Connection', namespace: 'team', name: 'main' }),
    ]) {
      const before = adds();
      wake();
      expect(adds() - before).toBeLessThan(300);
      await vi.waitFor(async () => {
        await settle();
        expect(adds() - before).toBe(600);
        expect(controller.statistics()).toMatchObject({ depth: 0, running: 0 });
      }, limitMs);
      expect((await passesNow()).toSorted()).toEqual(all.toSorted());
    }
  });

  test('from the budget and by key start a pass before its net', async () => {
    verdictOf = () => ({ next: 'budget' });
    source.put(etl);
    await passesNow();
    controller.wakeBudget('Cluster/team/etl');
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
    controller.wake({ kind: 'Cluster', namespace: 'team', name: 'etl' });
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
    await clock.advance(30_000);
    expect(await passesNow()).toEqual(['Cluster/team/etl']);
  });

  test('of a kind that has no passes here does nothing', async () => {
    controller.wake({ kind: 'Secret', namespace: 'team', name: 'token' });
    expect(await passesNow()).toEqual([]);
    expect(controller.statistics().adds).toBe(0);
  });
});
