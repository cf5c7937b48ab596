// The benchmark when a process that it needs ends: it ends, too, at once, and says which one it was.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';

/** Nothing of it would end by itself before the test does. */
const forever = ['--n', '5', '--templates', '1', '--provision-ms', '3600000'];
const idling = ['--n', '5', '--templates', '1', '--provision-ms', '200', '--idle-seconds', '3600'];

/** By pid the command lines of the processes that were told to put their temporary files into `folder`. */
async function processesOf(folder: string): Promise<ReadonlyMap<number, string>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = async (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = (await read(pid, 'environ')).split('\0');
      const line = (await read(pid, 'cmdline')).replaceAll('\0', ' ');
      return environment.includes(`TMPDIR=${folder}`) ? ([[Number(pid), line]] as const) : [];
    }),
  );
  return new Map(found.flat());
}

async function kill(folder: string, pattern: RegExp): Promise<void> {
  const pids = [...(await processesOf(folder))].filter(([, line]) => pattern.test(line)).map(([pid]) => pid);
  expect(pids).toHaveLength(1);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

describe.skipIf(inject('kubeconfig') === '')('npm run bench ends when', () => {
  test.each([
    ['operator', 'create', / \S+\/dist\/main\.js /, forever],
    ['service', 'create', / \S+\/dist\/service\/main\.js /, forever],
    ['etcd', 'idle', /^\S*etcd /, idling],
  ] as const)('the %s does, in phase %s', async (name, phase, pattern, words) => {
    const TMPDIR = await mkdtemp(join(tmpdir(), 'bench-ending-test-'));
    onTestFinished(async () => rm(TMPDIR, { recursive: true, force: true }));
    const bench = runCommand(process.execPath, ['dev/bench.ts', '--phases', 'create,idle', ...words], { TMPDIR });
    await expect.poll(() => bench.errors(), { timeout: limitMs }).toContain(`Phase ${phase}.`);
    await kill(TMPDIR, pattern);
    const { code, output, errors } = await bench.ended;
    const failure = `cannot finish phase ${phase}: ${name} ended by itself: SIGKILL`;
    expect([code, (JSON.parse(output) as { failure?: string }).failure]).toEqual([1, failure]);
    expect(errors).toMatch(new RegExp(`\ncannot finish the benchmark: ${failure}\n$`));
    expect([await readdir(TMPDIR), [...(await processesOf(TMPDIR)).values()]]).toEqual([[], []]);
  });
});
