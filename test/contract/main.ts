// The contract suite against any service of the interface: `npm run contract -- --endpoint URL --dialect WORD --token T --tenant X`.
import { globSync } from 'node:fs';
import { BaseSequencer, startVitest, type TestSpecification } from 'vitest/node';
import type { Target } from './foreign/description.ts';
import { explore } from './foreign/explore.ts';
import { help, type Order, readOrder } from './foreign/flags.ts';
import { sweep } from './foreign/leftovers.ts';
import { ContractReporter } from './foreign/report.ts';
import { sectionOf } from './foreign/rules.ts';

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
function introduce({ ours, scene, dialect }: Target): string {
  const { plugin, version, masters, workers, flavors, image } = scene;
  const who = ours ? 'the bundled service' : 'another service';
  const processes = `${masters.join(', ')} and ${workers.join(', ')}`;
  return `judged as ${who}, ${dialect}: plugin ${plugin} ${version} (${processes}), flavor ${flavors.workers}, image ${image}`;
}

/** By default, Vitest orders files by how long they took before on this computer. With --max-clusters, other tests would then get the clusters each time. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1)));
  }
}

async function run(order: Order): Promise<number> {
  const include = [...filesOf(order)];
  const { access, wishes, terms, timeoutMs } = order;
  const target: Target = { ...access, ...terms, ...(await explore(access, wishes)) };
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  write(introduce(target));
  const reporter = new ContractReporter(!target.ours, write, () => sweep(target));
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
    sequence: { sequencer: ByName },
    // They count the clusters of the run together.
    isolate: false,
    maxWorkers: 1,
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
