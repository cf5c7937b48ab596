// The plugin of kubectl, as a process of its own, with a real API server, the operator and the bundled service. More of it: plugin.long.test.ts.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { writeKubeconfig } from '../../dev/plane/keys/kubeconfig.ts';
import { openSource } from '../../src/cli/logs/log-source.ts';
import type { Objects } from '../../src/cli/objects.ts';
import { loadClusterConfig } from '../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../src/kube/http/transport.ts';
import { systemClock } from '../../src/lib/system.ts';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { execution, output, usePlugin } from './support/plugin-scene.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('kubectl dataprocessing', () => {
  const scene = usePlugin();
  const { start, plugin, run, runFrom } = scene;

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

  test('a reader that goes away is no success of the run', async () => {
    await writeFile(join(scene.folder, 'unread.yaml'), execution('unread'));
    const program = '"$0" src/cli/main.ts run -f "$3" --kubeconfig "$1" -n "$2" | true; exit ${PIPESTATUS[0]}';
    const args = [process.execPath, kubeconfig, scene.world.namespace, join(scene.folder, 'unread.yaml')];
    const ended = await runCommand('bash', ['-c', program, ...args]).ended;
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/error: standard output was closed before the run ended\. The run goes on\n$/);
  });

  test('Ctrl-C ends with 130, also while standard input is awaited, and tells of a run that goes on', async () => {
    // More than a pipe holds: once it is written, the plugin reads.
    const isRead = join(scene.folder, 'read');
    const waiting = runFrom(
      `<(exec 2>/dev/null; head -c 200000 /dev/zero | tr '\\0' '\\n'; touch ${isRead}; exec sleep 20)`,
    );
    await expect.poll(() => existsSync(isRead), { timeout: limitMs }).toBe(true);
    waiting.signal('SIGINT');
    expect(await waiting.ended).toMatchObject({ code: 130, output: '', errors: '' });
    await writeFile(join(scene.folder, 'left.yaml'), `${execution('left')}  suspend: true\n`);
    const left = start('run', '-f', join(scene.folder, 'left.yaml'));
    await expect.poll(left.errors, { timeout: limitMs }).toContain('left is Suspended');
    left.signal('SIGINT');
    const ended = await left.ended;
    expect([ended.code, ended.output]).toEqual([130, '']);
    expect(ended.errors).toMatch(/its run goes on\. Cancel it with: kubectl patch dpje left -n \S+ .*\n$/);
  });

  test('why, status and doctor tell a program with their exit code whether somebody has to act', async () => {
    const place = ['--operator-namespace', scene.world.namespace];
    const why = await plugin('why', 'cluster/etl', ...place);
    expect(why).toMatchObject({ code: 0, errors: '', output: expect.stringMatching(/^Cluster \S+\/etl is ready /) });
    expect(await plugin('why', 'cluster/none', ...place)).toMatchObject({ code: 1, errors: '' });
    expect((await plugin('why', 'cluster')).code).toBe(2);
    expect(await plugin('status')).toMatchObject({ errors: '', output: expect.stringMatching(/^Cluster +1 +1$/m) });
    const doctor = await plugin('doctor', ...place);
    expect([doctor.code, doctor.errors, doctor.output]).toEqual([
      0,
      '',
      expect.stringMatching(/\nNothing is wrong\.\n$/),
    ]);
  });

  test('logs tells a refusal of the API server from an answer of the service', async () => {
    const name = 'of-nobody';
    const user = await writeKubeconfig(inject('planeDirectory'), { name, groups: [] });
    const ask = async (path: string) => {
      const config = await loadClusterConfig({ kubeconfig: path, environment: {}, clock: systemClock });
      await using stack = new AsyncDisposableStack();
      const transport = stack.adopt(createTransport({ config, clock: systemClock }), (one) => one.close());
      const get = async () => ({ spec: { endpoint: `http://none.${scene.world.namespace}.svc`, tenantID: 'demo' } });
      const objects = { namespace: scene.world.namespace, get } as unknown as Objects;
      const access = { objects, transport, tokenFile: undefined, isInCluster: false };
      const source = await openSource(access, { apiVersion: '', kind: '', metadata: { name: 'etl' }, spec: {} });
      return source.open('run', { follow: false, tailLines: undefined }, AbortSignal.timeout(30_000));
    };
    const where = `in namespace "${scene.world.namespace}"`;
    await expect(ask(kubeconfig)).rejects.toThrow(`there is no Service "none" ${where}`);
    await expect(ask(user)).rejects.toThrow(
      `you may not reach the service through the API server: ask for the verb "get" on services/proxy ${where}, or run`,
    );
  });
});
