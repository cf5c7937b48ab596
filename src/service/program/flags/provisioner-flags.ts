// Flags that choose what makes the machines of clusters. PURE.

import { parseArgs } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import { isNetwork } from '../../../lib/networks.ts';
import { isLoopback } from '../../api/http/sites.ts';
import type { ProcessSettings } from '../../backends/processes/open.ts';
import type { EngineSource } from '../../engines/homes/source.ts';
import { engineSources } from '../../engines/index.ts';

/** Of the folder of an engine, in the columns of all flags. */
const engineHelp = engineSources
  .map(({ flag, help }) => `  ${`${flag} FOLDER`.padEnd(21)}${help.join(`\n${' '.repeat(23)}`)}\n`)
  .join('');

export const provisionerHelp = `\
  --provisioner WORD   what makes clusters: simulated, processes, which runs them here as your user,
                       or kubernetes, which runs them in pods         (simulated)
  --machines FOLDER    where the machines of --provisioner processes are. Default: the folder
                       machines beside the file of --data, or
                       $XDG_STATE_HOME/dataprocessing-service/machines
${engineHelp}  --java FILE          the Java that runs it, 17 or newer. Default: that of JAVA_HOME, or of PATH
  --job-files FOLDER   the folder whose files the jobs of --provisioner processes can name in URLs
                       that begin with file:                          (none)
  --log-bytes N        how much of the output of a job is kept        (16777216)
  --allow-fetch-from CIDR  a network from which the files of real jobs can be fetched, although it
                       is link-local or part of the Kubernetes cluster. Can be repeated
                       (--provisioner processes: 127.0.0.0/8 and ::1/128, otherwise none)
  --deny-fetch-from CIDR  a network from which they cannot be fetched, such as that of the pods and
                       Services of the Kubernetes cluster. Can be repeated
  --stop-clusters      end the processes of clusters and jobs when the service ends with SIGTERM or
                       SIGINT. Without it they go on, and the next service finds them again
  --flavors-file FILE  the flavors of real clusters, YAML or JSON: cores, memory and disk of
                       machines                          (1 to 5: 1 to 16 GiB of memory)
  --machine-memory N   how much memory all clusters can take, in MiB  (what is available)
  --allow-affinity-violations
                       accept anti_affinity with --provisioner processes: all machines are here
  --i-trust-all-users  allow --provisioner processes with a --host that others reach: they can then
                       run programs as your user
`;

const networks = z.array(z.string().refine(isNetwork, { error: 'is not a network such as 10.0.0.0/8' })).default([]);

const nameOf = ({ flag }: EngineSource): string => flag.slice(2);
/** One flag for each source. Their names are not known to the type, so `homesOf` reads them. */
const engineFields: Readonly<Record<never, never>> = Object.fromEntries(
  engineSources.map((source) => [nameOf(source), z.string().min(1).optional()]),
);
const homesOf = (flags: object): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    engineSources.map((source) => [source.name, (flags as Readonly<Record<string, string>>)[nameOf(source)]]),
  );

export const provisionerFields = {
  provisioner: z.enum(['simulated', 'processes', 'kubernetes']).default('simulated'),
  machines: z.string().min(1).optional(),
  ...engineFields,
  java: z.string().min(1).optional(),
  'job-files': z.string().min(1).optional(),
  'log-bytes': z
    .string()
    .regex(/^[1-9]\d{3,14}$/, { error: 'is not a whole number above 999' })
    .transform(Number)
    .default(16 * 1024 ** 2),
  'allow-fetch-from': networks,
  'deny-fetch-from': networks,
  'stop-clusters': z.boolean().default(false),
  'flavors-file': z.string().min(1).optional(),
  'machine-memory': z
    .string()
    .regex(/^[1-9]\d{0,9}$/, { error: 'is not a whole number above 0' })
    .transform(Number)
    .optional(),
  'allow-affinity-violations': z.boolean().default(false),
  'i-trust-all-users': z.boolean().default(false),
};

