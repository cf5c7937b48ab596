// Section 4.6: job executions, and how they go on by themselves, on a clock that the test moves.

import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { ManualClock } from '../../../support/clock.ts';
import { type Json, type Peer, serve, unknownId } from '../../support.ts';
import {
  base,
  createCluster,
  created,
  createJob,
  createSource,
  refused,
  statusOf,
  watch,
} from './section-4-6-support.ts';

const list = `${base}/job-executions`;
const one = async (peer: Peer, id: string): Promise<Json> => (await peer.get(`${list}/${id}`)).body.job_execution;

/** A cluster that takes 400 ms to be Active, and a run on it; every status lasts 100 ms. */
async function scene(options: Partial<ServerOptions> = {}) {
  const clock = new ManualClock();
  const peer = await serve({ clock, stageMs: 100, ...options });
  const [job, cluster] = [await createJob(peer), await createCluster(peer)];
  const execute = async (): Promise<string> =>
    created(await peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id })).id;
  return { clock, peer, job, cluster, execute, id: await execute() };
}
const active = async (options: Partial<ServerOptions> = {}) => {
  const world = await scene(options);
  await world.clock.advance(400);
  return world;
};

describe('section 4.6: the course of an execution', () => {
  test('it waits for its cluster, then runs to its end and stays there', async () => {
    const { clock, peer, id } = await scene();
    await clock.advance(399);
    expect(await statusOf(peer, id)).toBe('PENDING');
    expect(await watch(peer, clock, id)).toEqual(['PENDING', 'PREP', 'RUNNING', 'SUCCEEDED']);
    const before = await one(peer, id);
    await clock.advance(1_000_000);
    expect(await one(peer, id)).toEqual(before);
  });

  test('on a cluster that is Active it begins at once', async () => {
    const { clock, peer, execute } = await active();
    await clock.advance(10_000);
    const id = await execute();
    expect(await statusOf(peer, id)).toBe('PENDING');
    await clock.advance(100);
    expect(await statusOf(peer, id)).toBe('PREP');
  });

  test('start, end, the name the engine has for it, and its URLs appear when they are known', async () => {
    const { clock, peer, cluster, job } = await active();
    const [input, output] = [
      await createSource(peer, { url: 'swift://c/%JOB_EXEC_ID%' }),
      await createSource(peer, { name: 'out', url: 'swift://c/%RANDSTR(5)%-%RANDSTR(2)%' }),
    ];
    const body = { cluster_id: cluster.id, input_id: input.id, output_id: output.id };
    const { id } = created(await peer.post(`${base}/jobs/${job.id}/execute`, body));
    for (const key of ['start_time', 'end_time', 'engine_job_id']) expect(await one(peer, id)).not.toHaveProperty(key);
    await clock.advance(100);
    const begun = await one(peer, id);
    expect(begun).toMatchObject({ start_time: '2026-01-01T00:00:01', engine_job_id: expect.any(String) });
    expect(begun.data_source_urls[input.id]).toBe(`swift://c/${id}`);
    expect(begun.data_source_urls[output.id]).toMatch(/^swift:\/\/c\/[a-z]{5}-[a-z]{2}$/);
    expect(begun).not.toHaveProperty('end_time');
    await clock.advance(3000);
    expect(await one(peer, id)).toMatchObject({ end_time: '2026-01-01T00:00:01', start_time: begun.start_time });
  });

  test('the list shows the same as the execution, at any time', async () => {
    const { clock, peer, id } = await scene();
    for (let ms = 0; ms < 900; ms += 100) {
      expect((await peer.get(list)).body).toEqual({ job_executions: [await one(peer, id)] });
      await clock.advance(100);
    }
  });

  test('each status can have a duration of its own', async () => {
    const { clock, peer, id } = await scene({ stageMs: (status) => (status === 'RUNNING' ? 5000 : 0) });
    await clock.advance(4999);
    expect(await statusOf(peer, id)).toBe('RUNNING');
    await clock.advance(1);
    expect(await statusOf(peer, id)).toBe('SUCCEEDED');
  });

  test('one that comes while its cluster is being scaled begins after that', async () => {
    const { clock, peer, cluster, execute } = await active();
    await clock.advance(1000);
    await peer.put(`${base}/clusters/${cluster.id}`, { resize_node_groups: [{ name: 'g', count: 2 }] });
    const id = await execute();
    await clock.advance(300);
    expect(await statusOf(peer, id)).toBe('PENDING');
    expect(await watch(peer, clock, id)).toEqual(['PENDING', 'PREP', 'RUNNING', 'SUCCEEDED']);
  });

  test('one that waits for its time while its cluster begins to be scaled waits for the end of that, too', async () => {
    const stageMs = (status: string) => (status === 'PENDING' ? 500 : 100);
    const { clock, peer, cluster, execute } = await active({ stageMs });
    await clock.advance(10_000);
    const id = await execute();
    await clock.advance(100);
    await peer.put(`${base}/clusters/${cluster.id}`, { resize_node_groups: [{ name: 'g', count: 2 }] });
    await clock.advance(450);
    expect(await statusOf(peer, id)).toBe('PENDING');
    expect(await watch(peer, clock, id)).toEqual(['PENDING', 'PREP', 'RUNNING', 'SUCCEEDED']);
  });

  test('several run side by side', async () => {
    const { clock, peer, execute, id } = await active();
    const ids = [id, await execute(), await execute()];
    await clock.advance(1000);
    for (const each of ids) expect(await statusOf(peer, each)).toBe('SUCCEEDED');
  });
});

