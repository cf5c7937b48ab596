// The command line of the benchmark.
import { z } from 'zod';
import { type FlagValues, flagsHelp, helpFlag, integer } from '../../src/lib/flags.ts';
import { path, readOptionsOf } from '../options.ts';

/** In the order in which they make sense: each finds what the one before it left. The last one needs none of them. */
export const phases = ['create', 'scale', 'idle', 'why', 'restart', 'delete', 'jobs'] as const;
export type Phase = (typeof phases)[number];

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

const table = {
  n: { schema: integer(1, 100_000), value: '<n>', default: '1000', help: 'Clusters' },
  templates: {
    schema: integer(1, 1000),
    value: '<n>',
    default: '10',
    help: 'ClusterTemplates, and as many NodeGroupTemplates, that they are made from',
  },
  phases: {
    schema: phasesOption,
    value: '<a,b>',
    default: phases.join(','),
    help: 'phases, each once and in this order; all but jobs need create',
  },
  executions: {
    schema: integer(1, 100_000),
    value: '<n>',
    help: 'JobExecutions of the phase jobs, on ten Clusters; default: as many as --n',
  },
  'latency-ms': {
    schema: integer(0, 60_000),
    value: '<n>',
    default: '10',
    help: 'what each answer of the service takes longer',
  },
  'provision-ms': {
    schema: integer(0, 3_600_000),
    value: '<n>',
    default: '5000',
    help: 'from the start of a cluster in the service to Active',
  },
  'requests-per-second': {
    schema: integer(1, 10_000),
    value: '<n>',
    default: '1000',
    help: 'what the Connection allows at most; the operator begins with 20',
  },
  parallel: {
    schema: integer(1, 1000),
    value: '<n>',
    default: '16',
    help: 'requests that the client of the benchmark has under way',
  },
  'idle-seconds': {
    schema: integer(1, 3600),
    value: '<n>',
    default: '60',
    help: 'length of the phase idle, and of the rest after jobs',
  },
  'settle-seconds': {
    schema: integer(1, 3600),
    value: '<n>',
    default: '600',
    help: 'how long to wait for the operator to fall silent after a phase',
  },
  profile: { schema: path, value: '<dir>', help: 'write CPU profiles of the operator there' },
  out: { schema: path, value: '<file>', help: 'write the document there as well' },
  ...helpFlag,
} as const;

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
${flagsHelp(table)}`;

export type Options = FlagValues<typeof table>;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(table, args);
