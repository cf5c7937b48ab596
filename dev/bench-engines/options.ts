// The command line of the benchmark of real clusters.
import { z } from 'zod';
import { integer, path, readOptionsOf } from '../bench/command-line.ts';

export const help = `Usage: npm run bench:engines [-- OPTIONS]

Starts the bundled service with --provisioner processes and measures real Spark clusters: how long one master and two
workers take until they can be used, what a job costs beside the same spark-submit by hand, scaling while a job runs, and
what many clusters, one after the other, leave behind. Prints one JSON document; progress goes to standard error. Its section
"targets" says which of the promised figures were met; the exit code does not. Needs Linux, Java 17 and Spark: npm run engines.

npm prints lines of its own before the document. A file that holds the document alone:
  npm run --silent bench:engines -- [OPTIONS] > figures.json      or: --out figures.json

Options:
  --clusters <n>   clusters, one after the other, with a job on each (10)
  --jobs <n>       jobs, each beside the same one by hand (3)
  --out <file>     write the document there as well
  --help           this text
`;

const schema = z.object({
  clusters: integer(1, 1000).default(10),
  jobs: integer(1, 100).default(3),
  out: path.optional(),
  help: z.boolean().default(false),
});

export type Options = z.output<typeof schema>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(schema, args);
