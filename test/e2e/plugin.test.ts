// The plugin of kubectl, as a process of its own, with a real API server, the operator and the bundled service.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { writeKubeconfig } from '../../dev/plane/keys/kubeconfig.ts';
import { openSource } from '../../src/cli/logs/log-source.ts';
import type { Objects } from '../../src/cli/objects.ts';
import { loadClusterConfig } from '../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../src/lib/system.ts';
import { createSimulatedEngine, type JobEngine } from '../../src/service/backends/job-engine.ts';
import { runCluster, tokenAuth, tokenSecret, World } from '../integration/support/world.ts';
import { type Ended, type Running, runCommand, runProgram } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { foreignJob, runOfForeignJob } from '../support/service/runs.ts';

const kubeconfig = inject('kubeconfig');
const output = '3 one\n2 two\n';

/** Runs print the same, whatever they are asked for, and fail where their class says so. */
const engine: JobEngine = {
  ...createSimulatedEngine(systemRandom),
  finish: async ({ execution }) => ({
    status: execution.job_configs.configs?.['edp.java.main_class'] === 'Fails' ? 'FAILED' : 'SUCCEEDED',
  }),
  logs: async ({ execution }, { from, limit }) => {
    if (execution.job_configs.configs?.['edp.java.main_class'] === 'Silent') return undefined;
    const text = output.slice(from, from + limit);
    return { text, next: from + text.length, total: output.length };
  },
};

const execution = (name: string, mainClass = 'Counts') => `apiVersion: dataprocessing.dev/v1alpha1
kind: JobExecution
metadata:
  name: ${name}
spec:
  jobID: ${foreignJob.id}
  clusterRef:
    name: etl
  configs:
    edp.java.main_class: ${mainClass}
`;

