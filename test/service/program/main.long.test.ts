// The service as a process: help, other mistakes on the command line, signals, fixtures.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, workers } from '../../contract/support.ts';
import { runService, startService } from '../support/process.ts';

const path = '/v1.0/t/node-group-templates';

test('--help explains and ends well', async () => {
  const { code, output, errors } = await runService('--help');
  expect([code, errors]).toEqual([0, '']);
  expect(output).toContain('Usage: npm run service');
});

test('a data file that cannot be opened is one line on standard error', async () => {
  const { code, errors } = await runService('--port', '0', '--data', '/nowhere/at/all.db');
  expect(code).toBe(1);
  expect(errors).toMatch(/^cannot open data file \/nowhere\/at\/all.db: ENOENT: no such file or directory.*\n$/);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it well, even while somebody is connected', async (signal) => {
  const service = await startService();
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await connect(service.url).get(path)).status).toBe(200);
  expect(await service.kill(signal)).toEqual({ code: 0, signal: null });
});

test('a request that never gets complete does not keep it from ending', async () => {
  const service = await startService();
  const { hostname, port } = new URL(service.url);
  const socket = createConnection(Number(port), hostname);
  socket.on('error', () => {});
  socket.write('POST /v1.0/t/clusters HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
  expect((await connect(service.url).get(path)).status).toBe(200);
  expect((await service.kill('SIGTERM')).code).toBe(0);
  socket.destroy();
});

test('flags arrive: dialect, token, flavors', async () => {
  const service = await startService('--dialect', 'sahara', '--token', 'secret=t', '--flavors', '42');
  const peer = connect(service.url);
  const { bigdata_version, ...rest } = workers;
  const body = { ...rest, hadoop_version: bigdata_version, flavor_id: '42' };
  expect((await peer.post(path, body)).status).toBe(401);
  expect((await peer.send('POST', path, body, { 'x-auth-token': 'secret' })).status).toBe(202);
  await service.kill('SIGTERM');
});

test('--auth keystone without a Keystone is refused before anything is kept, with what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keystone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, output, errors } = await runService('--auth', 'keystone', '--data', join(folder, 'service.db'));
  expect([code, output]).toEqual([1, '']);
  expect(errors).toBe(
    'cannot read flags: --auth keystone needs --auth-url: name the Keystone that validates tokens, or use --token-file instead\n',
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('the product issues no tokens', async () => {
  const { code, errors } = await runService('--auth', 'keystone', '--identity');
  expect([code, errors]).toEqual([1, expect.stringContaining('--identity')]);
});

test('fixtures are there when it listens, and again after a restart with the same data', async () => {
  const file = join(import.meta.dirname, '..', '..', '..', 'examples', 'service', 'fixtures.yaml');
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const flags = ['--load', file, '--data', join(folder, 'service.db'), '--seed', '1', '--log-level', 'info'];
  const rows = async () => {
    const service = await startService(...flags);
    const { body } = await connect(service.url).get('/v1.1/demo/node-group-templates');
    const loaded = /loaded \d+ objects; \d+ existed already/.exec(service.errors())?.[0];
    await service.kill('SIGTERM');
    return { loaded, ids: body.node_group_templates.map(({ id }: { id: string }) => id) };
  };
  const first = await rows();
  expect(first).toEqual({
    loaded: 'loaded 11 objects; 0 existed already',
    ids: [expect.anything(), expect.anything()],
  });
  expect(await rows()).toEqual({ ...first, loaded: 'loaded 0 objects; 11 existed already' });
});

test('fixtures that cannot be used are one line on standard error, and no service', async () => {
  const { code, output, errors } = await runService('--port', '0', '--load', '/nowhere.yaml');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^cannot load fixtures \/nowhere\.yaml: ENOENT.*\n$/);
});

test('objects of fixtures that cannot be made are a line each, and no service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'bad.yaml');
  const jobs = ['one', 'two'].map((name) => ({ name, type: 'Shell', mains: ['none'] }));
  writeFileSync(file, JSON.stringify({ tenants: { demo: { jobs } } }));
  const { code, output, errors } = await runService('--port', '0', '--load', file);
  expect([code, output]).toEqual([1, '']);
  expect(errors.split('\n')).toEqual([
    `cannot load fixtures ${file}: 2 of 2 objects cannot be created, so the service created none:`,
    expect.stringContaining('  tenants.demo.jobs[0].mains[0]: there is no job binary none; '),
    expect.stringContaining('  tenants.demo.jobs[1].mains[0]: there is no job binary none; '),
    '',
  ]);
});
