// Provisioners and engines that fail, hang, lie or lose what they made: nothing leaks, nothing runs twice, nothing is stuck.
import { describe, expect, test } from 'vitest';
import type { Provisioner } from '../../../src/service/backends/provisioner.ts';
import { Transient } from '../../../src/service/model/disk/transient.ts';
import {
  cancelRun,
  comesTo,
  createCluster,
  deleteCluster,
  deleteRun,
  execute,
  type Life,
  Lives,
  machineIds,
  readCluster,
  readRun,
  scaleTo,
} from './lives.ts';

const fire = () => {
  throw new Error('the rack is on fire');
};
const never = () => new Promise<void>(() => undefined);

async function active(lives = new Lives()) {
  const life = await lives.next();
  const id = await createCluster(life);
  expect(await comesTo(life, id, 'Active')).toBe(true);
  return { lives, life, id, room: lives.room, runs: lives.runs };
}

async function running(lives = new Lives()) {
  const all = await active(lives);
  const run = await execute(all.life, all.id);
  const runs = async () => (await readRun(all.life, run))?.['info'].status === 'RUNNING';
  expect(await all.life.until(runs)).toBe(true);
  return { ...all, run };
}

const runComesTo = (life: Life, run: string, status: string | undefined) =>
  life.until(async () => (await readRun(life, run))?.['info'].status === status);

describe('a launch', () => {
  test('keeps its signal when it has succeeded, because processes may have been started with it', async () => {
    const lives = new Lives();
    const signals: AbortSignal[] = [];
    lives.room.before('launch', ({ signal }) => void signals.push(signal));
    const { life } = await active(lives);
    await life.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(lives.room.ids).toHaveLength(2);
  });

  test('that covers one of two machines fails the start, and nothing is left', async () => {
    const lives = new Lives();
    lives.room.answer = (machines) => machines.slice(0, 1);
    const life = await lives.next();
    const id = await createCluster(life);
    expect(await comesTo(life, id, 'Error')).toBe(true);
    const cluster = await readCluster(life, id);
    expect(cluster?.['status_description']).toBe('cannot create cluster: only 1 of 2 machines have been started');
    expect([machineIds(cluster), lives.room.ids]).toEqual([[], []]);
  });

  test('that reports its machines one by one is repeated for the rest only', async () => {
    const lives = new Lives();
    const asked: number[] = [];
    let broken = true;
    const provisioner = lives.room.provisioner();
    const launch: Provisioner['launch'] = async (order, machines) => {
      asked.push(machines.length);
      for (const machine of machines) {
        const [launched] = await provisioner.launch(order, [machine]);
        if (launched !== undefined) order.report({ machines: [launched], message: `${launched.instance_name} is up` });
        if (broken) throw new Transient('there is no room for more');
      }
      return [];
    };
    const other = new Lives({ provisioner: { ...provisioner, launch } });
    const life = await other.next();
    const id = await createCluster(life);
    const described = 'there is no room for more; trying again';
    expect(await life.until(async () => (await readCluster(life, id))?.['status_description'] === described)).toBe(
      true,
    );
    broken = false;
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(asked[0]).toBe(2);
    expect(asked.slice(1).every((count) => count === 1)).toBe(true);
    expect(lives.room.made).toBe(2);
  });

  test('that fails for a while is repeated, and never fails the start', async () => {
    const lives = new Lives();
    lives.room.before('launch', () => {
      throw new Transient('the disk is full');
    });
    const life = await lives.next();
    const id = await createCluster(life);
    await life.clock.advance(60_000);
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Waiting',
      status_description: 'the disk is full; trying again',
    });
    lives.room.well();
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(await readCluster(life, id)).not.toHaveProperty('status_description');
  });

  test('that meets a full disk fails for a while, whatever it rejects with', async () => {
    const lives = new Lives();
    lives.room.before('launch', () => {
      throw new Error('cannot write', { cause: Object.assign(new Error('full'), { code: 'ENOSPC' }) });
    });
    const life = await lives.next();
    const id = await createCluster(life);
    await life.clock.advance(60_000);
    const status_description = 'cannot write; trying again';
    expect(await readCluster(life, id)).toMatchObject({ status: 'Waiting', status_description });
    lives.room.well();
    expect(await comesTo(life, id, 'Active')).toBe(true);
  });

  test('that never ends fails the start after its deadline, and what it made is removed', async () => {
    const lives = new Lives();
    lives.room.after('launch', never);
    const life = await lives.next();
    const id = await createCluster(life);
    await life.clock.advance(14 * 60_000);
    expect((await readCluster(life, id))?.['status']).toBe('Waiting');
    await life.clock.advance(2 * 60_000);
    const cluster = await readCluster(life, id);
    expect(cluster).toMatchObject({
      status: 'Error',
      status_description: 'cannot create cluster: launch took longer than 900 s',
    });
    expect(lives.room.ids).toEqual([]);
    expect(lives.errors).toContain('launch goes on although it was aborted 10 s ago');
  });

  test('that ignores its abort does not block a deletion, and says so on the cluster', async () => {
    const lives = new Lives();
    let end = (): void => {};
    lives.room.before('launch', () => new Promise<void>((resolve) => void (end = resolve)));
    const life = await lives.next();
    const id = await createCluster(life);
    await life.clock.advance(1000);
    await deleteCluster(life, id);
    await life.clock.advance(5000);
    expect((await readCluster(life, id))?.['status']).toBe('Deleting');
    lives.room.before('remove', never);
    await life.clock.advance(6000);
    expect((await readCluster(life, id))?.['status_description']).toBe(
      'launch goes on although it was aborted 10 s ago',
    );
    lives.room.well();
    await life.clock.advance(11 * 60_000);
    expect(await readCluster(life, id)).toBeUndefined();
    end();
    await life.clock.advance(1000);
    expect(lives.room.ids).toEqual([]);
  });

  test('is one of as many at a time as --max-concurrent allows, and waiting ones can be deleted', async () => {
    const lives = new Lives({ maxConcurrent: 1 });
    let end = (): void => {};
    lives.room.before('launch', () => new Promise<void>((resolve) => void (end = resolve)));
    const life = await lives.next();
    const first = await createCluster(life);
    await life.clock.advance(1000);
    const second = await createCluster(life, 3);
    await life.clock.advance(1000);
    expect(lives.room.calls).toEqual(['launch']);
    expect((await readCluster(life, second))?.['status_description']).toBe(
      'waiting: 1 cluster is being created, the maximum of --max-concurrent',
    );
    await deleteCluster(life, second);
    expect(await comesTo(life, second, undefined)).toBe(true);
    lives.room.well();
    end();
    expect(await comesTo(life, first, 'Active')).toBe(true);
    expect(lives.room.ids).toHaveLength(2);
  });
});

