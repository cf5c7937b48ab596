// `npm test`: types, lint and generated files are checked beside the tests, which leave a part of the processors. If the check fails, the tests end, too.
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const check = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'inherit'] });
const tests = spawn('vitest', ['run', '--project', 'unit', '--project', 'plane', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    check.kill(signal);
    tests.kill(signal);
  });

const codeOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 1)));
const tested = codeOf(tests);
const [said, checked] = await Promise.all([text(check.stdout), codeOf(check)]);
if (checked !== 0) tests.kill('SIGTERM');
const code = await tested;
// Last, so that it is not lost among the tests.
if (checked !== 0) console.info(`\n${said}\nnpm run check: exit code ${checked}\n\n0 passed, 1 failed, 0 skipped`);
process.exitCode = checked || code;
