// Simulated jobs name flavors, too: those that exist for their tenant.
import { expect, test } from 'vitest';
import { base, createCluster, createJob } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { serve } from '../../../contract/support.ts';

type Catalog = NonNullable<NonNullable<Parameters<typeof serve>[0]>['catalog']>;

async function executeWith(flavor: string, catalog?: Catalog) {
  const peer = await serve(catalog && { catalog });
  const [job, cluster] = [await createJob(peer, 'neutral'), await createCluster(peer, 'neutral')];
  const body = { cluster_id: cluster.id, job_configs: { configs: { 'edp.flavor': flavor } } };
  const { status, body: answer } = await peer.post(`${base}/jobs/${job.id}/execute`, body);
  return [status, answer.error_name, answer.error_message];
}

test('a flavor that exists is accepted', async () => {
  expect((await executeWith('3'))[0]).toBe(202);
});

test('an unknown one is refused with those that there are', async () => {
  const why = 'configs have edp.flavor "large", and there is no such flavor; there are 1 to 5, or any in UUID form';
  expect(await executeWith('large')).toEqual([400, 'INVALID_DATA', expect.stringContaining(why)]);
});

test('one of another tenant is refused like one that does not exist', async () => {
  const flavors = [...['1', '2', '3'].map((id) => ({ id })), { id: 'theirs', tenants: ['other'] }];
  const why = 'configs have edp.flavor "theirs", and there is no such flavor; there are 1, 2, 3';
  expect(await executeWith('theirs', { flavors })).toEqual([400, 'INVALID_DATA', expect.stringContaining(why)]);
});
