// Whatever the service does, what was applied comes true once, goes away again, and leaves nothing behind.
import { describe, expect, inject, test } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { Injector } from '../../../src/service/faults/injector.ts';
import type { Personality } from '../../../src/service/faults/personality.ts';
import { ManualClock } from '../../support/clock.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { applyTemplates, conditionOf, specs, World } from '../support/world.ts';

type Faults = NonNullable<Personality['faults']>;
type Rule = Faults[number];

const paths = ['node-group-templates', 'cluster-templates', 'clusters'] as const;
const kinds = ['nodeGroupTemplates', 'clusterTemplates', 'clusters'] as const;

/** The same rule for each route that something is created at. */
const onCreate = (rule: Rule): Faults =>
  paths.map((path) => ({ name: `create ${path}`, method: 'POST', path, ...rule }));
const onDelete = (rule: Rule): Faults =>
  paths.map((path) => ({ name: `delete ${path}`, method: 'DELETE', path: `${path}/:id`, ...rule }));

interface Clocks {
  readonly personality?: Clock;
  readonly operator?: Clock;
}

/** A running operator at a service with this personality. */
async function misbehaving(personality: Personality, clocks: Clocks = {}) {
  const injector = new Injector(clocks.personality ?? systemClock, personality);
  const world = await World.create({ injector, stageMs: 20, grants: [{ token: 'first' }, { token: 'second' }] });
  await world.operate(clocks.operator);
  await world.apply('Secret', 'token', credentials('first'));
  await world.connectService({ pollSeconds: 1, auth: { type: 'Token', secretRef: { name: 'token' } } });
  return { world, injector };
}

const credentials = (token: string) => ({ type: 'dataprocessing.dev/credentials', stringData: { token } });

/** How many objects the service has, by kind, whatever it tells. */
const counts = ({ records }: World): readonly number[] => kinds.map((kind) => records.list(kind, 'demo').length);

async function create(world: World): Promise<void> {
  await applyTemplates(world);
  await world.apply('Cluster', 'etl', specs.cluster);
  await world.ready('Cluster', 'etl');
  expect(counts(world)).toEqual([2, 1, 1]);
}

async function scale(world: World): Promise<void> {
  await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 3 }] });
  const { status } = await world.ready('Cluster', 'etl');
  expect(status?.nodes).toBe('4/4');
  expect(counts(world)).toEqual([2, 1, 1]);
}

async function remove(world: World): Promise<void> {
  const resources = [
    ['Cluster', 'etl'],
    ['ClusterTemplate', 'small'],
    ['NodeGroupTemplate', 'master'],
    ['NodeGroupTemplate', 'worker'],
  ] as const;
  // In an order in which the service refuses none.
  for (const [kind, name] of resources) {
    await world.delete(kind, name);
    await world.gone(kind, name);
  }
  expect(counts(world)).toEqual([0, 0, 0]);
}

const applied = (injector: Injector) =>
  Object.fromEntries(Object.entries(injector.counts()).map(([name, tally]) => [name, tally.applied]));

const once = (rules: readonly Rule[]) => Object.fromEntries(rules.map(({ name }) => [name, 1]));

describe.skipIf(inject('kubeconfig') === '')('a service that loses answers and works late', () => {
  test.concurrent('loses answers to creates, scales and deletes after the work is done', async () => {
    const lost = { nth: 1, answer: { is: 'cut' } } as const;
    const faults = [
      ...onCreate(lost),
      { name: 'scale', method: 'PUT', path: 'clusters/:id', ...lost } as const,
      ...onDelete(lost),
    ];
    const { world, injector } = await misbehaving({ faults });
    await using _ = world;
    await create(world);
    await scale(world);
    await remove(world);
    expect(applied(injector)).toEqual(once(faults));
  });

  test.concurrent.each(['cut', 'refusal'] as const)('creates late, after an answer that is a %s', async (is) => {
    const answer = is === 'cut' ? { is } : ({ is, status: 504, shape: 'proxy' } as const);
    const faults = onCreate({ nth: 1, work: 'late', lateMs: 1500, answer });
    const { world, injector } = await misbehaving({ faults });
    await using _ = world;
    await create(world);
    await scale(world);
    await remove(world);
    expect(applied(injector)).toEqual(once(faults));
  });

  test.concurrent('creates late what is deleted by then', async () => {
    const faults: Faults = [
      { method: 'POST', path: 'node-group-templates', work: 'late', lateMs: 1500, answer: { is: 'cut' } },
    ];
    const { world, injector } = await misbehaving({ faults });
    await using _ = world;
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await expect.poll(() => injector.counts()['faults[0]']?.applied, { timeout: 30_000 }).toBeGreaterThan(0);
    await world.delete('NodeGroupTemplate', 'worker');
    await world.gone('NodeGroupTemplate', 'worker');
    expect(world.external.filter((one) => one.startsWith('DELETE '))).toHaveLength(1);
    expect(counts(world)).toEqual([0, 0, 0]);
  });
});

