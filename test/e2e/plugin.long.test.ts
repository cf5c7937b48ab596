// The plugin of kubectl, as a process of its own: standard input, what is refused, and runs without output.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { runProgram } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { runOfForeignJob } from '../support/service/runs.ts';
import { execution, output, usePlugin } from './support/plugin-scene.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('kubectl dataprocessing', () => {
  const scene = usePlugin();
  const { start, plugin, run, runFrom } = scene;

  test('run reads standard input', async () => {
    await writeFile(join(scene.folder, 'piped.yaml'), execution('piped'));
    const ended = await runFrom(join(scene.folder, 'piped.yaml')).ended;
    expect([ended.code, ended.output]).toEqual([0, output]);
  });

  test('run says what the API server refuses, such as a field that does not exist', async () => {
    const ended = await run(`${execution('wrong')}  argz: []\n`);
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/^error: cannot patch jobexecutions .*wrong: .*argz/);
  });

  test('messages have no control characters', async () => {
    expect(await plugin('logs', '\u001b]0;x\u0007')).toMatchObject({
      code: 1,
      errors: expect.not.stringContaining('\u001b'),
    });
    expect((await plugin('run', '-f', '\u001b[2J')).errors).toMatch(/^error: cannot read \?\[2J/);
  });

  test('logs of what is not there is an error', async () => {
    const ended = await plugin('logs', 'nothing');
    expect([ended.code, ended.output]).toEqual([1, '']);
    expect(ended.errors).toBe(`error: there is no JobExecution "nothing" in namespace "${scene.world.namespace}"\n`);
  });

  test('the Tab key offers JobExecutions of the namespace', async () => {
    const { world } = scene;
    await world.apply('JobExecution', 'tab-1', { ...runOfForeignJob, clusterRef: { name: 'etl' }, suspend: true });
    const line = ['__complete', 'logs', '--kubeconfig', kubeconfig, '-n', world.namespace, 'tab'];
    expect(await runProgram('src/cli/main.ts', line).ended).toMatchObject({
      code: 0,
      output: 'tab-1\n:4\n',
      errors: '',
    });
  });

  test('logs of a run whose service keeps no output names the pages of its cluster', async () => {
    const ended = await run(execution('silent', 'Silent'));
    expect([ended.code, ended.output]).toEqual([0, '']);
    const { errors } = await plugin('logs', 'silent');
    expect(errors).toContain('has no output of silent');
    expect(errors).toMatch(/Look at the pages of Cluster etl: https?:\/\/\S+ \(/);
  });

  test('logs of what has not started says why, or waits for it', async () => {
    const spec = { ...runOfForeignJob, clusterRef: { name: 'etl' } };
    await scene.world.apply('JobExecution', 'later', { ...spec, suspend: true });
    await scene.world.until('JobExecution', 'later', ({ status }) => JSON.stringify(status).includes('Suspended'));
    expect((await plugin('logs', 'later')).errors).toContain('later has no run: it is Suspended');
    const following = start('logs', 'later', '-f');
    await expect.poll(following.errors, { timeout: limitMs }).toContain('later is Suspended');
    await scene.world.apply('JobExecution', 'later', { ...spec, suspend: false });
    const ended = await following.ended;
    expect([ended.code, ended.output]).toEqual([0, output]);
  });
});
