// The command line of the bundled service: parser, checks and help. PURE.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import { type Dialect, dialects } from '../../../wire/dialect.ts';
import type { CloudImage } from '../../model/catalog/catalog.ts';
import { clusterStages } from '../../model/stages/clusters.ts';
import { executionStages } from '../../model/stages/executions.ts';
import { accessFields, accessHelp, accessOf, exposureFields, exposureHelp, exposureOf } from './access-flags.ts';
import { kubernetesFields, kubernetesHelp, kubernetesOf } from './kubernetes-flags.ts';
import { processesOf, provisionerFields, provisionerHelp } from './provisioner-flags.ts';

export const help = `Usage: npm run service -- [flags]

Serves the API of the data-processing service without a cloud: plugins, images, templates, clusters
and jobs. Clusters and job executions are simulated, and pass through the states of real ones. With
--provisioner processes or kubernetes, clusters and jobs are real.

  --port N             port to listen on, 0 for a free one            (8386)
  --host ADDRESS       address to listen on                           (127.0.0.1)
  --dialect WORD       vocabulary and behavior: neutral, sahara, savanna (neutral)
  --data FILE          store everything in this file. Every change is on the disk before it is
                       answered. Without it all data is lost at the end
  --load FILE          objects that exist from the start, YAML or JSON: see
                       docs/how-to/bundled-service/fixtures.md
${accessHelp}${exposureHelp}${provisionerHelp}${kubernetesHelp}  --flavors LIST       existing flavors, separated by commas. sahara and savanna accept only
                       digits and UUIDs                               (1 to 5, and any UUID)
  --images LIST        existing images, separated by commas. ID: registered, with the tags of all
                       plugins. ID:unregistered: not registered yet.
                       Default: any UUID is a registered image, except for
                       2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58 and
                       91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13, which are unregistered
  --plugins FILE       plugins instead of the bundled ones, YAML or JSON: see
                       docs/how-to/bundled-service/plugins.md
  --quota N            maximum number of machines of a tenant         (10000)
  --quota-rows N       maximum number of resources of a tenant        (100000)
  --quota-row-bytes N  memory that these resources take, in bytes     (134217728)
  --quota-bytes N      maximum size of the internal job binaries of a tenant (1073741824)
  --quota-run-bytes N  maximum size of what the runs of a tenant keep on the disk: their files until
                       they start, and their outputs until they are deleted (1073741824)
  --stage-ms N         ms that clusters and job executions stay in each status
                       (1000, 0 if clusters are real)
                       STATUS=N sets it for one status. Can be repeated
  --max-concurrent N   maximum number of clusters that are created or scaled at a time, and of jobs
                       that run at a time. Deletions never wait       (no maximum)
  --latency-ms N       additional delay of each answer in ms          (0)
  --seed N             the same identifiers and addresses in each run (random)
  --log-level LEVEL    debug, info, warn, error or silent             (info)
  --help               this text

A configuration file for convert-config is the JSON body of a request for a cluster template;
plugin and version come from the path, the name from the path or the file.

The first line on standard output is: listening on http://HOST:PORT
The service ends at SIGINT or SIGTERM, after it has answered the requests under way.
`;

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const image = z
  .string()
  .regex(/^[^:]+(:unregistered)?$/, { error: 'has an item that is neither ID nor ID:unregistered' })
  .transform((text): CloudImage => {
    const [id = '', state] = text.split(':');
    return { id, name: id, registered: state === undefined };
  });
const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, { error: 'is not a whole number' }).transform(Number).pipe(z.int().min(min).max(max));

