// A personality of the service as a process: by flag, and over the control port. More of them: personality-process.long.test.ts.
import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../contract/support.ts';
import { startDevService } from '../service/support/process.ts';
import { controlOf } from './control-process.ts';

const path = '/v1.0/t/node-group-templates';

test('over the control port, whose address and token are told; nothing of it is left when the service ends', async () => {
  const service = await startDevService('--control-port', '0', '--list-lag-ms', '5');
  const { control, file } = await controlOf(service);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await control.get('/personality')).body).toEqual({ listLagMs: 5 });
  await control.put('/personality', { faults: [{ answer: { is: 'text' } }] });
  expect(typeof (await connect(service.url).get(path)).body).toBe('string');
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  await expect(control.get('/personality')).rejects.toThrow('fetch failed');
  expect(existsSync(file)).toBe(false);
});
