// Test projects: pure and HTTP tests run side by side; those marked plane share one real API server. `npm test` leaves out the long ones.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/setup/slow-first.ts';
import { limitMs, testLimitMs } from './test/support/patience.ts';

const plane = [
  'test/plane/**/*.test.ts',
  'test/operator/kube/**/*.test.ts',
  'test/operator/kinds/**/*.test.ts',
  'test/integration/**/*.test.ts',
  'test/bad-input/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/gitops/**/*.test.ts',
  'test/bench/**/*.test.ts',
  'test/simulator/plane/**/*.test.ts',
];

/**
 * For `npm run test:all`: each bug means an operator of its own, each dialect the whole contract once more, a hundred thousand requests,
 * and ten minutes of siege. A `*.long.test.ts` is the whole of what the file beside it has a selection of, or the rest.
 */
const long = [
  'test/**/*.long.test.ts',
  'test/faults/planted.test.ts',
  'test/planted/planted.test.ts',
  'test/bench/ending.test.ts',
  'test/contract/full.test.ts',
  'test/fuzz/long.test.ts',
  'test/fuzz/siege.test.ts',
];

/** Most of what a test costs that starts one of our programs is the compilation of it: once is enough. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');
/** The API server looks for garbage half as often, and needs some more memory. */
process.env['GOGC'] ??= '300';

/** Real engines, as `npm run test:engines` runs them. */
const engines = ['test/engines/**/*.test.ts'];

/** Real pods, as `npm run test:pods` runs them. CI leaves out those in a `*.long.test.ts`. */
const pods = ['test/pods/**/*.test.ts'];

const setupFiles = ['test/setup/restore.ts'];
/** Most of what the tests make is short-lived: with more room for it, less of it is copied. */
const execArgv = ['--max-semi-space-size=32'];
/** Node loads the modules itself. The code that Vite makes of them takes a tenth more time, and only `vi.mock` needs it. */
const experimental = { viteModuleRunner: false, nodeLoader: false };
const patient = { testTimeout: testLimitMs, hookTimeout: testLimitMs, expect: { poll: { timeout: limitMs } } };
const withApiServer = { setupFiles, execArgv, globalSetup: ['test/setup/plane.ts'], ...patient };

/** `x.test.ts?collected` gives its tests to the importer instead of running them. */
const collecting = {
  name: 'collecting',
  enforce: 'pre',
  transform: (code: string, id: string) =>
    id.endsWith('?collected') ? code.replace("from 'vitest'", "from '/test/support/collected.ts'") : undefined,
} as const;

/** Real programs and benchmarks do not share the cores with all other tests: a group begins when the one before has ended. */
export default defineConfig({
  test: {
    reporters: ['default', './test/setup/summary.ts'],
    // Four more than the cores of a small machine: those on a real API server wait most of the time.
    maxWorkers: 6,
    sequence: { sequencer: SlowFirst },
    // Tests of one file that may run side by side: they wait most of the time.
    maxConcurrency: 16,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...plane, ...long, ...engines, ...pods],
          // Loading the modules anew for each file takes longer than most of the tests; none changes them.
          isolate: false,
          experimental,
          setupFiles,
          execArgv,
          ...patient,
        },
      },
      { test: { name: 'plane', include: plane, exclude: long, isolate: false, experimental, ...withApiServer } },
      {
        test: {
          name: 'engines',
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
          include: engines,
          exclude: long,
          setupFiles,
          ...patient,
        },
      },
      {
        test: {
          name: 'pods',
          sequence: { groupOrder: 2 },
          // Each has a node of its own, whose clusters need a core.
          maxWorkers: 2,
          include: pods,
          setupFiles,
          globalSetup: ['test/setup/pods.ts'],
          ...patient,
        },
      },
      {
        plugins: [collecting],
        test: {
          name: 'long',
          sequence: { groupOrder: 3 },
          // Real engines are among them, beside what is bounded in time.
          maxWorkers: 4,
          include: long,
          exclude: pods,
          ...withApiServer,
        },
      },
    ],
  },
});
