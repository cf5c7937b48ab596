// The account that the supervisor keeps of its programs, also of those that another one wraps.
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { prepareDirectory } from '../../dev/plane/directory.ts';
import { childOf } from '../../dev/plane/node/children.ts';
import { startSupervisor } from '../../dev/plane/supervisor.ts';
import { limitMs } from '../support/patience.ts';
import { isGone, temporaryFolder } from './support.ts';

// It forks and waits, without the rights that new namespaces take.
const sleeper = { name: 'sleeper', command: 'unshare', args: ['--fork', 'sleep', '600'], wraps: true };

it.skipIf(process.platform !== 'linux').each(['kill', 'close'] as const)('%s ends both', async (order) => {
  const directory = await prepareDirectory(join(await temporaryFolder(), 'plane'));
  const supervisor = await startSupervisor(directory, () => undefined);
  onTestFinished(async () => supervisor.close());
  const outer = await supervisor.start({ ...sleeper, log: join(directory, 'logs', 'sleeper.log') });
  const inner = await vi.waitFor(() => childOf(outer) ?? expect.fail('it has no child'), limitMs);
  await (order === 'kill' ? supervisor.kill('sleeper') : supervisor.close());
  expect([outer, inner].map(isGone)).toEqual([true, true]);
});

it('whoever asks for a process learns that it ended with the supervisor', async () => {
  const directory = await prepareDirectory(join(await temporaryFolder(), 'plane'));
  const supervisor = await startSupervisor(directory, () => undefined);
  const args = ['-e', 'setInterval(() => undefined, 60_000)'];
  const log = join(directory, 'logs', 'one.log');
  await supervisor.start({ name: 'one', command: process.execPath, args, log });
  await supervisor.close();
  expect([...supervisor.ended]).toEqual([['one', 'the supervisor']]);
  expect(supervisor.running.size).toBe(0);
});
