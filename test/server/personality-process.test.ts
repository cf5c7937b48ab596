// Personalities of the service as a process: by flag, by file, over the control port; and what of it outlives a kill.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Json, startBody, until, workers } from '../contract/support.ts';
import { runService, startService } from './process.ts';

const path = '/v1.0/t/node-group-templates';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'personality-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function writePersonality(folder: string, text: string): string {
  const file = join(folder, 'personality.yaml');
  writeFileSync(file, text);
  return file;
}

test('by flag', async () => {
  const service = await startService('--error-rate', '1');
  expect((await connect(service.url).get(path)).body.error_name).toBe('INTERNAL_SERVER_ERROR');
  await service.kill('SIGTERM');
});

test('a lost answer by file: the object that nobody heard of outlives a kill', async () => {
  const folder = createFolder();
  const data = ['--data', join(folder, 'data.db')];
  const fault = '{ method: POST, nth: 2, answer: { is: cut } }';
  const moody = await startService(...data, '--personality', writePersonality(folder, `faults: [${fault}]`));
  const peer = connect(moody.url);
  expect((await peer.post(path, { ...workers, name: 'heard' })).status).toBe(202);
  await expect(peer.post(path, { ...workers, name: 'unheard' })).rejects.toThrow('fetch failed');
  await moody.kill('SIGKILL');
  const plain = await startService(...data);
  const { node_group_templates } = (await connect(plain.url).get(path)).body;
  expect(node_group_templates.map(({ name }: Json) => name)).toEqual(['heard', 'unheard']);
  await plain.kill('SIGKILL');
});

test('a cluster that is stuck when the service is killed goes on in one that behaves', async () => {
  const data = ['--data', join(createFolder(), 'data.db'), '--stage-ms', '1'];
  const node_groups = [{ name: 'g', count: 1, flavor_id: '1', node_processes: ['namenode'] }];
  const status = (url: string, wanted: string) =>
    until(
      () => connect(url).get('/v1.0/t/clusters'),
      ({ body }) => body.clusters[0].status === wanted,
    );
  const moody = await startService(...data, '--stuck', 'Configuring');
  await connect(moody.url).post('/v1.0/t/clusters', { ...startBody, node_groups });
  await status(moody.url, 'Configuring');
  await moody.kill('SIGKILL');
  const plain = await startService(...data);
  await status(plain.url, 'Active');
  await plain.kill('SIGKILL');
});

test('over the control port, whose address is the second line; nothing of it is left when the service ends', async () => {
  const service = await startService('--control-port', '0', '--list-lag-ms', '5');
  const [, address = ''] = await service.lines(2);
  expect(address).toMatch(/^control on http:\/\/127\.0\.0\.1:\d+$/);
  const control = connect(address.replace('control on ', ''));
  expect((await control.get('/personality')).body).toEqual({ listLagMs: 5 });
  await control.put('/personality', { faults: [{ answer: { is: 'text' } }] });
  expect(typeof (await connect(service.url).get(path)).body).toBe('string');
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  await expect(control.get('/personality')).rejects.toThrow('fetch failed');
});

test('a file that is wrong is told by field, and no service starts', async () => {
  const file = writePersonality(createFolder(), 'faults: [{ path: cluster, delayMs: 1 }]');
  const { code, output, errors } = await runService('--personality', file);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^cannot read personality .*: faults\[0\]\[path\]: /);
});
