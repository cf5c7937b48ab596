// `npm run test:all`: every suite, also after one that failed, because a run takes hours. It closes with one line over all of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Real programs, which wait for each other. */
const real = [['vitest', 'run']];
/** What waits for nothing but a processor: beside those, with the time that they leave. */
const computed = [
  ['nice', '-n', '19', 'npm', 'run', '--silent', 'exhaustive'],
  ['nice', '-n', '19', 'npm', 'run', '--silent', 'test:faults', '--', '--simulated'],
];

/** Leaders of sessions of their own, which do not get the signals of this one. */
const apart = new Set<number>();
function endApart(signal: NodeJS.Signals): void {
  for (const pid of apart) process.kill(-pid, signal);
  apart.clear();
}
process.once('exit', () => endApart('SIGTERM'));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endApart(signal);
    process.kill(process.pid, signal);
  });

/**
 * Linux can share the processor among sessions first (sched(7), autogroup). Then niceness counts only within one, and real programs are in many: so the session
 * of what computes has the least share, too.
 */
function keepApart({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  apart.add(pid);
  const file = `/proc/${pid}/autogroup`;
  if (existsSync(file)) writeFileSync(file, '19');
}

const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
const total = { passed: 0, failed: 0, skipped: 0 };

/** Passes its output on. `detached`: in a session of its own. What ends without success and counts no failure, or ends without its line, counts as one failure. */
async function run([program = '', ...args]: readonly string[], detached: boolean): Promise<void> {
  const begun = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached });
  if (detached) keepApart(child);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let counted: readonly number[] | undefined;
  for await (const line of createInterface(child.stdout)) {
    console.info(line);
    counted = closing.exec(line)?.slice(1).map(Number) ?? counted;
  }
  const code = await ended;
  apart.delete(child.pid ?? 0);
  const [passed = 0, failed = 0, skipped = 0] = counted ?? [];
  total.passed += passed;
  total.failed += failed === 0 && (code !== 0 || counted === undefined) ? 1 : failed;
  total.skipped += skipped;
  console.info(
    `${[program, ...args].join(' ')}: exit code ${code}, ${Math.round((performance.now() - begun) / 1_000)} s`,
  );
}

async function runAll(suites: readonly (readonly string[])[], detached = false): Promise<void> {
  for (const suite of suites) await run(suite, detached);
}

await Promise.all([runAll(real), runAll(computed, true)]);
console.info(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