describe.skipIf(kubeconfig === '')('kubectl dataprocessing', () => {
  let world: World;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plugin-'));
    world = await World.create({ token: 'open-sesame', engine });
    await world.apply('Secret', 'token', tokenSecret);
    await runCluster(world, tokenAuth);
    world.records.put('jobs', 'demo', foreignJob);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const start = (...args: readonly string[]): Running =>
    runProgram('src/cli/main.ts', [...args, '--kubeconfig', kubeconfig, '-n', world.namespace]);
  const plugin = (...args: readonly string[]): Promise<Ended> => start(...args).ended;

  async function run(text: string): Promise<Ended> {
    const file = join(folder, 'run.yaml');
    await writeFile(file, text);
    return plugin('run', '-f', file);
  }

  test('run applies a JobExecution, prints what it prints, and ends with 0 if it succeeds', async () => {
    const ended = await run(execution('counted'));
    expect([ended.code, ended.output]).toEqual([0, output]);
    expect(ended.errors).toMatch(/^JobExecution counted was applied\n/);
    expect(ended.errors).toMatch(/counted ended as Succeeded: the run succeeded\n$/);
    expect((await plugin('logs', 'counted')).output).toBe(output);
    const followed = await plugin('logs', 'dpje/counted', '-f', '--tail', '1');
    expect(followed).toMatchObject({
      code: 0,
      output: '2 two\n',
      errors: 'counted ended as Succeeded: the run succeeded\n',
    });
    const again = await run(execution('counted'));
    expect([again.code, again.output]).toEqual([0, output]);
    expect(again.errors).toMatch(
      /^JobExecution counted was applied\ncounted had ended before, so nothing runs now, .*\ncounted ended as /,
    );
  });

  test('run and logs -f end with 1 if the run fails, and say so once', async () => {
    const ended = await run(execution('failed', 'Fails'));
    expect([ended.code, ended.output]).toEqual([1, output]);
    expect(ended.errors).toMatch(/\nfailed ended as Failed: the run failed\n$/);
    expect(ended.errors).not.toContain('failed is Failed');
    const followed = await plugin('logs', 'failed', '-f');
    expect(followed).toMatchObject({ code: 1, output, errors: 'failed ended as Failed: the run failed\n' });
    expect(await plugin('logs', 'failed')).toMatchObject({ code: 0, output, errors: '' });
  });

  /** With standard input from `source`, as bash reads it. */
  const runFrom = (source: string): Running => {
    const program = 'exec "$0" src/cli/main.ts run -f - --kubeconfig "$1" -n "$2"';
    return runCommand('bash', ['-c', `${program} < ${source}`, process.execPath, kubeconfig, world.namespace]);
  };

  test('run reads standard input', async () => {
    await writeFile(join(folder, 'piped.yaml'), execution('piped'));
    const ended = await runFrom(join(folder, 'piped.yaml')).ended;
    expect([ended.code, ended.output]).toEqual([0, output]);
  });

  test('a reader that goes away is no success of the run', async () => {
    await writeFile(join(folder, 'unread.yaml'), execution('unread'));
    const program = '"$0" src/cli/main.ts run -f "$3" --kubeconfig "$1" -n "$2" | true; exit ${PIPESTATUS[0]}';
    const args = [process.execPath, kubeconfig, world.namespace, join(folder, 'unread.yaml')];
    const ended = await runCommand('bash', ['-c', program, ...args]).ended;
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/error: standard output was closed before the run ended\. The run goes on\n$/);
  });

  test('Ctrl-C ends with 130, also while standard input is awaited, and tells of a run that goes on', async () => {
    // More than a pipe holds: once it is written, the plugin reads.
    const isRead = join(folder, 'read');
    const waiting = runFrom(
      `<(exec 2>/dev/null; head -c 200000 /dev/zero | tr '\\0' '\\n'; touch ${isRead}; exec sleep 20)`,
    );
    await expect.poll(() => existsSync(isRead), { timeout: limitMs }).toBe(true);
    waiting.signal('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 130, output: '', errors: '' });
    await writeFile(join(folder, 'left.yaml'), `${execution('left')}  suspend: true\n`);
    const left = start('run', '-f', join(folder, 'left.yaml'));
    await expect.poll(left.errors, { timeout: limitMs }).toContain('left is Suspended');
    left.signal('SIGINT');
    const ended = await left.ended;
    expect([ended.code, ended.output]).toEqual([130, '']);
    expect(ended.errors).toMatch(/its run goes on\. Cancel it with: kubectl patch dpje left -n \S+ .*\n$/);
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
    expect(ended.errors).toBe(`error: there is no JobExecution "nothing" in namespace "${world.namespace}"\n`);
  });

  test('why and doctor tell a program with their exit code whether somebody has to act', async () => {
    const place = ['--operator-namespace', world.namespace];
    const why = await plugin('why', 'cluster/etl', ...place);
    expect(why).toMatchObject({ code: 0, errors: '', output: expect.stringMatching(/^Cluster \S+\/etl is ready /) });
    expect((await plugin('why', 'cluster')).code).toBe(2);
    const doctor = await plugin('doctor', ...place);
    expect([doctor.code, doctor.errors, doctor.output]).toEqual([
      0,
      '',
      expect.stringMatching(/\nNothing is wrong\.\n$/),
    ]);
  });

  test('the Tab key offers JobExecutions of the namespace', async () => {
    const { namespace } = world;
    await world.apply('JobExecution', 'tab-1', { ...runOfForeignJob, clusterRef: { name: 'etl' }, suspend: true });
    const line = ['__complete', 'logs', '--kubeconfig', kubeconfig, '-n', namespace, 'tab'];
    expect(await runProgram('src/cli/main.ts', line).ended).toMatchObject({
      code: 0,
      output: 'tab-1\n:4\n',
      errors: '',
    });
  });

  test('logs tells a refusal of the API server from an answer of the service', async () => {
    const name = 'of-nobody';
    const user = await writeKubeconfig(inject('planeDirectory'), { name, groups: [] });
    const ask = async (path: string) => {
      const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock: systemClock });
      await using stack = new AsyncDisposableStack();
      const transport = stack.adopt(createTransport({ config, clock: systemClock }), (one) => one.close());
      const get = async () => ({ spec: { endpoint: `http://none.${world.namespace}.svc`, tenantID: 'demo' } });
      const objects = { namespace: world.namespace, get } as unknown as Objects;
      const access = { objects, transport, tokenFile: undefined, isInCluster: false };
      const source = await openSource(access, { apiVersion: '', kind: '', metadata: { name: 'etl' }, spec: {} });
      return source.open('run', { follow: false, tailLines: undefined }, AbortSignal.timeout(30_000));
    };
    const where = `in namespace "${world.namespace}"`;
    await expect(ask(kubeconfig)).rejects.toThrow(`there is no Service "none" ${where}`);
    await expect(ask(user)).rejects.toThrow(
      `you may not reach the service through the API server: ask for the verb "get" on services/proxy ${where}, or run`,
    );
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
    await world.apply('JobExecution', 'later', { ...spec, suspend: true });
    await world.until('JobExecution', 'later', ({ status }) => JSON.stringify(status).includes('Suspended'));
    expect((await plugin('logs', 'later')).errors).toContain('later has no run: it is Suspended');
    const following = start('logs', 'later', '-f');
    await expect.poll(following.errors, { timeout: limitMs }).toContain('later is Suspended');
    await world.apply('JobExecution', 'later', { ...spec, suspend: false });
    const ended = await following.ended;
    expect([ended.code, ended.output]).toEqual([0, output]);
  });
});
