// A killed service loses nothing that it answered, and goes on with what was under way.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCluster, createJob, statusOf } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, imageId, type Json, type Peer, startBody, untilActive, workers } from '../../../contract/support.ts';
import { startDevService, startService } from '../../support/process.ts';

const path = '/v1.0/t/node-group-templates';

/** The data file of a service, which goes with the test. */
function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'durability-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

/** What was answered, and what was sent without an answer: that may or may not have happened. */
interface Ledger {
  readonly present: Map<string, string>;
  readonly gone: Set<string>;
  readonly open: Set<string>;
}

/** Creates templates and deletes every third one until the service is gone; notes each answer. */
async function write(url: string, name: string, ledger: Ledger): Promise<void> {
  const peer = connect(url);
  for (let index = 0; ; index += 1) {
    try {
      const { status, body } = await peer.post(path, { ...workers, name: `${name}-${index}` });
      expect(status).toBe(202);
      const { id } = body.node_group_template as Json;
      expect(ledger.present.has(id) || ledger.gone.has(id), 'an identifier is given out again').toBe(false);
      ledger.present.set(id, `${name}-${index}`);
      if (index % 3 !== 0) continue;
      ledger.open.add(id);
      expect((await peer.remove(`${path}/${id}`)).status).toBe(204);
      ledger.open.delete(id);
      ledger.present.delete(id);
      ledger.gone.add(id);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function check(url: string, ledger: Ledger): Promise<void> {
  const { body } = await connect(url).get(path);
  const found = new Map<string, string>(body.node_group_templates.map(({ id, name }: Json) => [id, name]));
  for (const [id, name] of ledger.present) if (!ledger.open.has(id)) expect(found.get(id)).toBe(name);
  for (const id of ledger.gone) expect(found.has(id)).toBe(false);
  // What is open has been decided by the file; from now on that counts.
  for (const id of ledger.open) if (!found.has(id)) ledger.present.delete(id);
  ledger.open.clear();
}

test('killed in the middle of writes, at any point, every answered one is there, and no identifier comes twice', async () => {
  // All lives have the same seed.
  const flags = ['--data', createFile(), '--log-level', 'silent', '--seed', '1'];
  const ledger: Ledger = { present: new Map(), gone: new Set(), open: new Set() };
  for (let life = 0; life < 5; life += 1) {
    const service = await startService(...flags);
    await check(service.url, ledger);
    const names = ['a', 'b', 'c', 'd'].map((writer) => `${writer}${life}x`);
    const written = Promise.all(names.map((name) => write(service.url, name, ledger)));
    const enough = ledger.gone.size + 9 + Math.floor(Math.random() * 40);
    while (ledger.gone.size < enough) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    expect((await service.kill('SIGKILL')).signal).toBe('SIGKILL');
    await written;
  }
  const service = await startService(...flags);
  await check(service.url, ledger);
  await service.kill('SIGKILL');
  // Of the nine that a life deletes at least, five are not the first one of their writer, and two were made before each of these.
  expect(ledger.present.size).toBeGreaterThanOrEqual(50);
});

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
