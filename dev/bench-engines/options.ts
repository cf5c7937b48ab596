// The command line of the benchmark of real clusters.
import { type FlagValues, flagsHelp, helpFlag, integer } from '../../src/lib/flags.ts';
import { webAddress } from '../../src/service/backends/flags.ts';
import { path, readOptionsOf } from '../options.ts';

const table = {
  clusters: {
    schema: integer(1, 1000),
    value: '<n>',
    default: '10',
    help: 'clusters, one after the other, with a job on each',
  },
  jobs: { schema: integer(1, 100), value: '<n>', default: '3', help: 'jobs, each beside the same one by hand' },
  'maven-repository': {
    schema: webAddress('a Maven repository such as https://maven.example/central'),
    value: '<url>',
    help: 'measure a job with a package of this repository, too; needs mvn',
  },
  out: { schema: path, value: '<file>', help: 'write the document there as well' },
  ...helpFlag,
} as const;

export const help = `Usage: npm run bench:engines [-- OPTIONS]

Starts the bundled service with --provisioner processes and measures real Spark clusters: how long one master and two
workers take until they can be used, what a job costs beside the same spark-submit by hand, scaling while a job runs, the first query of Spark Connect beside a
server by hand, eight more workers beside as many by hand, and what many clusters, one after the other, leave behind. Prints one JSON document; progress goes to standard error. Its section
"targets" says which of the promised figures were met; the exit code does not. Needs Linux, Java 17 and Spark: npm run engines.

npm prints lines of its own before the document. A file that holds the document alone:
  npm run --silent bench:engines -- [OPTIONS] > figures.json      or: --out figures.json

Options:
${flagsHelp(table)}`;

export type Options = FlagValues<typeof table>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(table, args);
