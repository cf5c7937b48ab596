// PATCH of job executions in late upstream releases: who may see and end them, and suspending.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import { serve, until, untilActive } from '../../support.ts';
import { at, change, late, make, show } from '../general/upstream-support.ts';

describe('sahara: PATCH /job-executions/{id}', () => {
  async function scene() {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 1000 });
    const { id, cluster_id } = await make(peer, 'job-executions');
    const patch = (body: object) => change(peer, 'job-executions', id, body);
    const status = async () => (await show(peer, 'job-executions', id)).info.status as string;
    const reach = async (wanted: string) => {
      for (let step = 0; step < 100 && (await status()) !== wanted; step += 1) await clock.advance(500);
      expect(await status()).toBe(wanted);
    };
    return { clock, peer, id, cluster_id, patch, status, reach };
  }
  const suspend = { info: { status: 'suspend' } };

  test('nothing as long as the cluster is not Active', async () => {
    const { patch } = await scene();
    expect(refused(await patch({ is_public: true }))).toEqual([400, 'INVALID_DATA']);
    expect(refused(await patch(suspend))).toEqual([400, 'INVALID_DATA']);
  });

  test.each([
    ['PREP', 'PREPSUSPENDED'],
    ['RUNNING', 'SUSPENDED'],
  ])('suspend in %s: TOBESUSPENDED, then %s for good', async (before, after) => {
    const { clock, patch, reach, status, peer, id } = await scene();
    await reach(before);
    const { status: code, body } = await patch(suspend);
    expect([code, body.job_execution.info]).toEqual([202, { status: 'TOBESUSPENDED' }]);
    await reach(after);
    await clock.advance(60_000);
    expect(await status()).toBe(after);
    expect(refused(await patch(suspend))).toEqual([400, 'SUSPENDING_FAILED']);
    expect((await peer.get(at(`job-executions/${id}/cancel`))).status).toBe(200);
    await reach('KILLED');
  });

  test('does not put off how it goes on', async () => {
    const { clock, patch, reach, status } = await scene();
    await reach('RUNNING');
    for (let passed = 0; passed < 1000; passed += 250) {
      expect((await patch({ is_public: passed % 500 === 0 })).status).toBe(202);
      await clock.advance(250);
    }
    expect(await status()).toBe('SUCCEEDED');
  });

  test('a cancel in between ends it', async () => {
    const { patch, reach, peer, id } = await scene();
    await reach('RUNNING');
    await patch(suspend);
    await peer.get(at(`job-executions/${id}/cancel`));
    await reach('KILLED');
  });

  test('cancel is taken and does nothing; one that is over cannot be suspended', async () => {
    const { patch, reach, status } = await scene();
    await reach('RUNNING');
    expect((await patch({ info: { status: 'cancel' } })).status).toBe(202);
    expect(await status()).toBe('RUNNING');
    await reach('SUCCEEDED');
    expect(refused(await patch(suspend))).toEqual([400, 'SUSPENDING_FAILED']);
  });

  test.each([
    [{ ...suspend, is_public: true }, 'INVALID_JOB_STATUS'],
    [{ info: { status: 'resume' } }, 'VALIDATION_ERROR'],
    [{ info: { status: 'suspend', more: 1 } }, 'VALIDATION_ERROR'],
    [{ job_configs: {} }, 'VALIDATION_ERROR'],
  ])('%j: %s', async (body, name) => {
    const { patch, reach, status } = await scene();
    await reach('RUNNING');
    expect(refused(await patch(body))).toEqual([400, name]);
    expect(await status()).toBe('RUNNING');
  });

  test('the engine of some types cannot', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 1000 });
    const fake = { plugin_name: 'fake', hadoop_version: '0.1' };
    const { id: cluster_id } = await make(peer, 'clusters', fake);
    const script = await make(peer, 'job-binaries');
    const job = await make(peer, 'jobs', { type: 'Spark', mains: [script.id] });
    const body = { cluster_id, job_configs: { configs: { 'edp.java.main_class': 'Main' } } };
    const run = (await peer.post(at(`jobs/${job.id}/execute`), body)).body.job_execution;
    await clock.advance(8500);
    expect(refused(await change(peer, 'job-executions', run.id, suspend))).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('a protected one is not suspended', async () => {
    const peer = await late();
    const { id, cluster_id } = await make(peer, 'job-executions', { is_protected: true });
    await untilActive(peer, cluster_id);
    expect(refused(await change(peer, 'job-executions', id, suspend))).toEqual([400, 'UPDATE_FAILED']);
    await until(
      () => peer.get(at(`job-executions/${id}`)),
      ({ body }) => body.job_execution.info.status === 'SUCCEEDED',
    );
  });
});
