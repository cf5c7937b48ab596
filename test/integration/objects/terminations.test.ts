// How the program of a run ended is in the status of its JobExecution, on a real API server, as the engine of the bundled service reports it.
import { expect, inject, test } from 'vitest';
import { systemRandom } from '../../../src/lib/system.ts';
import { createSimulatedEngine, type RunEnd } from '../../../src/service/backends/job-engine.ts';
import { isOver } from '../../support/service/runs.ts';
import { conditionOf, specs, World } from '../support/world.ts';

const hasKubernetes = inject('kubeconfig') !== '';
const said = 'wrote 7 lines';

const ends: readonly (readonly [
  job: string,
  end: RunEnd,
  termination: { readonly reason: string; readonly exitCode?: number; readonly signal?: string } | undefined,
  message: string,
  reason: string,
])[] = [
  [
    'error',
    { status: 'FAILED', returnCode: 3, message: said },
    { reason: 'Error', exitCode: 3 },
    `the run failed with exit code 3: ${said}`,
    'Failed',
  ],
  [
    'signal',
    { status: 'FAILED', returnCode: 143, message: said },
    { reason: 'Signal', exitCode: 143, signal: 'SIGTERM' },
    `the run failed with exit code 143 (SIGTERM): ${said}. If the program did not choose this exit code, find out what sent the signal, such as a computer that is out of memory`,
    'Signal',
  ],
  [
    'memory',
    { status: 'FAILED', returnCode: 137, cause: 'OOMKilled', message: 'the program took more memory than it has' },
    { reason: 'OOMKilled', exitCode: 137, signal: 'SIGKILL' },
    'the run failed with exit code 137 (OOMKilled): the program took more memory than it has',
    'OOMKilled',
  ],
  [
    'lost',
    { status: 'FAILED', cause: 'Lost', message: 'its pod was lost' },
    { reason: 'Lost' },
    'the run failed: its pod was lost',
    'Failed',
  ],
  [
    'evicted',
    { status: 'FAILED', cause: 'Evicted', message: 'its pod was evicted: run the job again' },
    { reason: 'Evicted' },
    'the run failed: its pod was evicted: run the job again',
    'Evicted',
  ],
  ['foreign', { status: 'FAILED' }, undefined, 'the run failed', 'Failed'],
  [
    'success',
    { status: 'SUCCEEDED', returnCode: 0 },
    { reason: 'Completed', exitCode: 0 },
    'the run succeeded',
    'Succeeded',
  ],
];

test.skipIf(!hasKubernetes)('the exit code and the kind of death of each run', async () => {
  const simulated = createSimulatedEngine(systemRandom);
  const endOf = new Map(ends.map(([job, end]) => [job, end]));
  const engine = {
    ...simulated,
    finish: async ({ execution }: { readonly execution: { readonly job_configs: { readonly args?: unknown } } }) =>
      endOf.get(String(execution.job_configs.args)) ?? { status: 'SUCCEEDED' as const },
  };
  await using world = await World.create({ engine });
  await world.operate();
  await world.connectService({ pollSeconds: 1 });
  await world.apply('JobBinary', 'program', specs.program);
  await world.apply('Job', 'words', specs.job);
  await world.apply('Cluster', 'small', specs.ofJobs);
  const onCluster = { jobRef: { name: 'words' }, clusterRef: { name: 'small' } };
  for (const [name] of ends) await world.apply('JobExecution', name, { ...onCluster, args: [name] });
  for (const [name, { status }, termination, message, reason] of ends) {
    const one = await world.until('JobExecution', name, (run) => isOver(run.status?.conditions), 60_000);
    const type = status === 'SUCCEEDED' ? 'Complete' : 'Failed';
    const { termination: told, exitCode } = one.status as { readonly termination?: object; readonly exitCode?: number };
    const end = conditionOf(one, type);
    expect([name, told, end?.message, end?.reason]).toEqual([name, termination, message, reason]);
    expect([name, exitCode]).toEqual([name, termination?.exitCode]);
    expect(conditionOf(one, 'Ready')?.reason).toBe(reason);
  }
});
