// `npm run contract` against a service that is not ours: one that keeps the interface passes, and a run that ends early leaves nothing.
import { expect, test } from 'vitest';
import type { Running } from '../../support/command.ts';
import { cloud, flagsFor, leftBehind, runContract, runOther, startContract, token } from '../command.ts';
import { images, startOther } from '../foreign/other-service.ts';

test('a service with another plugin, other wording and order, and more fields passes with what it has', async () => {
  const { failed, code, output, inapplicable, endpoint } = await runOther('neutral', undefined, '--section', '4.3');
  expect(failed).toEqual([]);
  expect(output).toContain('plugin beehive 9.0 (queen-coordinator and bee-worker), flavor 77777');
  expect(output).toContain(`image ${images.ready}`);
  expect(code).toBe(0);
  expect(inapplicable).toMatchObject({ 'the interface does not promise which problems a message tells': 1 });
  expect(await leftBehind(endpoint)).toEqual({});
});

/** Until the tests run, and have made something. */
async function inTheMiddle(run: Running, endpoint: string): Promise<void> {
  await expect.poll(run.output).toMatch(/^passed/m);
  await expect.poll(() => leftBehind(endpoint), { interval: 1 }).not.toEqual({});
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('what was made is deleted when the run gets %s', async (signal, exit) => {
  const endpoint = await startOther('neutral', token);
  const run = startContract(...flagsFor(endpoint, 'neutral'), ...cloud);
  await inTheMiddle(run, endpoint);
  run.signal(signal);
  const { code, output } = await run.ended;
  expect([code, output]).toEqual([exit, expect.stringContaining('interrupted: deleting what the run has made')]);
  expect(output).not.toContain('FAILED');
  expect(await leftBehind(endpoint)).toEqual({});
});

test('what was made is deleted on request when the run was killed', async () => {
  const endpoint = await startOther('sahara', token);
  const run = startContract(...flagsFor(endpoint, 'sahara'), ...cloud, '--section', 'upstream');
  await inTheMiddle(run, endpoint);
  run.signal('SIGKILL');
  const { output } = await run.ended;
  const [, mark = ''] = /; run (\w+)$/m.exec(output) ?? [];
  const { code } = await runContract(...flagsFor(endpoint, 'sahara'), '--clean-up', mark);
  expect([code, await leftBehind(endpoint)]).toEqual([0, {}]);
});