describe.skipIf(inject('kubeconfig') === '')('a service that refuses and confuses', () => {
  test.concurrent('has been asked too often, again and again', async () => {
    const faults: Faults = [
      { name: 'busy', rate: 0.3, times: 5, answer: { is: 'refusal', status: 429, retryAfter: 1 } },
    ];
    const { world, injector } = await misbehaving({ seed: 3, faults }, { operator: fastClock(5) });
    await using _ = world;
    await create(world);
    await scale(world);
    await remove(world);
    expect(applied(injector)['busy']).toBe(5);
  });

  test.concurrent('answers 200 with a string, again and again', async () => {
    const { world, injector } = await misbehaving({
      seed: 3,
      faults: [{ name: 'strange', rate: 0.3, times: 8, answer: { is: 'text' } }],
    });
    await using _ = world;
    await create(world);
    await scale(world);
    await remove(world);
    expect(applied(injector)['strange']).toBe(8);
  });

  test.concurrent('holds the name of a template that somebody deleted', async () => {
    const { world, injector } = await misbehaving({ names: { freed: 'late', ms: 8000 } });
    await using _ = world;
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    const first = await world.ready('NodeGroupTemplate', 'worker');
    const [before] = await world.remote('node-group-templates', 'first');
    await fetch(`${world.service.url}/v1.0/demo/node-group-templates/${first.status?.id}`, {
      method: 'DELETE',
      headers: { 'x-auth-token': 'first' },
    });
    await world.annotate('NodeGroupTemplate', 'worker', { 'reconcile.fluxcd.io/requestedAt': '2026-01-01T00:00:00Z' });
    await world.until(
      'NodeGroupTemplate',
      'worker',
      ({ status }) => status?.id !== undefined && status.id !== first.status?.id,
      // The tries grow rarer while the name is held.
      90_000,
    );
    await world.ready('NodeGroupTemplate', 'worker');
    const [after] = await world.remote('node-group-templates', 'first');
    expect(after?.name).toBe(before?.name);
    expect(counts(world)).toEqual([1, 0, 0]);
    expect(applied(injector)['names']).toBeGreaterThan(0);
  });

  test.concurrent('refuses tokens that are too old, and takes a new one', async () => {
    const clock = new ManualClock();
    const { world, injector } = await misbehaving({ tokenLifetimeMs: 60_000 }, { personality: clock });
    await using _ = world;
    await create(world);
    await clock.advance(60_000);
    await world.until('Connection', 'default', (one) => conditionOf(one, 'Ready')?.reason === 'Unauthorized');
    await world.apply('Secret', 'token', credentials('second'));
    await world.ready('Connection', 'default');
    await scale(world);
    await remove(world);
    expect(applied(injector)['tokenLifetimeMs']).toBeGreaterThan(0);
  });

  test.concurrent('leaves a row in Error after a refused create', async () => {
    const { world, injector } = await misbehaving({
      faults: [
        {
          method: 'POST',
          path: 'clusters',
          nth: 1,
          work: 'error-row',
          answer: { is: 'refusal', status: 400, errorName: 'QUOTA_ERROR' },
        },
      ],
    });
    await using _ = world;
    await create(world);
    await remove(world);
    expect(applied(injector)).toEqual({ 'faults[0]': 1 });
  });
});
