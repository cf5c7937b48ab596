// The contract suite against any service of the interface: `npm run contract -- --endpoint URL --dialect WORD --token T --tenant X`.
import { once } from 'node:events';
import { appendFileSync, globSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliOptions, TestSequencer, TestSpecification, Vitest } from 'vitest/node';
import type { Target } from './foreign/command/description.ts';
import { explore } from './foreign/command/explore.ts';
import { help, type Order, readOrder } from './foreign/command/flags.ts';
import { ContractReporter } from './foreign/command/report.ts';
import { sectionOf } from './foreign/command/rules.ts';
import { recorded } from './foreign/rows/journal.ts';
import { type Place, sweep } from './foreign/rows/leftovers.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const root = new URL('../..', import.meta.url).pathname;

/** What upstream does besides the interface is nobody else's business. */
const sections = 'sections/*/section-*';
const releases = 'releases/*/upstream*';
const patterns = { neutral: [sections], sahara: [sections, releases], savanna: [sections, releases] };

function filesOf({ access: { dialect }, terms: { asked } }: Order): readonly string[] {
  const globs = patterns[dialect].map((pattern) => `test/contract/${pattern}.test.ts`);
  const all = globSync(globs, { cwd: root }).toSorted();
  const wanted = all.filter((path) => asked.length === 0 || asked.includes(sectionOf(path)));
  if (wanted.length > 0) return wanted;
  const there = [...new Set(all.map(sectionOf))].join(', ');
  throw new Error(`cannot read flags: --section has none of the sections with tests; there are ${there}`);
}

/** One line: what the tests take the service for. */
function introduce({ ours, scene, dialect, mark }: Target): string {
  const { plugin, version, masters, workers, flavors, image } = scene;
  const who = ours ? 'the bundled service' : 'another service';
  const processes = `${masters.join(', ')} and ${workers.join(', ')}`;
  return `judged as ${who}, ${dialect}: plugin ${plugin} ${version} (${processes}), flavor ${flavors.workers}, image ${image}; run ${mark}`;
}

/** By default, Vitest orders files by how long they took before on this computer. With --max-clusters, other tests would then get the clusters each time. */
class ByName implements TestSequencer {
  shard = (files: TestSpecification[]): TestSpecification[] => files;
  sort = (files: TestSpecification[]): TestSpecification[] =>
    files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
}

const write = (line: string) => void process.stdout.write(`${line}\n`);

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Vitest ends the process on these signals, before anything could be deleted. */
async function withoutItsListeners<T>(start: () => Promise<T>): Promise<T> {
  const ours = signals.flatMap((signal) => process.listeners(signal));
  const started = await start();
  for (const signal of signals)
    for (const listener of process.listeners(signal)) if (!ours.includes(listener)) process.off(signal, listener);
  return started;
}

/** From then on, tests that end say nothing about the service. */
let isInterrupted = false;
const report = (line: string): void => (isInterrupted ? undefined : write(line));

/** Resolves to the exit code when somebody ends the run. The next signal ends the process at once. */
async function interrupted(): Promise<number> {
  const code = await Promise.race(
    signals.map(async (signal) => {
      await once(process, signal);
      return 128 + constants.signals[signal];
    }),
  );
  write('interrupted: deleting what the run has made');
  isInterrupted = true;
  await running?.cancelCurrentRun('keyboard-input');
  return code;
}

/** Deletes what is left, also if the tests are still running. Resolves to whether nothing is left. */
async function cleanUp(place: Place, journal: string): Promise<boolean> {
  // A test can wait for a service that does not delete what it made.
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, 10_000);
  await Promise.race([running?.close(), patience.promise]);
  // It would keep the process.
  clearTimeout(timer);
  try {
    for (const path of await sweep(place)) write(`    ${path}`);
    rmSync(journal);
    return true;
  } catch (error) {
    if (recorded(place).length === 0) rmSync(journal);
    const remedy = `repeat the command with --clean-up ${place.mark}`;
    write(`cannot delete all that the run has made: ${messageOf(error)}; ${remedy}`);
    return false;
  }
}

async function run(order: Order): Promise<number> {
  const include = [...filesOf(order)];
  const journal = join(tmpdir(), `contract-${order.terms.mark}`);
  const place: Place = { ...order.access, ...order.terms, journal };
  appendFileSync(journal, '', { mode: 0o600, flag: order.cleanUp === undefined ? 'ax' : 'a' });
  if (order.cleanUp !== undefined) return (await cleanUp(place, journal)) ? 0 : 1;
  const judged = judge(order, place, include);
  try {
    const stopped = interrupted();
    const code = await Promise.race([judged, stopped]);
    // What is interrupted can end with a verdict first.
    return isInterrupted ? await stopped : code;
  } finally {
    // The tests end without a verdict if they are interrupted.
    judged.catch(() => {});
    await cleanUp(place, journal);
  }
}

/** The tests, as soon as they run. */
let running: Vitest | undefined;

/** Runs the tests and resolves to the exit code. */
async function judge({ wishes, timeoutMs }: Order, place: Place, include: string[]): Promise<number> {
  const target: Target = { ...place, ...(await explore(place, wishes)) };
  write(introduce(target));
  const reporter = new ContractReporter(!target.ours, report, () => sweep(target));
  const config: CliOptions = {
    root,
    config: false,
    watch: false,
    include,
    provide: { contract: target },
    reporters: [reporter],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // One test after the other: they share a tenant.
    fileParallelism: false,
    maxConcurrency: 1,
    sequence: { sequencer: ByName },
    // They count the clusters of the run together.
    isolate: false,
    maxWorkers: 1,
    teardownTimeout: 2_000,
  };
  // What is wrong with the flags or the service is told without it.
  const { createVitest } = await import('vitest/node');
  running = await withoutItsListeners(() => createVitest('test', config));
  await running.start();
  return reporter.counts.failed === 0 && reporter.counts.passed > 0 ? 0 : 1;
}

try {
  const order = readOrder(process.argv.slice(2));
  if (order === undefined) process.stdout.write(help);
  // The listeners for signals do not keep the process, but an interrupted run might.
  else process.exit(await run(order));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