describe('the end of the service', () => {
  test('waits for a launch, undoes nothing, and the next life finishes it', async () => {
    const lives = new Lives();
    const reasons: unknown[] = [];
    lives.room.after('launch', async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      reasons.push(signal.reason.reason);
      signal.throwIfAborted();
    });
    const first = await lives.next();
    const id = await createCluster(first);
    await first.clock.advance(1000);
    const made = lives.room.ids;
    await first.close();
    expect([reasons, made.length, lives.room.ids]).toEqual([['closing'], 2, made]);
    expect(lives.room.calls).toEqual(['launch']);
    lives.room.well();
    const second = await lives.next();
    expect(await comesTo(second, id, 'Active')).toBe(true);
    expect([lives.room.ids, lives.room.made]).toEqual([made, 2]);
  });

  test('is not delayed for long by a call that ignores it', async () => {
    const lives = new Lives();
    lives.room.before('launch', never);
    const life = await lives.next();
    await createCluster(life);
    await life.clock.advance(1000);
    const before = life.clock.monotonic();
    await life.close();
    expect(life.clock.monotonic() - before).toBeLessThanOrEqual(11_000);
  });
});

describe('machines that a failed operation made', () => {
  test('stay on record in Error until they are gone, those of a scale, too', async () => {
    const { life, id, room } = await active();
    const before = room.ids;
    room.after('launch', fire);
    room.before('remove', fire);
    await scaleTo(life, id, 4);
    expect(await comesTo(life, id, 'Error')).toBe(true);
    const failed = await readCluster(life, id);
    expect(failed?.['status_description']).toBe(
      'cannot scale cluster: the rack is on fire; cannot remove its machines: the rack is on fire; trying again',
    );
    expect(machineIds(failed)).toHaveLength(4);
    room.well();
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect([machineIds(await readCluster(life, id)), room.ids]).toEqual([before, before]);
  });

  test('are removed by a deletion, also when they could not be removed before', async () => {
    const lives = new Lives();
    lives.room.after('launch', fire);
    lives.room.before('remove', fire);
    const life = await lives.next();
    const id = await createCluster(life);
    expect(await comesTo(life, id, 'Error')).toBe(true);
    await deleteCluster(life, id);
    lives.room.well();
    expect(await comesTo(life, id, undefined)).toBe(true);
    expect(lives.room.ids).toEqual([]);
  });

  test('are not forgotten when a removal succeeds without an effect', async () => {
    const { life, id, room } = await active();
    room.sticky = true;
    await deleteCluster(life, id);
    await life.clock.advance(10_000);
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Deleting',
      status_description: 'cannot remove machines: 2 of 2 are still there; trying again',
    });
    room.sticky = false;
    expect(await comesTo(life, id, undefined)).toBe(true);
    expect(room.ids).toEqual([]);
  });
});

