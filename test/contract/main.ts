// The contract suite against any service of the interface: `npm run contract -- --endpoint URL --dialect WORD --token T --tenant X`.
import { globSync } from 'node:fs';
import { startVitest } from 'vitest/node';
import { help, type Order, readOrder } from './foreign/flags.ts';
import { sweep } from './foreign/leftovers.ts';
import { knock } from './foreign/preflight.ts';
import { ContractReporter, sectionOf } from './foreign/report.ts';

const root = new URL('../..', import.meta.url).pathname;

/** What upstream does besides the interface is nobody else's business. */
const sections = 'sections/*/section-*';
const releases = 'releases/*/upstream*';
const patterns = { neutral: [sections], sahara: [sections, releases], savanna: [sections, releases] };

function filesOf({ sections, target: { dialect } }: Order): readonly string[] {
  const globs = patterns[dialect].map((pattern) => `test/contract/${pattern}.test.ts`);
  const all = globSync(globs, { cwd: root }).toSorted();
  const wanted = all.filter((path) => sections.length === 0 || sections.includes(sectionOf(path)));
  if (wanted.length > 0) return wanted;
  const there = [...new Set(all.map(sectionOf))].join(', ');
  throw new Error(`cannot read flags: --section has none of the sections with tests; there are ${there}`);
}

async function run(order: Order): Promise<number> {
  const include = [...filesOf(order)];
  await knock(order.target);
  const { target, timeoutMs } = order;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const reporter = new ContractReporter(write, () => sweep(target));
  const vitest = await startVitest('test', [], {
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
  });
  await vitest.close();
  return reporter.counts.failed === 0 && reporter.counts.passed > 0 ? 0 : 1;
}

try {
  const order = readOrder(process.argv.slice(2));
  if (order === undefined) process.stdout.write(help);
  else process.exitCode = await run(order);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
