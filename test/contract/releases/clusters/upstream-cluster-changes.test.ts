// PATCH of clusters in late upstream releases: what does not concern machines, and verification.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import { known, serve, unknownId } from '../../support.ts';
import { change, late, make, ready, show } from '../general/upstream-support.ts';

describe('sahara: PATCH /clusters/{id}', () => {
  test('description and shares; machines and status are untouched', async () => {
    const peer = await late();
    const { id } = await ready(peer, 'clusters');
    const before = await show(peer, 'clusters', id);
    const shares = [{ id: unknownId, path: '/mnt', access_level: 'ro' }];
    const { body } = await change(peer, 'clusters', id, { description: 'mine', shares });
    // Elsewhere a second may have passed.
    const updated_at = known(before.updated_at, /^\d{4}-\d\d-\d\dT/);
    expect(body.cluster).toEqual({ ...before, description: 'mine', shares, updated_at });
    expect((await change(peer, 'clusters', id, { description: null })).body.cluster.description).toBeNull();
  });

  test('a cluster under way goes on', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 100 });
    const { id } = await make(peer, 'clusters');
    await clock.advance(250);
    const { status } = await show(peer, 'clusters', id);
    expect((await change(peer, 'clusters', id, { name: 'renamed' })).body.cluster).toMatchObject({ status });
    await clock.advance(1000);
    expect(await show(peer, 'clusters', id)).toMatchObject({ status: 'Active', name: 'renamed' });
  });

  test.each([{ node_groups: [] }, { update_keypair: true }, { name: null }, { shares: null }, { shares: [{}] }])(
    '%j is refused',
    async (body) => {
      const peer = await late();
      const { id } = await ready(peer, 'clusters');
      expect(refused(await change(peer, 'clusters', id, body))).toEqual([400, 'VALIDATION_ERROR']);
    },
  );

  test('verification: of an Active cluster, alone, and of a protected one, too', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 100 });
    const { id } = await make(peer, 'clusters', { is_protected: true, is_public: true });
    const verification = { status: 'START' };
    const verify = (body: object, tenant = 't') => change(peer, 'clusters', id, body, tenant);
    expect(refused(await verify({ verification }))).toEqual([400, 'CANNOT_VERIFY']);
    await clock.advance(1000);
    expect(refused(await verify({ verification, name: 'x' }))).toEqual([400, 'CANNOT_VERIFY']);
    expect(refused(await verify({ verification }, 'other'))).toEqual([400, 'UPDATE_FAILED']);
    expect(refused(await verify({ verification: { status: 'STOP' } }))).toEqual([400, 'VALIDATION_ERROR']);
    const { status, body } = await verify({ verification });
    expect([status, body.cluster.verification]).toMatchObject([
      202,
      { cluster_id: id, status: 'CHECKING', checks: [] },
    ]);
    await clock.advance(0);
    const shown = (await show(peer, 'clusters', id)).verification;
    expect(shown).toMatchObject({ id: body.cluster.verification.id, status: 'GREEN', checks: [{ status: 'GREEN' }] });
  });
});
