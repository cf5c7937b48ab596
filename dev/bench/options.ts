// The command line of the benchmark: parsed, checked, explained.
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** In the order in which they make sense: each finds what the one before it left. */
export const phases = ['create', 'scale', 'idle', 'restart', 'delete'] as const;
export type Phase = (typeof phases)[number];

export const help = `Usage: npm run bench [-- OPTIONS]

Starts a real etcd and kube-apiserver, the bundled service and the operator as processes of their own, gives the operator
many Clusters to look after and measures what that takes. Prints one JSON document; progress goes to standard error.
Its section "targets" says which of the promised figures were met; the exit code does not. Needs Linux (/proc).

Options:
  --n <n>                    Clusters (1000)
  --templates <n>            ClusterTemplates, and as many NodeGroupTemplates, that they are made from (10)
  --phases <a,b>             of ${phases.join(',')} (all); create must be
                             among them; they run in this order
  --latency-ms <n>           what each answer of the service takes longer (10)
  --provision-ms <n>         from the start of a cluster in the service to Active (5000)
  --requests-per-second <n>  what the Connection allows (1000); without a word about it the operator sends 50
  --parallel <n>             requests that the client of the benchmark has under way (16)
  --idle-seconds <n>         length of the phase idle (60)
  --settle-seconds <n>       how long to wait for the operator to fall silent after a phase (600)
  --profile <dir>            write CPU profiles of the operator there; it is then ended by SIGTERM, not by SIGKILL
  --out <file>               write the document there as well
  --help                     this text
`;

export const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, { error: 'is not a whole number' }).transform(Number).pipe(z.int().min(min).max(max));

const schema = z.object({
  n: integer(1, 100_000).default(1000),
  templates: integer(1, 1000).default(10),
  phases: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(z.enum(phases)))
    .refine((chosen) => chosen.includes('create'), { error: 'must include create: the others need what it makes' })
    .default([...phases]),
  'latency-ms': integer(0, 60_000).default(10),
  'provision-ms': integer(0, 3_600_000).default(5000),
  'requests-per-second': integer(1, 10_000).default(1000),
  parallel: integer(1, 1000).default(16),
  'idle-seconds': integer(1, 3600).default(60),
  'settle-seconds': integer(1, 3600).default(600),
  profile: z.string().min(1).optional(),
  out: z.string().min(1).optional(),
  help: z.boolean().default(false),
});

export type Options = z.output<typeof schema>;

const text = { type: 'string' } as const;

/** Throws `cannot read options: ...` that names every wrong one. */
export const readOptions = (args: readonly string[]): Options => readOptionsOf(schema, args);

/** `--help` is a flag, all else has a value. */
export function readOptionsOf<Shape extends z.ZodRawShape>(
  wanted: z.ZodObject<Shape>,
  args: readonly string[],
): z.output<z.ZodObject<Shape>> {
  const options = Object.fromEntries(Object.keys(wanted.shape).map((name) => [name, text]));
  const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean', short: 'h' } } });
  const result = wanted.safeParse(values);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `--${String(issue.path[0])} ${issue.message}`);
  throw new Error(`cannot read options: ${problems.join('; ')}`);
}
