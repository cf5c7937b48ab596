// The service as a process: a mistake on the command line, the log, the end. More of them: main.long.test.ts.
import { expect, test } from 'vitest';
import { connect } from '../../contract/support.ts';
import { runService, startService } from '../support/process.ts';

const path = '/v1.0/t/node-group-templates';

test('a wrong flag is one line on standard error, and no service', async () => {
  const { code, output, errors } = await runService('--dialect', 'klingon');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^cannot read flags: --dialect: must be one of neutral, sahara, savanna\n$/);
});

test('it listens, answers and ends; requests are logged, tokens are not', async () => {
  const service = await startService('--token', 'swordfish', '--seed', '1');
  const peer = connect(service.url);
  await peer.send('GET', path, undefined, { 'x-auth-token': 'swordfish' });
  await peer.send('GET', path, undefined, { 'x-auth-token': 'catfish' });
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  const lines = service
    .errors()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const requests = lines.filter(({ action }) => action === 'GET');
  expect(requests.map(({ outcome }) => outcome)).toEqual(['200', '401']);
  expect(lines.map(({ action }) => action)).toContain('SIGTERM');
  expect(service.errors()).not.toMatch(/fish/);
});