describe('section 4.6: GET job-executions/{id}/refresh-status', () => {
  test('200 with what the execution is now', async () => {
    const { clock, peer, id } = await active();
    await clock.advance(250);
    const { status, body } = await peer.get(`${list}/${id}/refresh-status`);
    expect(status).toBe(200);
    expect(body).toEqual({ job_execution: await one(peer, id) });
    expect(body.job_execution.info.status).toBe('RUNNING');
  });

  test.each(['', '/refresh-status', '/cancel'])('an unknown one%s: 404', async (suffix) => {
    const { peer, id } = await scene();
    expect(refused(await peer.get(`${list}/${unknownId}${suffix}`))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.get(`/v1.1/other/job-executions/${id}${suffix}`))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('section 4.6: GET job-executions/{id}/cancel', () => {
  test('200 with the state before; then TOBEKILLED, then KILLED with an end', async () => {
    const { clock, peer, id } = await active();
    await clock.advance(200);
    const before = await one(peer, id);
    expect(before.info.status).toBe('RUNNING');
    const { status, body } = await peer.get(`${list}/${id}/cancel`);
    expect([status, body]).toEqual([200, { job_execution: before }]);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', 'KILLED']);
    expect((await one(peer, id)).end_time).toBe('2026-01-01T00:00:01');
  });

  test('of one that has not begun', async () => {
    const { clock, peer, id } = await scene();
    await peer.get(`${list}/${id}/cancel`);
    await clock.advance(100);
    expect(await statusOf(peer, id)).toBe('KILLED');
    await clock.advance(10_000);
    expect(await statusOf(peer, id)).toBe('KILLED');
    expect(await one(peer, id)).not.toHaveProperty('start_time');
  });

  test('once more changes nothing, neither before the end nor after it', async () => {
    const { clock, peer, id } = await active();
    await peer.get(`${list}/${id}/cancel`);
    await clock.advance(60);
    await peer.get(`${list}/${id}/cancel`);
    await clock.advance(40);
    const killed = await one(peer, id);
    expect(killed.info.status).toBe('KILLED');
    expect((await peer.get(`${list}/${id}/cancel`)).body.job_execution).toEqual(killed);
    await clock.advance(1000);
    expect(await one(peer, id)).toEqual(killed);
  });

  test('has no effect on one that is over', async () => {
    const { clock, peer, id } = await active();
    await clock.advance(1000);
    await peer.get(`${list}/${id}/cancel`);
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBe('SUCCEEDED');
  });
});

describe('section 4.6: DELETE job-executions', () => {
  test('204; one that is over is gone at once', async () => {
    const { clock, peer, id } = await active();
    await clock.advance(1000);
    const reply = await peer.remove(`${list}/${id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(refused(await peer.get(`${list}/${id}`))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.remove(`${list}/${id}`))).toEqual([404, 'NOT_FOUND']);
  });

  test('one that runs is cancelled first, and its row stays until then', async () => {
    const { clock, peer, id } = await active();
    expect((await peer.remove(`${list}/${id}`)).status).toBe(204);
    expect((await peer.remove(`${list}/${id}`)).status).toBe(204);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', undefined]);
  });

  test('one that is being cancelled is gone where it would have been KILLED', async () => {
    const { clock, peer, id } = await active();
    await peer.get(`${list}/${id}/cancel`);
    await peer.remove(`${list}/${id}`);
    expect(await watch(peer, clock, id)).toEqual(['TOBEKILLED', undefined]);
  });
});

describe('section 4.6: when the cluster goes', () => {
  test('its deletion is not refused; what runs there is KILLED, and has no cluster any more', async () => {
    const { clock, peer, cluster, id } = await active({ stageMs: (status) => (status === 'RUNNING' ? 100_000 : 100) });
    await clock.advance(300);
    expect((await peer.remove(`${base}/clusters/${cluster.id}`)).status).toBe(204);
    expect(await statusOf(peer, id)).toBe('RUNNING');
    await clock.advance(100);
    expect((await peer.get(`${base}/clusters/${cluster.id}`)).status).toBe(404);
    const killed = await one(peer, id);
    expect(killed).toMatchObject({ info: { status: 'KILLED' }, end_time: expect.any(String) });
    expect(killed).not.toHaveProperty('cluster_id');
    await clock.advance(200_000);
    expect(await one(peer, id)).toEqual(killed);
    expect((await peer.get(`${list}/${id}/cancel`)).body.job_execution).toEqual(killed);
    expect((await peer.remove(`${list}/${id}`)).status).toBe(204);
  });

  test('what was waiting is KILLED, what was over stays so, what was to be deleted is gone', async () => {
    const {
      clock,
      peer,
      cluster,
      execute,
      id: over,
    } = await active({
      stageMs: (status) => (status === 'TOBEKILLED' ? 100_000 : 100),
    });
    await clock.advance(1000);
    const doomed = await execute();
    await peer.remove(`${list}/${doomed}`);
    await peer.remove(`${base}/clusters/${cluster.id}`);
    const waiting = await execute();
    await clock.advance(100);
    expect(await statusOf(peer, waiting)).toBe('KILLED');
    expect(await statusOf(peer, doomed)).toBeUndefined();
    expect((await one(peer, over)).info).toEqual({ status: 'SUCCEEDED' });
    expect(await one(peer, over)).not.toHaveProperty('cluster_id');
  });
});