describe('a scale down', () => {
  test('drains, removes, and then configures the others', async () => {
    const { life, id, room } = await active();
    room.calls.length = 0;
    await scaleTo(life, id, 1);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.calls).toEqual(['drain', 'remove', 'list', 'configure']);
    expect(room.ids).toHaveLength(1);
  });

  test('whose machines cannot be drained leaves them in use, and says why', async () => {
    const { life, id, room } = await active();
    room.before('drain', () => {
      throw new Error('2 copies of each block need 2 machines');
    });
    await scaleTo(life, id, 1);
    const described = 'cannot scale cluster: 2 copies of each block need 2 machines';
    expect(await life.until(async () => (await readCluster(life, id))?.['status_description'] === described)).toBe(
      true,
    );
    expect(await readCluster(life, id)).toMatchObject({ status: 'Active', node_groups: [{ count: 2 }] });
    expect(room.ids).toHaveLength(2);
    expect(room.calls.slice(-2)).toEqual(['drain', 'configure']);
  });
});

describe('machines that are lost', () => {
  test('are started again, and the reason is shown meanwhile', async () => {
    const { life, id, room } = await active();
    const [first = ''] = room.ids;
    room.lose('t', id, [first]);
    expect(await readCluster(life, id)).toMatchObject({ status: 'Waiting', status_description: 'the power is out' });
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect([room.ids.length, room.made]).toEqual([2, 3]);
    expect(await readCluster(life, id)).not.toHaveProperty('status_description');
  });

  test('while the service was down are found and started again by its next life', async () => {
    const { lives, life, id, room } = await active();
    await life.close();
    room.machines.delete(room.ids[0] ?? '');
    const next = await lives.next();
    expect(await next.until(() => room.made === 3)).toBe(true);
    expect(await comesTo(next, id, 'Active')).toBe(true);
    expect(room.ids).toHaveLength(2);
  });

  test('while other machines are added are started again after that', async () => {
    const { life, id, room } = await active();
    const [first = ''] = room.ids;
    room.before('configure', () => {
      room.well();
      room.lose('t', id, [first]);
    });
    await scaleTo(life, id, 3);
    await life.clock.advance(10_000);
    expect(await comesTo(life, id, 'Active')).toBe(true);
    expect(room.ids).toHaveLength(3);
  });

  test('again and again bring the cluster to Error, and its runs end as FAILED', async () => {
    const { life, id, room, runs, run } = await running();
    for (let time = 0; time < 6; time += 1) {
      room.lose('t', id, room.ids.slice(0, 1));
      await life.clock.advance(1000);
    }
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Error',
      status_description: 'cannot repair cluster: the power is out (6 times in 10 minutes)',
    });
    expect(await runComesTo(life, run, 'FAILED')).toBe(true);
    expect((await readRun(life, run))?.['info'].message).toContain('its cluster has failed: the power is out');
    expect(runs.running).toEqual([]);
  });

  test('of processes that the provisioner starts again itself are shown, and too many of them bring the cluster to Error', async () => {
    const { life, id, room } = await active();
    for (let time = 0; time < 5; time += 1) expect(room.lose('t', id, [], 'the master has ended')).toEqual([true]);
    const shown = { status: 'Active', status_description: 'the master has ended' };
    expect(await readCluster(life, id)).toMatchObject(shown);
    expect(room.lose('t', id, [], 'the master has ended')).toEqual([false]);
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Error',
      status_description: 'cannot repair cluster: the master has ended (6 times in 10 minutes)',
    });
    expect(room.lose('t', id, [], 'once more')).toEqual([false]);
  });

  test('of another tenant or of no cluster change nothing', async () => {
    const { life, id, room } = await active();
    const before = await readCluster(life, id);
    room.lose('other', id, []);
    room.lose('t', 'no-such-cluster', ['x']);
    expect(await readCluster(life, id)).toEqual(before);
  });
});

