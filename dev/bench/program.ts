// Runs a benchmark as a program: options in, one JSON document out. Removes everything that it created.
import { writeFile } from 'node:fs/promises';
import { reasonOf } from '../../src/lib/errors.ts';
import { Cleanup } from '../demo/stage.ts';

export interface Benchmark<Options> {
  readonly help: string;
  /** Throws when they cannot be read. */
  readonly readOptions: (args: readonly string[]) => Options;
  /** `failure`: why it did not finish. The results so far are reported as well. */
  readonly run: (
    options: Options,
    how: { readonly cleanup: Cleanup; readonly print: (line: string) => void },
  ) => Promise<object & { readonly failure?: string | undefined }>;
}

const begun = performance.now();

function print(line: string): void {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
}

/** Rounds to thousandths. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;

async function measure<Options extends { readonly out?: string | undefined }>(
  { run }: Benchmark<Options>,
  options: Options,
): Promise<void> {
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void cleanup.run().finally(() => process.exit(1)));
  try {
    const figures = await run(options, { cleanup, print });
    const document = `${JSON.stringify(figures, rounded, 2)}\n`;
    process.stdout.write(document);
    if (options.out !== undefined) await writeFile(options.out, document);
    if (figures.failure !== undefined) throw new Error(figures.failure);
  } finally {
    await cleanup.run();
  }
}

/** An error prints one line to standard error and sets exit code 1. */
export async function runBenchmark<Options extends { readonly help: boolean; readonly out?: string | undefined }>(
  benchmark: Benchmark<Options>,
): Promise<void> {
  try {
    const options = benchmark.readOptions(process.argv.slice(2));
    if (options.help) process.stdout.write(benchmark.help);
    else await measure(benchmark, options);
  } catch (error) {
    process.stderr.write(`cannot finish the benchmark: ${reasonOf(error)}\n`);
    process.exitCode = 1;
  }
}
