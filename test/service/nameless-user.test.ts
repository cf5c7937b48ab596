// The service runs as a user without a name, a home or variables, as in a pod with a user of its own. All programs: nameless-user.long.test.ts.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { limitMs } from '../support/patience.ts';
import { folderOf, inPods, skipIfHindered, start } from './support/nameless-user.ts';

skipIfHindered();

test('the service for clusters in pods answers, and keeps its data', async () => {
  const folder = folderOf();
  const service = start('src/service/program/main.ts', [...inPods(folder), '--data', join(folder, 'service.db')]);
  await vi.waitFor(() => expect(service.output()).toMatch(/^listening on /m), limitMs);
  const [, url = ''] = /^listening on (\S+)$/m.exec(service.output()) ?? [];
  const template = {
    name: 'workers',
    plugin_name: 'spark',
    bigdata_version: '4.1.2',
    flavor_id: '2',
    node_processes: ['slave'],
  };
  const created = await fetch(`${url}/v1.0/tenant/node-group-templates`, {
    method: 'POST',
    body: JSON.stringify(template),
    headers: { 'content-type': 'application/json' },
  });
  expect([await (await fetch(`${url}/healthz`)).text(), created.status]).toEqual(['ok\n', 202]);
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0 });
});
