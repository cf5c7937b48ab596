// A killed service loses nothing that it answered, and goes on with what was under way.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCluster, createJob, statusOf } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, type Json, startBody, untilActive, workers } from '../../../contract/support.ts';
import { startDevService, startService } from '../../support/process.ts';

const path = '/v1.0/t/node-group-templates';

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

test('killed in the middle of writes, at any point, every answered one is there', async () => {
  const file = createFile();
  const ledger: Ledger = { present: new Map(), gone: new Set(), open: new Set() };
  for (let life = 0; life < 5; life += 1) {
    const service = await startService('--data', file, '--log-level', 'silent');
    await check(service.url, ledger);
    const written = Promise.all(['a', 'b', 'c', 'd'].map((writer) => write(service.url, `${writer}${life}x`, ledger)));
    const enough = ledger.gone.size + 5 + Math.floor(Math.random() * 40);
    while (ledger.gone.size < enough) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    expect((await service.kill('SIGKILL')).signal).toBe('SIGKILL');
    await written;
  }
  const service = await startService('--data', file);
  await check(service.url, ledger);
  await service.kill('SIGKILL');
  expect(ledger.present.size).toBeGreaterThan(25);
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

test('registrations, tags and their end outlive a kill', async () => {
  const flags = ['--data', createFile(), '--images', 'one:unregistered,two,three'];
  const images = '/v1.0/t/images';
  let service = await startService(...flags);
  const peer = connect(service.url);
  await peer.post(`${images}/one`, { username: 'ubuntu', description: 'the first' });
  await peer.post(`${images}/one/tag`, { tags: ['a', 'b'] });
  await peer.post(`${images}/one/untag`, { tags: ['a'] });
  expect((await peer.remove(`${images}/two`)).status).toBe(204);
  const { body } = await peer.get(images);
  await service.kill('SIGKILL');
  service = await startService(...flags);
  expect((await connect(service.url).get(images)).body).toEqual(body);
  expect(body.images.map(({ id }: Json) => id)).toEqual(['one', 'three']);
  expect(body.images[0]).toMatchObject({ username: 'ubuntu', tags: ['b'] });
  expect((await connect(service.url).get('/v1.0/u/images')).body.images).toHaveLength(2);
  await service.kill('SIGKILL');
  // Another catalog: what is noted on an image that is gone stays out of sight.
  service = await startService('--data', flags[1] ?? '', '--images', 'three');
  expect((await connect(service.url).get(images)).body.images.map(({ id }: Json) => id)).toEqual(['three']);
  await service.kill('SIGKILL');
});

test('with the same seed, a later life gives out other identifiers', async () => {
  const flags = ['--data', createFile(), '--seed', '1'];
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const service = await startService(...flags);
    const { body } = await connect(service.url).post(path, { ...workers, name });
    ids.push(body.node_group_template.id);
    await connect(service.url).remove(`${path}/${body.node_group_template.id}`);
    await service.kill('SIGKILL');
  }
  expect(new Set(ids).size).toBe(3);
});

test('killed while jobs run, their executions get where they were going', async () => {
  const flags = ['--data', createFile(), '--stage-ms', '150', '--execution-end', 'nightly=done-with-error'];
  let service = await startDevService(...flags);
  const peer = connect(service.url);
  const [job, nightly] = [await createJob(peer), await createJob(peer, 'neutral', { name: 'nightly' })];
  const cluster = await createCluster(peer);
  const execute = async ({ id }: Json): Promise<string> =>
    (await peer.post(`/v1.1/t/jobs/${id}/execute`, { cluster_id: cluster.id })).body.job_execution.id;
  const ids = [await execute(job), await execute(nightly)];
  await untilActive(peer, cluster.id);
  await service.kill('SIGKILL');
  service = await startDevService(...flags);
  const after = connect(service.url);
  for (const [index, end] of ['SUCCEEDED', 'DONEWITHERROR'].entries())
    await expect.poll(() => statusOf(after, ids[index] ?? '')).toBe(end);
  const bytes = await after.get(`/v1.1/t/job-binaries/${job.mains[0].id}/data`);
  expect(bytes.text).toBe(`the bytes of ${job.mains[0].name}`);
  await service.kill('SIGKILL');
});
