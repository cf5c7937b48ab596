// Flags that choose what makes the machines of clusters. PURE.
import { z } from 'zod';
import { isLoopback } from '../http/sites.ts';

export const provisionerHelp = `\
  --provisioner WORD   what makes clusters: simulated, or processes, which runs them here as your
                       user                                           (simulated)
  --machines FOLDER    where the machines of --provisioner processes are
  --spark FOLDER       the Spark 4.1 that --provisioner processes runs
  --java FILE          the Java that runs it, 17 or newer             (java)
  --i-trust-all-users  allow --provisioner processes with a --host that others reach: they can then
                       run programs as your user
`;

export const provisionerFields = {
  provisioner: z.enum(['simulated', 'processes']).default('simulated'),
  machines: z.string().min(1).optional(),
  spark: z.string().min(1).optional(),
  java: z.string().min(1).default('java'),
  'i-trust-all-users': z.boolean().default(false),
};

type ProvisionerFlags = z.output<z.ZodObject<typeof provisionerFields>> & { readonly host: string };

/** Where real clusters are, and what runs them. */
export interface ProcessSettings {
  readonly machines: string;
  readonly spark: string;
  readonly java: string;
}

/** Undefined for the simulated provisioner. Throws `cannot read flags: ...` if the flags contradict each other. */
export function processesOf(flags: ProvisionerFlags): ProcessSettings | undefined {
  const { provisioner, machines, spark, java, host } = flags;
  const refuse = (why: string) => new Error(`cannot read flags: ${why}`);
  if (provisioner === 'simulated') {
    if (machines !== undefined || spark !== undefined)
      throw refuse('--machines and --spark need --provisioner processes');
    return undefined;
  }
  if (machines === undefined || spark === undefined)
    throw refuse('--provisioner processes needs --machines and --spark');
  if (!isLoopback(host) && !flags['i-trust-all-users'])
    throw refuse(
      `--provisioner processes runs programs of everybody who can reach ${host} as your user; leave --host out, or add --i-trust-all-users`,
    );
  return { machines, spark, java };
}