const flagSchema = z.object({
  port: integer(0, 65_535).default(8386),
  host: z.string().min(1).default('127.0.0.1'),
  dialect: z.enum(dialects).default('neutral'),
  data: z.string().min(1).optional(),
  load: z.string().min(1).optional(),
  ...accessFields,
  ...exposureFields,
  ...provisionerFields,
  ...kubernetesFields,
  flavors: list.optional(),
  images: list.pipe(z.array(image)).optional(),
  plugins: z.string().min(1).optional(),
  quota: integer(0, 1_000_000).default(10_000),
  'quota-rows': integer(0, 1_000_000_000).default(100_000),
  'quota-row-bytes': integer(0, Number.MAX_SAFE_INTEGER).default(128 * 1024 ** 2),
  'quota-bytes': integer(0, Number.MAX_SAFE_INTEGER).default(1024 ** 3),
  'quota-run-bytes': integer(0, Number.MAX_SAFE_INTEGER).default(1024 ** 3),
  'stage-ms': z.array(z.string().regex(/^([A-Za-z: ]+=)?\d{1,9}$/, { error: 'is neither N nor STATUS=N' })).default([]),
  'max-concurrent': integer(1, 100_000).optional(),
  'latency-ms': integer(0, 60_000).default(0),
  seed: integer(0, 2 ** 32 - 1).optional(),
  'log-level': z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  help: z.boolean().default(false),
});

/** How `parseArgs` reads a flag, which follows from its schema. */
export function optionOf(schema: z.core.$ZodType): {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
} {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return optionOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  return { type: 'string', multiple: schema instanceof z.ZodArray };
}

const options = {
  ...Object.fromEntries(Object.entries(flagSchema.shape).map(([name, schema]) => [name, optionOf(schema)])),
  help: { type: 'boolean', short: 'h' },
} as const;

export type Flags = ReturnType<typeof parseFlags>;

/** Throws `cannot read flags: ...` at a word that is no status of the dialect. */
export function checkStatuses(flag: string, statuses: readonly string[], dialect: Dialect): void {
  const words = [...clusterStages.statuses(dialect), ...executionStages.statuses(dialect)];
  const unknown = statuses.find((status) => !words.includes(status));
  if (unknown === undefined) return;
  throw new Error(`cannot read flags: ${flag} has no status ${unknown}; there are ${words.join(', ')}`);
}

/** The duration by status from `N` and `STATUS=N`. The last value wins. Unknown statuses are refused, because they are typos. */
function parseStages(values: readonly string[], usual: number, dialect: Dialect): (status: string) => number {
  const pairs = values.map((value) => {
    const at = value.lastIndexOf('=');
    return [value.slice(0, Math.max(at, 0)), Number(value.slice(at + 1))] as const;
  });
  const named = pairs.map(([status]) => status).filter((status) => status !== '');
  checkStatuses('--stage-ms', named, dialect);
  const byStatus = new Map([['', usual], ...pairs]);
  return (status) => byStatus.get(status) ?? byStatus.get('') ?? 0;
}

/** Throws `cannot read flags: ...` with every wrong flag. */
export function parseFlags(argv: readonly string[]) {
  const { values } = readArguments(argv);
  const result = flagSchema.safeParse(values);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `--${String(issue.path[0])} ${issue.message}`);
    throw new Error(`cannot read flags: ${problems.join('; ')}`);
  }
  const { 'stage-ms': stages, 'latency-ms': latencyMs, 'log-level': logLevel, ...rest } = result.data;
  const { 'max-concurrent': maxConcurrent } = rest;
  const access = accessOf(rest);
  const { 'quota-rows': rowQuota, 'quota-row-bytes': rowByteQuota, 'quota-bytes': byteQuota } = rest;
  const quotas = { rowQuota, rowByteQuota, byteQuota, runByteQuota: rest['quota-run-bytes'] };
  const exposure = exposureOf(rest);
  return {
    ...rest,
    ...access,
    ...exposure,
    ...quotas,
    processes: processesOf(rest),
    kubernetes: kubernetesOf(rest),
    maxConcurrent,
    latencyMs,
    logLevel,
    // Real clusters and jobs take their own time.
    stageMs: parseStages(stages, rest.provisioner === 'simulated' ? 1000 : 0, rest.dialect),
  };
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: false, strict: true });
  } catch (cause) {
    throw new Error(`cannot read flags: ${messageOf(cause)}`, { cause });
  }
}
