// What a kubelet and a user see of a service that listens on all addresses.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/process.ts';

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

test('a service that could not run for a second has that in its metrics, and only in one scrape', async () => {
  const service = await startService();
  onTestFinished(() => service.kill('SIGTERM').then(() => undefined));
  const scrape = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^dataprocessing_service_eventloop_lag_max_seconds (.*)$/m.exec(text)?.[1]);
  };
  const stopAndScrape = async () => {
    process.kill(service.pid, 'SIGSTOP');
    await sleep(1_500);
    process.kill(service.pid, 'SIGCONT');
    return await scrape();
  };
  // A scrape begins a new measurement with the next turn, so a stop right after one is not seen.
  await expect.poll(stopAndScrape).toBeGreaterThan(1);
  await expect.poll(scrape).toBeLessThan(1);
});