type ProvisionerFlags = z.output<z.ZodObject<typeof provisionerFields>> & {
  readonly host: string;
  readonly flavors?: readonly string[] | undefined;
  readonly plugins?: string | undefined;
};

const refuse = (why: string): Error => new Error(`cannot read flags: ${why}`);

/** Undefined for the other provisioners. Throws `cannot read flags: ...` if the flags contradict each other. */
export function processesOf(flags: ProvisionerFlags): ProcessSettings | undefined {
  if (flags.provisioner !== 'processes') {
    checkOther(flags);
    if (flags.provisioner === 'kubernetes') checkCatalog(flags);
    return undefined;
  }
  checkCatalog(flags);
  checkHost(flags);
  const { machines, java } = flags;
  const limits = { memory: flags['machine-memory'], allowsAffinity: flags['allow-affinity-violations'] };
  const { 'job-files': jobFiles, 'log-bytes': logBytes, 'flavors-file': flavorsFile } = flags;
  const stopClusters = flags['stop-clusters'];
  // Jobs run here as well, and reach this computer anyway.
  const { 'allow-fetch-from': allow, 'deny-fetch-from': denied } = flags;
  const fetching = { allowed: allow.length === 0 ? ['127.0.0.0/8', '::1/128'] : allow, denied };
  const homes = homesOf(flags);
  return { machines, homes, java, jobFiles, logBytes, flavorsFile, stopClusters, fetching, ...limits };
}

function checkOther(flags: ProvisionerFlags): void {
  const { machines, java } = flags;
  const { 'job-files': files, 'flavors-file': flavors, 'machine-memory': memory } = flags;
  const local = { machines, ...homesOf(flags), java, 'job-files': files, 'machine-memory': memory };
  const given = Object.entries(local).find(([, value]) => value !== undefined);
  if (given !== undefined) throw refuse(`--${given[0]} needs --provisioner processes`);
  if (flavors !== undefined && flags.provisioner === 'simulated')
    throw refuse('--flavors-file needs --provisioner processes or kubernetes');
  const fetches = [...flags['allow-fetch-from'], ...flags['deny-fetch-from']].length > 0;
  if (fetches && flags.provisioner === 'simulated')
    throw refuse('--allow-fetch-from and --deny-fetch-from need --provisioner processes or kubernetes');
  if (flags['stop-clusters']) throw refuse('--stop-clusters needs --provisioner processes');
}

function checkCatalog({ flavors, plugins }: ProvisionerFlags): void {
  if (flavors !== undefined)
    throw refuse('--flavors needs --provisioner simulated: describe real flavors with --flavors-file');
  if (plugins !== undefined)
    throw refuse('--plugins needs --provisioner simulated: the plugins of real clusters are those of their engines');
}

function checkHost({ host, ...flags }: ProvisionerFlags): void {
  if (!isLoopback(host) && !flags['i-trust-all-users'])
    throw refuse(
      `--provisioner processes runs programs of everybody who can reach ${host} as your user; leave --host out, or add --i-trust-all-users`,
    );
}

export const cleanHelp = `\
Usage: npm run service -- clean [--machines FOLDER] [--data FILE]

Ends the processes of all clusters and jobs that a killed service has left, and removes their files. Give it the flags of
that service: they say where its machines are.
`;

const cleanFlags = { machines: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean' } } as const;

export interface CleanFlags {
  readonly machines: string | undefined;
  readonly data: string | undefined;
  readonly help: boolean;
}

/** Throws `cannot read flags: ...`. */
export function parseClean(args: readonly string[]): CleanFlags {
  try {
    const { machines, data, help = false } = parseArgs({ args: [...args], options: cleanFlags }).values;
    return { machines, data, help };
  } catch (cause) {
    throw new Error(`cannot read flags: ${messageOf(cause)}`, { cause });
  }
}
