// The plugin of kubectl as a process, in a namespace with a cluster whose runs print something.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { systemRandom } from '../../../src/lib/system.ts';
import { createSimulatedEngine, type JobEngine } from '../../../src/service/backends/job-engine.ts';
import { runCluster, tokenAuth, tokenSecret, World } from '../../integration/support/world.ts';
import { type Ended, type Running, runCommand, runProgram } from '../../support/command.ts';
import { foreignJob } from '../../support/service/runs.ts';

const kubeconfig = inject('kubeconfig');
/** What each run prints. */
export const output = '3 one\n2 two\n';

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

export const execution = (name: string, mainClass = 'Counts') => `apiVersion: dataprocessing.dev/v1alpha1
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

export interface PluginScene {
  readonly world: World;
  readonly folder: string;
  readonly start: (...args: readonly string[]) => Running;
  readonly plugin: (...args: readonly string[]) => Promise<Ended>;
  /** Runs a manifest. */
  readonly run: (text: string) => Promise<Ended>;
  /** The same with standard input from `source`, as bash reads it. */
  readonly runFrom: (source: string) => Running;
}

/** For the tests of a suite. */
export function usePlugin(): PluginScene {
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
  return {
    get world() {
      return world;
    },
    get folder() {
      return folder;
    },
    start,
    plugin,
    async run(text) {
      const file = join(folder, 'run.yaml');
      await writeFile(file, text);
      return plugin('run', '-f', file);
    },
    runFrom(source) {
      const program = 'exec "$0" src/cli/main.ts run -f - --kubeconfig "$1" -n "$2"';
      return runCommand('bash', ['-c', `${program} < ${source}`, process.execPath, kubeconfig, world.namespace]);
    },
  };
}
