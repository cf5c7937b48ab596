// The operator is killed again and again while it starts runs, at any moment, or each time as it is about to send a request that it has announced.
import { expect, test, vi } from 'vitest';
import { cluster, downMs, killedAtAnyMoment, planOf, play, preparedMs, reasonOf, reasonsIn, runsIn } from './kills.ts';
import { runOn } from './plan/objects.ts';
import { type Plan, quarantineMs } from './plan/plan.ts';
import { executionAt, schedule } from './plan/schedules.ts';
import type { Planted } from './world/options.ts';

vi.setConfig({ testTimeout: 900_000 });

/** The process of every third start is killed before the request leaves, `most` times. */
function killing(most: number) {
  let [starts, kills] = [0, 0];
  const planted: Planted = {
    service: (way, world, replica) => ({
      ...way,
      dispatch: (options, handler) => {
        if (!options.path.endsWith('/execute')) return way.dispatch(options, handler);
        starts += 1;
        if (kills === most || starts % 3 !== 1) return way.dispatch(options, handler);
        kills += 1;
        replica.kill();
        world.scheduler.after(downMs, () => world.restart(0, replica));
        return true;
      },
    }),
  };
  return { planted, kills: () => kills };
}

const burst = (more: object): Plan =>
  planOf(Array.from({ length: 96 }, (_, index) => ({ at: preparedMs, deed: runOn(`run-${index}`, cluster, more) })));

/** After the last kill, the quarantine, and the two lists that follow it. */
const settledMs = preparedMs + 30 * (downMs + 10_000) + quarantineMs + 120_000;

test('30 kills while 96 executions are started leave one execution for each kill at most, and no run takes place twice', async () => {
  const { planted, kills } = killing(30);
  const world = await play(burst({}), settledMs, planted);
  expect({ kills: kills(), ...reasonsIn(world) }).toEqual({ kills: 30, OutcomeUnknown: 30, Succeeded: 66 });
  expect(runsIn(world)).toHaveLength(66);
});

// Fewer throws of the dice differ more from the average.
killedAtAnyMoment([1, 2], 3);

test('none where the job may run twice', async () => {
  const { planted, kills } = killing(30);
  const world = await play(burst({ onUnknown: 'Retry' }), settledMs + quarantineMs, planted);
  expect({ kills: kills(), ...reasonsIn(world) }).toEqual({ kills: 30, Succeeded: 96 });
  expect(runsIn(world)).toHaveLength(96);
});

test.each([
  ['stands still after a kill until somebody says how to go on', {}, 'OutcomeUnknown'],
  ['goes on by itself after a kill where its job may run twice', { onUnknown: 'Retry' }, 'Succeeded'],
])('a schedule that forbids concurrent runs %s', async (_does, more, reason) => {
  const { planted, kills } = killing(1);
  const deed = schedule(
    'regular',
    { clusterRef: { name: cluster }, ...more },
    { concurrencyPolicy: 'Forbid', successfulHistoryLimit: 10 },
  );
  const world = await play(planOf([{ at: preparedMs, deed }]), 600_000, planted);
  expect(kills()).toBe(1);
  const executions = world.server.list('jobexecutions');
  const first = executions.find(({ metadata }) => metadata.name === executionAt('regular', 1));
  expect(first && reasonOf(first)).toBe(reason);
  expect(executions.length > 1).toBe(reason === 'Succeeded');
});
