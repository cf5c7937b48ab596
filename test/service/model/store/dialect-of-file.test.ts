// A data file goes on in the dialect that wrote it, at the stage that it names.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, startBody } from '../../../contract/support.ts';
import { runService, startService } from '../../support/process.ts';

function createFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dialect-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data.db');
}

const clusters = '/v1.1/t/clusters';

test('killed in sahara, a start does not go on in neutral: it is refused, and goes on in sahara', async () => {
  const file = createFile();
  const flags = ['--data', file, '--stage-ms', '100', '--stage-ms', 'Spawning=60000'];
  const first = await startService('--dialect', 'sahara', ...flags);
  const { bigdata_version: hadoop_version, ...rest } = startBody;
  const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
  const network = { neutron_management_network: rest.default_image_id };
  const peer = connect(first.url);
  const { cluster } = (await peer.post(clusters, { ...rest, hadoop_version, ...network, node_groups })).body;
  await expect.poll(async () => (await peer.get(`${clusters}/${cluster.id}`)).body.cluster.status).toBe('Spawning');
  await first.kill('SIGKILL');
  const refused = await runService('--port', '0', '--dialect', 'neutral', '--data', file);
  expect(refused).toEqual({
    code: 1,
    signal: null,
    output: '',
    errors: `cannot open data file ${file}: it was written with --dialect sahara, not neutral; start with that dialect, or name another file with --data\n`,
  });
  const second = await startService('--dialect', 'sahara', '--data', file, '--stage-ms', '10');
  const after = connect(second.url);
  await expect.poll(async () => (await after.get(`${clusters}/${cluster.id}`)).body.cluster.status).toBe('Active');
  expect((await after.get(`${clusters}/${cluster.id}`)).body.cluster.node_groups[0].instances).toHaveLength(2);
  await second.kill('SIGTERM');
});
