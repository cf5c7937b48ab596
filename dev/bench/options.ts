// The command line of the benchmark.
import { z } from 'zod';
import { integer, path, readOptionsOf } from './command-line.ts';

/** In the order in which they make sense: each finds what the one before it left. The last one needs none of them. */
export const phases = ['create', 'scale', 'idle', 'restart', 'delete', 'jobs'] as const;
export type Phase = (typeof phases)[number];

export const help = `Usage: npm run bench [-- OPTIONS]

Starts a real etcd and kube-apiserver, the bundled service and the operator as separate processes, gives the operator
many Clusters to manage, and measures the cost. Prints one JSON document; progress goes to standard error. Its section
"targets" reports which targets were met, and why others were not judged: most apply to 1000 Clusters. The exit code does
not depend on them. Needs Linux (/proc).

The operator uses leader election as in deploy/, with one replica. Writes of its lease are reported separately as "lease",
and no target includes them. The phase restart stops the operator with SIGTERM, so it releases its lease. After a crash, the
next replica waits up to 15 s longer, until the lease expires. No measurement includes that wait.

npm prints its own lines before the document. To get a file with only the document:
  npm run --silent bench -- [OPTIONS] > figures.json      or: --out figures.json

Options:
  --n <n>                    Clusters (1000)
  --templates <n>            ClusterTemplates, and as many NodeGroupTemplates, that they are made from (10)
  --phases <a,b>             of ${phases.join(',')} (all), each once and
                             in this order; all but jobs need create
  --executions <n>           JobExecutions of the phase jobs, on ten Clusters (as many as --n)
  --latency-ms <n>           what each answer of the service takes longer (10)
  --provision-ms <n>         from the start of a cluster in the service to Active (5000)
  --requests-per-second <n>  what the Connection allows (1000); without a word about it the operator sends 50
  --parallel <n>             requests that the client of the benchmark has under way (16)
  --idle-seconds <n>         length of the phase idle, and of the rest after jobs (60)
  --settle-seconds <n>       how long to wait for the operator to fall silent after a phase (600)
  --profile <dir>            write CPU profiles of the operator there
  --out <file>               write the document there as well
  --help                     this text
`;

const phasesOption = z.string().transform((text, context): Phase[] => {
  const words = text.split(',');
  const chosen = phases.filter((phase) => words.includes(phase));
  const problem = problemOf(words, chosen);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `${problem}, not "${text}"` });
  return chosen;
});

function problemOf(words: readonly string[], chosen: readonly Phase[]): string | undefined {
  if (!words.every((word) => chosen.some((phase) => phase === word))) return `must be of ${phases.join(',')}`;
  if (!chosen.includes('create') && chosen.some((phase) => phase !== 'jobs'))
    return 'must include create, which makes what all but jobs need';
  if (words.length > chosen.length) return 'must name each phase once';
  if (words.join() !== chosen.join()) return `must be in the order in which they run: ${chosen.join(',')}`;
  return undefined;
}

const schema = z.object({
  n: integer(1, 100_000).default(1000),
  templates: integer(1, 1000).default(10),
  phases: phasesOption.default([...phases]),
  executions: integer(1, 100_000).optional(),
  'latency-ms': integer(0, 60_000).default(10),
  'provision-ms': integer(0, 3_600_000).default(5000),
  'requests-per-second': integer(1, 10_000).default(1000),
  parallel: integer(1, 1000).default(16),
  'idle-seconds': integer(1, 3600).default(60),
  'settle-seconds': integer(1, 3600).default(600),
  profile: path.optional(),
  out: path.optional(),
  help: z.boolean().default(false),
});

export type Options = z.output<typeof schema>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(schema, args);
