// What `logs` prints, and with which outcome.
import { expect, test } from 'vitest';
import type { LogWish } from '../../../src/cli/arguments/cli-flags.ts';
import { printLogs } from '../../../src/cli/logs/logs-command.ts';
import { failed, running, type SceneOptions, scene, stalled, succeeded } from '../scene.ts';

async function logs(options: SceneOptions, wish: Partial<LogWish> = {}) {
  const { access, printer, told, printed } = scene(options);
  const whole = { execution: 'etl', follow: true, tail: undefined, hideInfo: false, ...wish };
  const ended = printLogs(access, whole, printer).catch((error: Error) => error.message);
  return { ended: await ended, told, printed: printed() };
}

const outputs = { one: 'of one\n', two: 'of two\n' };

test.each([
  [succeeded, 0, 'etl ended as Succeeded: why'],
  [failed, 1, 'etl ended as Failed: why'],
])('a followed run has an outcome, also if it ended before', async (status, code, outcome) => {
  const ended = { ...status, id: 'one' };
  const expected = { ended: code, printed: 'of one\n' };
  expect(await logs({ statuses: [ended, ended], outputs })).toEqual({ ...expected, told: [outcome] });
  const statuses = [stalled('UpstreamError'), { ...running, id: 'one' }, ended];
  expect(await logs({ statuses, outputs })).toEqual({
    ...expected,
    told: ['etl is Pending: UpstreamError: why', 'etl is Running: it runs', outcome],
  });
});

test.each([
  [3, 3],
  [137, 137],
  [255, 255],
  [undefined, 1],
  [0, 1],
  [256, 1],
  [-1, 1],
])('a program that fails with %s is one with %s', async (exitCode, code) => {
  const ended = { ...failed, id: 'one', termination: { exitCode } };
  expect((await logs({ statuses: [ended, ended], outputs })).ended).toBe(code);
  const stuck = { ...stalled('InvalidSpec'), termination: { exitCode } };
  expect((await logs({ statuses: [stuck] })).ended).toBe(1);
});

test('a run that is repeated is followed to the last try', async () => {
  const statuses = [
    { ...running, id: 'one' },
    { ...running, id: 'two' },
    { ...succeeded, id: 'two' },
  ];
  expect(await logs({ statuses, outputs })).toMatchObject({ ended: 0, printed: 'of one\nof two\n' });
});

test('what never runs without a change by the user is no success', async () => {
  const { ended, told } = await logs({ statuses: [stalled('InvalidSpec')] });
  expect([ended, told]).toEqual([1, [expect.stringMatching(/^etl needs a change by you: InvalidSpec: why\./)]]);
});

test('an output that cannot be shown is an error, whatever the outcome is', async () => {
  const ended = { ...succeeded, id: 'none' };
  expect((await logs({ statuses: [ended, ended], outputs })).ended).toMatch(/has no output of etl \(run none\)/);
});

test('without following, the outcome is not asked for', async () => {
  const wish = { follow: false };
  expect(await logs({ statuses: [{ ...failed, id: 'one' }], outputs }, wish)).toEqual({
    ended: 0,
    told: [],
    printed: 'of one\n',
  });
  expect((await logs({ statuses: [failed] }, wish)).ended).toBe('etl has no run: it is Failed: why');
  expect((await logs({ statuses: [{}] }, wish)).ended).toBe('etl has no run: it is Pending');
});