describe('runs', () => {
  test('that are cancelled during their submission are killed, and do not start later', async () => {
    const { life, id, runs } = await active();
    let end = (): void => {};
    runs.before('submit', () => new Promise<void>((resolve) => void (end = resolve)));
    const run = await execute(life, id);
    expect(await life.until(() => runs.calls.includes('submit'))).toBe(true);
    await cancelRun(life, run);
    await life.clock.advance(11_000);
    expect(await runComesTo(life, run, 'KILLED')).toBe(true);
    runs.well();
    end();
    await life.clock.advance(1000);
    expect(runs.calls.filter((call) => call !== 'strays')).toEqual(['submit', 'kill']);
    expect(runs.running).toEqual([]);
  });

  test('keep the identifier that the engine gives, also when they are cancelled at the same time', async () => {
    const { life, id, runs } = await active();
    runs.after('submit', never);
    const run = await execute(life, id);
    expect(await life.until(() => runs.calls.includes('submit'))).toBe(true);
    await cancelRun(life, run);
    expect(await runComesTo(life, run, 'KILLED')).toBe(true);
    expect((await readRun(life, run))?.['engine_job_id']).toBe(`run-of-${run}`);
    expect(runs.running).toEqual([]);
  });

  test('are killed before the machines of their cluster are removed, however often that has to be tried', async () => {
    const { life, id, room, runs, run } = await running();
    runs.before('kill', fire);
    await deleteCluster(life, id);
    await life.clock.advance(10_000);
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Deleting',
      status_description: 'cannot kill job execution: the rack is on fire; trying again',
    });
    expect(room.ids).toHaveLength(2);
    runs.well();
    expect(await comesTo(life, id, undefined)).toBe(true);
    expect([runs.running, room.ids]).toEqual([[], []]);
    expect((await readRun(life, run))?.['info'].status).toBe('KILLED');
  });

  test.each(['neutral', 'sahara', 'savanna'] as const)('are killed when they are deleted: %s', async (dialect) => {
    const lives = new Lives(dialect === 'neutral' ? {} : { dialect });
    const { life, runs, run } = await running(lives);
    runs.before('kill', fire);
    expect((await deleteRun(life, run)).status).toBe(204);
    if (dialect === 'savanna') expect(await readRun(life, run)).toBeUndefined();
    await life.clock.advance(10_000);
    expect(runs.running).toEqual([run]);
    runs.well();
    expect(await life.until(() => runs.running.length === 0)).toBe(true);
    expect(await runComesTo(life, run, undefined)).toBe(true);
  });

  test('whose submission fails late are killed before they are FAILED, with the first message', async () => {
    const { life, id, runs } = await active();
    runs.after('submit', fire);
    runs.before('kill', () => {
      throw new Error('it does not listen');
    });
    const run = await execute(life, id);
    expect(await life.until(() => runs.calls.includes('kill'))).toBe(true);
    await life.clock.advance(10_000);
    expect(runs.running).toEqual([run]);
    const waiting = await readRun(life, run);
    expect(waiting).toMatchObject({
      info: { status: 'PENDING', message: 'cannot kill job execution: it does not listen; trying again' },
    });
    expect(waiting).not.toHaveProperty('end_time');
    runs.well();
    expect(await runComesTo(life, run, 'FAILED')).toBe(true);
    expect((await readRun(life, run))?.['info'].message).toBe('the rack is on fire');
    expect(runs.running).toEqual([]);
  });

  test.each(['in the same life', 'after a restart'])(
    'whose submission takes too long are killed before they are FAILED, %s',
    async (when) => {
      const { lives, life, id, runs } = await active();
      runs.after('submit', never);
      runs.before('kill', fire);
      const run = await execute(life, id);
      await life.clock.advance(6 * 60_000);
      expect([runs.running, (await readRun(life, run))?.['end_time']]).toEqual([[run], undefined]);
      if (when === 'after a restart') await life.close();
      const next = when === 'after a restart' ? await lives.next() : life;
      runs.well();
      expect(await runComesTo(next, run, 'FAILED')).toBe(true);
      expect((await readRun(next, run))?.['info'].message).toBe('submit took longer than 300 s');
      expect([runs.running, runs.starts.get(run)]).toEqual([[], 1]);
    },
  );

  test('that no record has, or whose record is over, are killed with their cluster', async () => {
    const { life, id, room, runs, run } = await running();
    runs.finish(run);
    expect(await runComesTo(life, run, 'SUCCEEDED')).toBe(true);
    runs.appear(run, id);
    runs.appear('nobody-knows-it', id);
    runs.appear('elsewhere', 'another-cluster');
    runs.before('kill', fire);
    await deleteCluster(life, id);
    await life.clock.advance(10_000);
    expect([runs.running.length, room.ids.length]).toEqual([3, 2]);
    runs.well();
    expect(await comesTo(life, id, undefined)).toBe(true);
    expect([runs.running, room.ids, runs.forgotten]).toEqual([['elsewhere'], [], ['nobody-knows-it']]);
  });

  test('of another cluster are not killed, whatever the engine finds on this one', async () => {
    const { life, id, runs, run } = await running();
    const other = await createCluster(life);
    expect(await comesTo(life, other, 'Active')).toBe(true);
    const entry = runs.runs.get(run);
    if (entry !== undefined) runs.runs.set(run, { ...entry, cluster: other });
    await deleteCluster(life, other);
    expect(await comesTo(life, other, undefined)).toBe(true);
    expect([runs.running, (await readRun(life, run))?.['cluster_id']]).toEqual([[run], id]);
  });

  test('of a cluster whose runs cannot be found out keep their machines', async () => {
    const { life, id, room, runs } = await active();
    runs.before('runsOn', fire);
    await deleteCluster(life, id);
    await life.clock.advance(10_000);
    expect(await readCluster(life, id)).toMatchObject({
      status: 'Deleting',
      status_description: 'cannot find out what runs: the rack is on fire; trying again',
    });
    expect(room.ids).toHaveLength(2);
    runs.well();
    expect(await comesTo(life, id, undefined)).toBe(true);
  });

  test('that appear when their execution is over or gone are killed, those of others are not', async () => {
    const { life, id, runs, run } = await running();
    const over = await execute(life, id);
    expect(await life.until(() => runs.running.includes(over))).toBe(true);
    runs.finish(over);
    expect(await runComesTo(life, over, 'SUCCEEDED')).toBe(true);
    runs.appear(over, id);
    runs.appear('forgotten-long-ago', id);
    await life.clock.advance(11 * 60_000);
    expect([runs.running, runs.forgotten]).toEqual([[run], ['forgotten-long-ago']]);
    expect((await readRun(life, over))?.['info'].status).toBe('SUCCEEDED');
  });

  test('that no record has are killed when the service starts', async () => {
    const { lives, life, id, runs, run } = await running();
    await life.close();
    runs.appear('forgotten-long-ago', id);
    const next = await lives.next();
    expect(await next.until(() => runs.running.length === 1)).toBe(true);
    expect([runs.running, (await readRun(next, run))?.['info'].status]).toEqual([[run], 'RUNNING']);
  });

  test('that early releases show as KILLED are killed before the machines of their cluster are removed', async () => {
    const { life, id, room, runs, run } = await running(new Lives({ dialect: 'savanna' }));
    runs.before('kill', fire);
    await cancelRun(life, run);
    expect((await readRun(life, run))?.['info'].status).toBe('KILLED');
    await deleteCluster(life, id);
    await life.clock.advance(10_000);
    expect([runs.running, room.ids.length]).toEqual([[run], 2]);
    runs.well();
    expect(await comesTo(life, id, undefined)).toBe(true);
    expect([runs.running, room.ids]).toEqual([[], []]);
  });

  test('are forgotten with their executions, whether these are over or not', async () => {
    const { life, runs, id, run } = await running();
    runs.finish(run);
    expect(await runComesTo(life, run, 'SUCCEEDED')).toBe(true);
    const other = await execute(life, id);
    expect(await life.until(() => runs.running.includes(other))).toBe(true);
    expect(runs.forgotten).toEqual([]);
    for (const each of [run, other]) await deleteRun(life, each);
    expect(await life.until(async () => (await readRun(life, other)) === undefined)).toBe(true);
    expect(runs.forgotten).toEqual([run, other]);
  });

  test('are as many at a time as --max-concurrent allows', async () => {
    const { life, id, runs, run } = await running(new Lives({ maxConcurrent: 1 }));
    const second = await execute(life, id);
    await life.clock.advance(10_000);
    expect(runs.running).toEqual([run]);
    runs.finish(run);
    expect(await life.until(() => runs.running.includes(second))).toBe(true);
  });

  test('end with the return code and the message of the engine', async () => {
    const { life, runs, run } = await running();
    runs.finish(run, { status: 'FAILED', returnCode: 137, message: 'it was out of memory' });
    expect(await runComesTo(life, run, 'FAILED')).toBe(true);
    expect(await readRun(life, run)).toMatchObject({ return_code: 137, info: { message: 'it was out of memory' } });
  });

  test('that the next life cannot find are FAILED, and are not started again', async () => {
    const { lives, life, runs, run } = await running();
    await life.close();
    runs.runs.clear();
    const next = await lives.next();
    expect(await runComesTo(next, run, 'FAILED')).toBe(true);
    expect(runs.starts.get(run)).toBe(1);
  });
});
