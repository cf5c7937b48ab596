// The hook of a container that is being stopped: its process is told to hand over what its children do, and gets SIGTERM once they have ended.
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { graceOf, handOverHook } from '../../../../../src/service/backends/pods/manifests/drain-scripts.ts';
import { limitMs } from '../../../../support/patience.ts';
import { settingOf, sparkCluster } from '../clusters/scene.ts';

const { processes } = settingOf(sparkCluster()).engine;
const drain = processes.find(({ name }) => name === 'slave')?.drain;

/** Runs the hook for a process of a test in place of the first one of a container. Resolves to its exit code. */
function runHook(pid: number | undefined, seconds?: number): Promise<number | null> {
  const command = [...(handOverHook(drain)?.preStop.exec.command ?? [])];
  expect(command.splice(5, 1, `${pid}`)).toEqual(['1']);
  if (seconds !== undefined) command.splice(6, 1, `${seconds}`);
  const [file = '', ...args] = command;
  return new Promise((resolve) => void spawn(file, args, { stdio: 'ignore' }).on('exit', resolve));
}

/** A process whose child prints for each signal, and ends after so many of them. */
async function startParent(signals: number) {
  const child = `count=0; trap 'count=$((count + 1)); echo told; [ $count -lt ${signals} ] || exit 0' PWR; echo ready; while :; do sleep 0.1; done`;
  const script = `trap 'echo parent' PWR; sh -c "$1" & while :; do wait; sleep 0.1; done`;
  const parent = spawn('/bin/bash', ['-c', script, 'sh', child], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(() => void process.kill(-(parent.pid ?? 0), 'SIGKILL'));
  const told: string[] = [];
  parent.stdout.on('data', (text: Buffer) => told.push(...text.toString('utf8').trim().split('\n')));
  await vi.waitFor(() => expect(told).toContain('ready'), limitMs);
  return { pid: parent.pid, told };
}

test('waits until the children of the process have ended, and tells them again', async () => {
  const { pid, told } = await startParent(2);
  expect(await runHook(pid)).toBe(0);
  await vi.waitFor(() => expect(told.filter((line) => line === 'told')).toHaveLength(2), limitMs);
  expect(told).toContain('parent');
});

test('does not wait for longer than the pod has', async () => {
  const { pid, told } = await startParent(100);
  await runHook(pid, 2);
  expect(told.filter((line) => line === 'told').length).toBeLessThanOrEqual(2);
});

test('only processes with work to hand over have it, and get the time for it', () => {
  const hooks = processes.map(({ name, drain: each }) => [name, handOverHook(each) !== undefined]);
  expect(hooks.filter(([, has]) => has)).toEqual([['slave', true]]);
  expect([graceOf([undefined]), graceOf([undefined, drain])]).toEqual([10, 70]);
});
