// The command line of the service's benchmark.
import { z } from 'zod';
import { integer, path, readOptionsOf } from '../bench/command-line.ts';

export const help = `Usage: npm run bench:service [-- OPTIONS]

Starts the bundled service as a process of its own and measures how fast it answers: creates of node group templates in
memory and persistent, reads of one cluster, a list of many clusters, and answers while runs print without end. Prints one JSON document; progress goes to
standard error. Its section "targets" says which of the promised figures were met; the exit code does not. Needs Linux (/proc).

npm prints lines of its own before the document. A file that holds the document alone:
  npm run --silent bench:service -- [OPTIONS] > figures.json      or: --out figures.json

Options:
  --clusters <n>   clusters in the list (10000)
  --creates <n>    node group templates in memory (10000); a tenth of them persistent
  --reads <n>      reads of one cluster (30000)
  --lists <n>      lists of all clusters; the first one after the clusters have changed (5)
  --noisy <list>   numbers of runs in pods that print without end, separated by commas: how fast /healthz and a read answer (5,50)
  --noisy-seconds <n>  how long each of them is measured (10)
  --parallel <n>   requests that are under way at a time (16)
  --pod-runs <n>      executions that run in pods of a real API server; 0: not measured (0)
  --pod-clusters <n>  clusters that wait for their pods meanwhile (20)
  --pod-seconds <n>   how long the requests of the service to the API server are counted (30)
  --limit-mib <n>     memory limit of the service while hostile tenants attack it; 0: not measured (512)
  --base <folder>     another version of this repository, with node_modules: both kinds of runs in pods are measured with it, too
  --out <file>     write the document there as well
  --help           this text
`;

const schema = z.object({
  clusters: integer(1, 100_000).default(10_000),
  creates: integer(10, 1_000_000).default(10_000),
  reads: integer(1, 10_000_000).default(30_000),
  lists: integer(1, 1000).default(5),
  noisy: z
    .string()
    .regex(/^\d{1,3}(,\d{1,3})*$/, { error: 'must be numbers such as 5,50' })
    .default('5,50')
    .transform((text) => text.split(',').map(Number)),
  'noisy-seconds': integer(1, 600).default(10),
  parallel: integer(1, 1000).default(16),
  'limit-mib': integer(0, 65_536).default(512),
  'pod-runs': integer(0, 10_000).default(0),
  'pod-clusters': integer(0, 1000).default(20),
  'pod-seconds': integer(1, 3600).default(30),
  base: path.optional(),
  out: path.optional(),
  help: z.boolean().default(false),
});

export type Options = z.output<typeof schema>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(schema, args);
