// Whatever happens to the one who started a plane, the processes of the plane end with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { filesOf } from '../../dev/plane/directory.ts';
import { limitMs } from '../support/patience.ts';
import { cleanEnvironment, isGone, temporaryFolder } from './support.ts';

interface Held {
  readonly parent: ChildProcess;
  readonly directory: string;
  readonly supervisor: number;
  readonly pids: readonly number[];
}

async function hold(...args: readonly string[]): Promise<Held> {
  const { process: parent, lines } = run('hold.ts', args);
  const { directory, pids } = JSON.parse((await lines.next()).value ?? 'null') as { directory: string; pids: number[] };
  return { parent, directory, pids, supervisor: Number(await readFile(filesOf(directory).supervisor, 'utf8')) };
}

function run(script: string, args: readonly string[] = []) {
  const path = join(import.meta.dirname, script);
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [path, ...args], { stdio: [...stdio], env: cleanEnvironment() });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

async function expectNothingLeft({ directory, supervisor, pids }: Held): Promise<void> {
  await vi.waitFor(() => expect([supervisor, ...pids].filter((pid) => !isGone(pid))).toEqual([]), limitMs);
  expect(existsSync(directory)).toBe(false);
}

it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'the processes end with their parent on %s',
  async (signal) => {
    const held = await hold('supervisor', join(await temporaryFolder(), 'plane'));
    expect(held.pids.some(isGone)).toBe(false);
    held.parent.kill(signal);
    await expectNothingLeft(held);
  },
);

it('the processes end with the supervisor, while the directory stays for the parent to look into', async () => {
  const held = await hold('supervisor', join(await temporaryFolder(), 'plane'));
  process.kill(held.supervisor, 'SIGKILL');
  await vi.waitFor(() => expect(held.pids.filter((pid) => !isGone(pid))).toEqual([]), limitMs);
  expect(existsSync(held.directory)).toBe(true);
});

it.skipIf(inject('kubeconfig') === '')('a real plane ends with its parent on SIGKILL', async () => {
  const held = await hold('plane');
  expect(held.pids).toHaveLength(2);
  held.parent.kill('SIGKILL');
  await expectNothingLeft(held);
});

it.skipIf(inject('kubeconfig') === '')('a plane that is run by hand ends on Ctrl-C', async () => {
  const { process: main, lines } = run('../../dev/plane/main.ts');
  let line = '';
  while (!line.startsWith('export KUBECONFIG=')) line = (await lines.next()).value ?? expect.fail('it ended early');
  const kubeconfig = line.slice('export KUBECONFIG='.length);
  expect(existsSync(kubeconfig)).toBe(true);
  const exit = once(main, 'exit');
  main.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
  expect(existsSync(kubeconfig)).toBe(false);
});
