// The service is killed at every call of the provisioner and of the engine, before it takes effect and after. The next life finishes the work.
import { expect, test } from 'vitest';
import {
  createCluster,
  deleteCluster,
  execute,
  type Life,
  Lives,
  machineIds,
  readCluster,
  readRun,
  scaleTo,
} from './lives.ts';

const never = () => new Promise<void>(() => undefined);

/** A cluster and its runs from their beginning to their end. A step that a life does not finish is finished by the next one. */
async function story(lives: Lives, live: () => Promise<Life>): Promise<void> {
  let life = await live();
  const comes = async (condition: () => Promise<boolean> | boolean): Promise<void> => {
    if (!(await life.until(condition))) {
      expect(life.isDead()).toBe(true);
      life = await live();
      expect(await life.until(condition)).toBe(true);
    }
    // Nobody answers the next request of a user while the service is down.
    if (life.isDead()) life = await live();
  };
  const clusterIs = (status: string | undefined) => async () => (await readCluster(life, id))?.['status'] === status;
  const id = await createCluster(life);
  await comes(clusterIs('Active'));
  const run = await execute(life, id);
  await comes(() => lives.runs.running.includes(run));
  for (const count of [3, 1]) {
    await scaleTo(life, id, count);
    await comes(clusterIs('Active'));
    expect(machineIds(await readCluster(life, id))).toEqual(lives.room.ids);
    expect(lives.room.ids).toHaveLength(count);
  }
  lives.runs.finish(run);
  await comes(async () => (await readRun(life, run))?.['info'].status === 'SUCCEEDED');
  const other = await execute(life, id);
  await comes(() => lives.runs.running.includes(other));
  await deleteCluster(life, id);
  await comes(clusterIs(undefined));
  expect([lives.room.ids, lives.runs.running]).toEqual([[], []]);
  expect([lives.runs.starts.get(run), lives.runs.starts.get(other)]).toEqual([1, 1]);
}

const points = [
  ...(['launch', 'configure', 'drain', 'remove', 'list'] as const).map((method) => ({ of: 'room', method }) as const),
  ...(['submit', 'finish', 'kill'] as const).map((method) => ({ of: 'runs', method }) as const),
].flatMap((call) =>
  (['before', 'after'] as const).flatMap((when) => [1, 2, 3].map((time) => ({ ...call, when, time }))),
);

test('undisturbed', () => {
  const lives = new Lives();
  return story(lives, () => lives.next());
});

test.each(points)('killed $when the effect of $method, the time $time that it is called', async (point) => {
  const lives = new Lives();
  let life: Life | undefined;
  let count = 0;
  const strike = () => {
    count += 1;
    if (count !== point.time) return undefined;
    life?.kill();
    return never();
  };
  if (point.of === 'room') lives.room[point.when](point.method, strike);
  else lives.runs[point.when](point.method, strike);
  await story(lives, async () => {
    life = await lives.next();
    return life;
  });
  if (point.time === 1) expect(count).toBeGreaterThan(0);
});
