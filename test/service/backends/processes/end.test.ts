// A service that is told to end its clusters, and the command that removes them, stay until that is done.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { machineMark } from '../../../../src/service/backends/processes/clusters/sight.ts';
import { temporaryFolder } from '../../../plane/support.ts';
import { runService, startService } from '../../support/process.ts';

/** A folder with something like Spark and something like Java, and one with a machine whose process takes its time to end. */
async function open() {
  const [spark, machines] = [await temporaryFolder(), await temporaryFolder()];
  mkdirSync(join(spark, 'jars'));
  writeFileSync(join(spark, 'RELEASE'), 'Spark 4.1.7');
  const java = join(spark, 'java');
  writeFileSync(java, '#!/bin/sh\necho \'openjdk version "17.0.1"\'\n');
  chmodSync(java, 0o755);
  mkdirSync(join(machines, 'cluster', 'machine'), { recursive: true });
  const script = `trap 'sleep 3; exit 7' TERM; echo begun; while :; do sleep 0.1; done`;
  const env = { ...process.env, [machineMark]: 'machine' };
  const machine = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => void machine.kill('SIGKILL'));
  await once(machine.stdout, 'data');
  return { spark, java, machines, machine };
}

test('--stop-clusters ends a process that takes its time, before the service ends', async () => {
  const { spark, java, machines, machine } = await open();
  const real = ['--provisioner', 'processes', '--spark', spark, '--java', java, '--machines', machines];
  const service = await startService(...real, '--stop-clusters');
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(machine.exitCode).toBe(7);
});

test('clean ends a process that takes its time, and says so', async () => {
  const { machines, machine } = await open();
  const { code, output } = await runService('clean', '--machines', machines);
  expect([code, output]).toEqual([0, `removed 1 clusters and 0 jobs from ${machines}\n`]);
  expect(machine.exitCode).toBe(7);
});
