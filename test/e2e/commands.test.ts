// The commands of the README explain themselves, and say what is wrong with what they are given.
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';

test.each([
  ['start', 'Usage: npm start -- [OPTIONS]', ['--kubeconfig', '--namespaces', '--quarantine', '--shutdown-timeout']],
  ['service', 'Usage: npm run service -- [flags]', ['--port', '--data', '--token', '--stage-ms', '--dialect']],
  ['demo', 'Usage: npm run demo [-- OPTIONS]', ['--exit', '--simulated', '--stage-ms']],
  ['engines', 'Usage: npm run engines [-- OPTIONS] [ENGINE...]', ['--from', '--find']],
])('npm run %s -- --help tells how to use it', async (script, usage, flags) => {
  const { code, output } = await runCommand('npm', ['run', script, '--', '--help']).ended;
  expect(code).toBe(0);
  expect(output).toContain(usage);
  for (const flag of flags) expect(output).toContain(flag);
});

test.each([
  // All that can be wrong: test/operator/config.test.ts. The service: test/service/program/main.test.ts.
  ['src/operator/main.ts', ['--bogus'], /^cannot start: .*--bogus/],
  [
    'src/operator/main.ts',
    ['--kubeconfig', '/nowhere/config'],
    /^cannot load cluster configuration: \/nowhere\/config: ENOENT/,
  ],
  ['dev/demo.ts', ['--stage-ms', 'soon'], /--stage-ms: must be a whole number from 0 to 99999, not "soon"/],
  ['dev/demo.ts', ['--bogus'], /--bogus/],
  ['dev/engines.ts', ['storm'], /^there is no engine storm; there are spark, hadoop, pig, flink, s3a, spark@3\.5\.9, /],
  ['dev/engines.ts', ['--from', 'heaven'], /^cannot read options: --from: must be one of archive, pip, maven$/],
])('%s %j is refused with a reason', async (script, args, reason) => {
  const { code, output, errors } = await runCommand(process.execPath, [script, ...args]).ended;
  expect([code, output]).toEqual([1, '']);
  expect(errors.trim()).toMatch(reason);
  // For a person: no stack.
  expect(errors).not.toMatch(/^\s+at /m);
});
