// Parses flags and environment variables. The only file that reads process.env.
import { z } from 'zod';
import { type FlagValues, flagsHelp, helpLines, readFlags } from '../lib/flags.ts';
import { flags, variables } from './operator-flags.ts';

type Values = FlagValues<typeof flags>;

function contradictions(values: Values): readonly string[] {
  const { 'lease-duration': duration, 'lease-renew-deadline': deadline, 'lease-retry-period': retry } = values;
  return [
    ...(duration % 1000 === 0 ? [] : ['--lease-duration: must be whole seconds']),
    // The leader must stop before another replica takes over, and needs time for more than one attempt to renew.
    ...(deadline < duration ? [] : ['--lease-renew-deadline: must be shorter than --lease-duration']),
    ...(retry >= 1 && retry * 2 <= deadline
      ? []
      : ['--lease-retry-period: must be greater than 0 and at most half of --lease-renew-deadline']),
  ];
}

/** The URL may contain a password, so no message repeats it. */
const proxyUrl = z.string().transform((text, context) => {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol) && isDecodable(url.username + url.password)) return url.href;
  context.addIssue({ code: 'custom', message: 'is not the URL of a proxy, such as http://proxy.example.com:3128' });
  return z.NEVER;
});

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

const proxySchema = z.object({
  HTTP_PROXY: proxyUrl.optional(),
  HTTPS_PROXY: proxyUrl.optional(),
  NO_PROXY: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== '')),
});

type Environment = Readonly<Record<string, string | undefined>>;
export type Config = Values & {
  readonly environment: Environment;
  /** For services, never for the API server. The URLs may contain passwords. */
  readonly proxies: {
    readonly http?: string | undefined;
    readonly https?: string | undefined;
    readonly none: readonly string[];
  };
};

export const help = `Usage: npm start -- [OPTIONS]

Runs dataprocessing-operator against the cluster of its pod, or of the current kubeconfig.
Each option can also be set by an environment variable: --log-level by DATAPROCESSING_LOG_LEVEL.

${flagsHelp(flags)}
These variables, in upper or lower case, set a proxy for services. The API server is always reached directly:
${helpLines((['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const).map((name) => [name, variables[name]]))}`;

/** The environment variable of a flag: DATAPROCESSING_LOG_LEVEL for log-level. */
export function variableOf(flag: string): string {
  return `DATAPROCESSING_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function fromEnvironment(environment: Environment): Record<string, string> {
  const named = Object.keys(flags).map((flag) => [flag, environment[variableOf(flag)]] as const);
  return Object.fromEntries(
    named.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[0] !== 'help'),
  );
}

/** Lower case takes precedence. An empty variable counts as unset. */
function proxyVariables(environment: Environment): Record<string, string | undefined> {
  const valueOf = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  return Object.fromEntries(Object.keys(proxySchema.shape).map((name) => [name, valueOf(name)]));
}

/** Sets the size of libuv's thread pool. It has an effect only before the first use of the pool. */
export function setThreads(count: number, environment: NodeJS.ProcessEnv = process.env): void {
  environment['UV_THREADPOOL_SIZE'] = String(count);
}

/** Throws an Error that names the option and the remedy. Flags take precedence over the environment. */
export function readConfig(args: readonly string[], environment: Environment = process.env): Config {
  const { values, problems } = readFlags(flags, args, { others: fromEnvironment(environment) });
  const variables = proxySchema.safeParse(proxyVariables(environment));
  const named = (variables.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const all = [...(values === undefined ? problems : contradictions(values)), ...named];
  if (values === undefined || !variables.success || all.length > 0)
    throw new Error(`cannot start: ${all.join('; ')} (see --help)`);
  const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none } = variables.data;
  return { ...values, environment, proxies: { http, https, none } };
}
