// The parts of this folder within a lifecycle.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { Controller, type Pass, type ResourceIndex } from '../../../src/operator/controller/controller.ts';
import { HealthServer } from '../../../src/operator/process/health-server.ts';
import { cachesPart, controllerPart, healthPart, leasePart } from '../../../src/operator/process/parts.ts';
import { settle } from '../../support/clock.ts';
import { FakeSource, resource } from '../controller/resources.ts';
import { Stage } from '../controller/stage.ts';

const knowledge: ResourceIndex = {
  owns: () => true,
  laneOf: () => '',
  limitOf: () => 1,
  referencesOf: () => [],
  externalsOf: () => [],
  factsOf: () => '',
  annotations: [],
  commands: [],
};

/** A process of a store and a controller, whose only pass has just begun. */
async function runningWith(pass: Pass) {
  const stage = new Stage();
  const source = new FakeSource();
  const { clock, log } = stage;
  const leadership = { leading: () => true };
  const controller = new Controller({ source, leadership, knowledge, pass, clock, random: { next: () => 0 }, log });
  const lifecycle = stage.lifecycle(stage.part('store'), controllerPart('resources', controller));
  await lifecycle.start();
  source.put(resource());
  await settle();
  expect(controller.statistics().running).toBe(1);
  return { stage, lifecycle };
}

describe('a controller', () => {
  test('that stops waits for the pass that runs', async () => {
    const ended = Promise.withResolvers<void>();
    const { stage, lifecycle } = await runningWith(async (_key, { signal }) => {
      await ended.promise;
      stage.story.push(signal.aborted ? 'aborted' : 'ended by itself');
      return { next: 'watch' };
    });
    const stopped = lifecycle.stop(10_000);
    await stage.clock.advance(8_000);
    ended.resolve();
    expect(await stopped).toEqual([]);
    expect(stage.story).toEqual(['start store', 'ended by itself', 'stop store']);
  });

  test('that stops aborts the pass that takes too long', async () => {
    const { stage, lifecycle } = await runningWith(async (_key, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { next: 'watch' };
    });
    const stopped = lifecycle.stop(10_000);
    await stage.clock.advance(8_399);
    expect(stage.story).toEqual(['start store']);
    await stage.clock.advance(1);
    expect(await stopped).toEqual([]);
    expect(stage.story).toEqual(['start store', 'stop store']);
  });

  test('that stops leaves a pass behind that hangs for good, by the deadline, and names it', async () => {
    const { stage, lifecycle } = await runningWith(() => new Promise(() => undefined));
    const stopped = lifecycle.stop(10_000);
    await stage.clock.advance(9_500);
    expect(await stopped).toEqual(['resources: these reconciliations did not end: Cluster/team/etl']);
    expect(stage.story).toEqual(['start store', 'stop store']);
  });
});

test('caches have started once every kind is synced', async () => {
  const stage = new Stage();
  const synced = new Set<string>();
  const caches = cachesPart((kind) => synced.has(kind), ['Cluster', 'Image'], stage.clock);
  const started = stage.lifecycle(caches, stage.part('next')).start();
  synced.add('Cluster');
  await stage.clock.advance(1_000);
  expect(stage.story).toEqual([]);
  synced.add('Image');
  await stage.clock.advance(50);
  await started;
  expect(stage.story).toEqual(['start next']);
});

test('the health server answers while the process runs', async () => {
  const stage = new Stage();
  const options = { live: [], ready: [], registry: new Registry(), log: stage.log, host: '127.0.0.1' };
  const probe = new HealthServer({ ...options, port: 0 });
  const port = await probe.start();
  await probe.stop();
  const lifecycle = stage.lifecycle(healthPart(new HealthServer({ ...options, port })));
  await lifecycle.start();
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(await lifecycle.stop(5_000)).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
});

describe('a lease', () => {
  /** What is before, the lease, and what only a leader starts. */
  function stand(idle = true) {
    const stage = new Stage();
    const acquired = Promise.withResolvers<void>();
    const stops: boolean[] = [];
    const candidate = {
      acquire: async (signal: AbortSignal) => {
        signal.addEventListener('abort', () => acquired.resolve());
        await acquired.promise;
      },
      stop: async (was: boolean) => {
        stage.story.push('stop lease');
        stops.push(was);
        return was ? undefined : 'left to run out';
      },
    };
    const lifecycle = stage.lifecycle(
      stage.part('store'),
      leasePart(candidate, () => idle),
      stage.part('controller'),
    );
    return { stage, lifecycle, acquired, stops };
  }

  test('is waited for by all that comes after it, and given back when that has stopped', async () => {
    const { stage, lifecycle, acquired, stops } = stand();
    const started = lifecycle.start();
    await settle();
    expect([stage.story, lifecycle.state()]).toEqual([['start store'], 'starting']);
    acquired.resolve();
    await started;
    expect(await lifecycle.stop(5_000)).toEqual([]);
    expect(stage.story).toEqual(['start store', 'start controller', 'stop controller', 'stop lease', 'stop store']);
    expect(stops).toEqual([true]);
  });

  test('that was never had does not hold up a stop', async () => {
    const { stage, lifecycle } = stand();
    const started = lifecycle.start();
    await settle();
    expect(await lifecycle.stop(5_000)).toEqual([]);
    await started;
    expect(stage.story).toEqual(['start store', 'stop lease', 'stop store']);
  });

  test('is not given back while something may still write, and the stop says so', async () => {
    const { lifecycle, acquired } = stand(false);
    acquired.resolve();
    await lifecycle.start();
    expect(await lifecycle.stop(5_000)).toEqual(['lease: left to run out']);
  });
});
