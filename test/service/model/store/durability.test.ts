// A killed service loses nothing that it answered, and goes on with what was under way.
import { expect, test } from 'vitest';
import { createCluster, createJob, statusOf } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, imageId, type Json, type Peer, startBody, untilActive } from '../../../contract/support.ts';
import { startDevService, startService } from '../../support/process.ts';
import { createFile, killedWhileWriting } from './durability.ts';

killedWhileWriting(2);

test('killed during a start and a scale, the cluster gets where it was going', async () => {
  const flags = ['--data', createFile(), '--stage-ms', '150', '--seed', '1'];
  const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
  let service = await startService(...flags);
  const { cluster } = (await connect(service.url).post('/v1.0/t/clusters', { ...startBody, node_groups })).body;
  await service.kill('SIGKILL');
  service = await startService(...flags);
  const active = await untilActive(connect(service.url), cluster.id);
  expect(active.node_groups[0].instances.map(({ instance_id }: Json) => instance_id)).toEqual(
    cluster.node_groups[0].instances.map(({ instance_id }: Json) => instance_id),
  );
  const resize = { resize_node_groups: [{ name: 'g', count: 4 }] };
  expect((await connect(service.url).put(`/v1.0/t/clusters/${cluster.id}`, resize)).status).toBe(202);
  await service.kill('SIGKILL');
  service = await startService(...flags);
  expect((await untilActive(connect(service.url), cluster.id)).node_groups[0].instances).toHaveLength(4);
  await service.kill('SIGKILL');
});

const images = '/v1.0/t/images';

/** Resolves to the list of images after registrations, tags and their end. */
async function changeImages(peer: Peer): Promise<readonly Json[]> {
  await peer.post(`${images}/one`, { username: 'ubuntu', description: 'the first' });
  await peer.post(`${images}/one/tag`, { tags: ['a', 'b'] });
  await peer.post(`${images}/one/untag`, { tags: ['a'] });
  await peer.post(`${images}/gone`, { username: 'ubuntu' });
  expect((await peer.remove(`${images}/two`)).status).toBe(204);
  const { body } = await peer.get(images);
  expect(body.images.map(({ id }: Json) => id)).toEqual(['one', 'three', imageId, 'gone']);
  expect(body.images[0]).toMatchObject({ username: 'ubuntu', tags: ['b'] });
  return body.images;
}

test('registrations, tags and their end outlive a kill, and executions get where they were going', async () => {
  const flags = ['--data', createFile(), '--stage-ms', '150', '--execution-end', 'nightly=done-with-error'];
  const catalog = `one:unregistered,two,three,${imageId}`;
  let service = await startDevService(...flags, '--images', `${catalog},gone:unregistered`);
  const peer = connect(service.url);
  const shown = await changeImages(peer);
  const [job, nightly] = [await createJob(peer), await createJob(peer, 'neutral', { name: 'nightly' })];
  const cluster = await createCluster(peer);
  const execute = async ({ id }: Json): Promise<string> =>
    (await peer.post(`/v1.1/t/jobs/${id}/execute`, { cluster_id: cluster.id })).body.job_execution.id;
  const ids = [await execute(job), await execute(nightly)];
  await untilActive(peer, cluster.id);
  await service.kill('SIGKILL');
  // What is noted on an image that the cloud has no more stays out of sight.
  service = await startDevService(...flags, '--images', catalog);
  const after = connect(service.url);
  expect((await after.get(images)).body.images).toEqual(shown.slice(0, -1));
  expect((await after.get('/v1.0/u/images')).body.images).toHaveLength(3);
  for (const [index, end] of ['SUCCEEDED', 'DONEWITHERROR'].entries())
    await expect.poll(() => statusOf(after, ids[index] ?? '')).toBe(end);
  const bytes = await after.get(`/v1.1/t/job-binaries/${job.mains[0].id}/data`);
  expect(bytes.text).toBe(`the bytes of ${job.mains[0].name}`);
  await service.kill('SIGKILL');
});
