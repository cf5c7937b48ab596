// Personalities of the service as a process: by flag and by file; what of them outlives a kill; and the token of the control port.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Json, startBody, until, workers } from '../contract/support.ts';
import { runDevService, startDevService } from '../service/support/process.ts';
import { controlOf } from './control-process.ts';

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
  const service = await startDevService('--error-rate', '1');
  expect((await connect(service.url).get(path)).body.error_name).toBe('INTERNAL_SERVER_ERROR');
  await service.kill('SIGTERM');
});

test('a lost answer by file: the object that nobody heard of outlives a kill', async () => {
  const folder = createFolder();
  const data = ['--data', join(folder, 'data.db')];
  const fault = '{ method: POST, nth: 2, answer: { is: cut } }';
  const moody = await startDevService(...data, '--personality', writePersonality(folder, `faults: [${fault}]`));
  const peer = connect(moody.url);
  expect((await peer.post(path, { ...workers, name: 'heard' })).status).toBe(202);
  await expect(peer.post(path, { ...workers, name: 'unheard' })).rejects.toThrow('fetch failed');
  await moody.kill('SIGKILL');
  const plain = await startDevService(...data);
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
  const moody = await startDevService(...data, '--stuck', 'Configuring');
  await connect(moody.url).post('/v1.0/t/clusters', { ...startBody, node_groups });
  await status(moody.url, 'Configuring');
  await moody.kill('SIGKILL');
  const plain = await startDevService(...data);
  await status(plain.url, 'Active');
  await plain.kill('SIGKILL');
});

test('the token of the control port: made where it is missing, and the same the next time', async () => {
  const file = join(createFolder(), 'token');
  const flags = ['--control-port', '0', '--control-token-file', file];
  const tokens: string[] = [];
  for (let life = 0; life < 2; life += 1) {
    const service = await startDevService(...flags);
    const { control, file: told } = await controlOf(service);
    expect([told, (await control.get('/counts')).status]).toEqual([file, 200]);
    tokens.push(readFileSync(file, 'utf8'));
    await service.kill('SIGTERM');
  }
  expect([statSync(file).mode & 0o777, tokens[0]]).toEqual([0o600, tokens[1]]);
  expect(tokens[0]).toMatch(/^[\w-]{32}\n$/);
});

test.each(['', 'two words', 'sm\u00f6rg\u00e5s'])('a token %j is none: one line, and no service', async (text) => {
  const file = join(createFolder(), 'token');
  writeFileSync(file, text);
  const { code, errors } = await runDevService('--port', '0', '--control-port', '0', '--control-token-file', file);
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining(`cannot use --control-token-file ${file}: it has to hold`),
  ]);
});

test('a file that is wrong is told by field, and no service starts', async () => {
  const file = writePersonality(createFolder(), 'faults: [{ path: cluster, delayMs: 1 }]');
  const { code, output, errors } = await runDevService('--personality', file);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^cannot read personality .*: faults\[0\]\[path\]: /);
});
