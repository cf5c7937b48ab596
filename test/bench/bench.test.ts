// The options of the benchmark, and what it reads of the operator; its runs take long.
import { expect, test } from 'vitest';
import { readOptions } from '../../dev/bench/options.ts';
import { readPasses } from '../../dev/bench/settling.ts';
import { runCommand } from '../support/command.ts';

const runBench = (words: string) => runCommand(process.execPath, ['dev/bench.ts', ...words.split(' ')]).ended;

test('wrong options are one line, and nothing starts', async () => {
  const { code, output, errors } = await runBench('--n few --phases idle');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(
    /^cannot finish the benchmark: cannot read options: --n: must be a whole number .*; --phases: must include create.*\n$/,
  );
});

test.each([
  ['--n 0', '--n: must be a whole number from 1 to 100000, not "0"'],
  ['--n -1', '--n: must be a whole number from 1 to 100000, not "-1"'],
  ['--n=', '--n: must be a whole number from 1 to 100000, not ""'],
  ['--n 1e3', '--n: must be a whole number from 1 to 100000, not "1e3"'],
  ['--latency-ms 60001', '--latency-ms: must be a whole number from 0 to 60000, not "60001"'],
  ['--n 5 --out', '--out needs a value'],
  ['--profile --n 5', '--profile needs a value; there is no argument "5"'],
  ['--out=', '--out: must be a path, not ""'],
  ['--help=yes', '--help takes no value'],
  ['--many 5', 'there is no option --many: --help tells those there are; there is no argument "5"'],
  ['--phases create,make', '--phases: must be of create,scale,idle,why,restart,delete,jobs, not "create,make"'],
  ['--phases create,create', '--phases: must name each phase once, not "create,create"'],
  ['--phases delete,create', '--phases: must be in the order in which they run: create,delete, not "delete,create"'],
  ['--phases scale', '--phases: must include create, which makes what all but jobs need, not "scale"'],
  ['--executions 0', '--executions: must be a whole number from 1 to 100000, not "0"'],
])('%s is refused', (words, message) => {
  expect(() => readOptions(words.split(' '))).toThrow(new Error(`cannot read options: ${message}`));
});

test('phases that are left out are left out, and the others run in their order', () => {
  expect(readOptions(['--phases', 'create,idle,delete']).phases).toEqual(['create', 'idle', 'delete']);
});

test('the phase jobs can run alone', () => {
  expect(readOptions(['--phases', 'jobs']).phases).toEqual(['jobs']);
});

test.each(['bench', 'bench:service'])(
  'npm run --silent %s prints nothing but what the program prints',
  async (name) => {
    const { output } = await runCommand('npm', ['run', '--silent', name, '--', '--help']).ended;
    expect(output.split('\n')[0]).toBe(`Usage: npm run ${name} [-- OPTIONS]`);
    expect(output).toContain(`npm run --silent ${name} --`);
  },
);

test('passes of Clusters and templates count once they have settled', () => {
  const metrics = [
    'dataprocessing_operator_reconcile_total{kind="Cluster",result="settled"} 3',
    'dataprocessing_operator_reconcile_total{kind="Cluster",result="budget"} 8',
    'dataprocessing_operator_reconcile_total{kind="ClusterTemplate",result="settled"} 4',
    'dataprocessing_operator_reconcile_total{kind="Connection",result="settled"} 16',
    'dataprocessing_operator_queue_depth 2',
    'dataprocessing_operator_workers_busy 1',
  ];
  expect(readPasses(metrics.join('\n'))).toEqual({ settled: 7, open: 3 });
  const without = metrics.slice(0, -1).join('\n');
  expect(() => readPasses(without)).toThrow('/metrics has no dataprocessing_operator_workers_busy');
});
