// What a kubelet and a user see of a service that listens on all addresses.
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/process.ts';

test('health needs no token and logs nothing; the address that is printed is the one that was asked for', async () => {
  const service = await startService('--host', '0.0.0.0', '--token', 'secret', '--log-level', 'info');
  onTestFinished(() => service.kill('SIGTERM').then(() => undefined));
  expect(service.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  const url = service.url.replace('0.0.0.0', '127.0.0.1');
  const health = await fetch(`${url}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, 'ok\n']);
  expect((await fetch(`${url}/v1.1/demo/plugins`)).status).toBe(401);
  await expect.poll(() => service.errors()).toContain('answered /v1.1/demo/plugins');
  expect(service.errors()).not.toContain('healthz');
});
