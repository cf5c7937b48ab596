// Parses flags and environment variables. The only file that reads process.env.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Flag, flags, levels, variables } from './flags.ts';

const second = 1000;
const units: Readonly<Record<string, number>> = { ms: 1, s: second, m: 60 * second, h: 3600 * second };

/** `90s`, `15m` or `1h`, in milliseconds. */
const duration = z.string().transform((text, context) => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit ?? ''];
  if (amount !== undefined && factor !== undefined) return Number(amount) * factor;
  context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as 90s, 15m or 1h` });
  return z.NEVER;
});

const names = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
);
/** Without a host, the server listens on all addresses, including those of IPv6. */
const address = z.string().transform((text, context) => {
  const [, host = '', port] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined && Number(port) < 65_536) return { ...(host === '' ? {} : { host }), port: Number(port) };
  context.addIssue({ code: 'custom', message: `"${text}" is not an address such as :8081 or 127.0.0.1:8081` });
  return z.NEVER;
});

const options = z.object({
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
  namespaces: names.default([]),
  installation: z
    .string()
    .max(63)
    .regex(/^[a-zA-Z0-9]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/, {
      error: ({ input }) =>
        `"${String(input)}" is not a name of letters, digits, "-", "_" and "." such as team-a-production`,
    })
    .optional(),
  quarantine: duration.default(15 * 60 * second),
  'health-address': address.default({ port: 8081 }),
  'leader-elect': z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
      error: 'must be true or false',
    })
    .default(false),
  'lease-namespace': z.string().min(1, 'must not be empty').optional(),
  'lease-duration': duration.default(15 * second),
  'lease-renew-deadline': duration.default(10 * second),
  'lease-retry-period': duration.default(2 * second),
  'shutdown-timeout': duration.default(20 * second),
  'log-level': z.enum(levels, { error: `must be one of ${levels.join(', ')}` }).default('info'),
  help: z.boolean().default(false),
});

const schema = options.superRefine((config, context) => {
  const { 'lease-duration': duration, 'lease-renew-deadline': deadline, 'lease-retry-period': retry } = config;
  const refuse = (name: keyof typeof config, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (duration % second !== 0) refuse('lease-duration', 'must be whole seconds');
  // The leader must stop before another replica takes over, and needs time for more than one attempt to renew.
  if (deadline >= duration) refuse('lease-renew-deadline', 'must be shorter than --lease-duration');
  if (retry < 1 || retry * 2 > deadline)
    refuse('lease-retry-period', 'must be greater than 0 and at most half of --lease-renew-deadline');
});

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
export type Config = z.output<typeof schema> & {
  readonly environment: Environment;
  /** For services, never for the API server. The URLs may contain passwords. */
  readonly proxies: {
    readonly http?: string | undefined;
    readonly https?: string | undefined;
    readonly none: readonly string[];
  };
};

export const help = [
  'Usage: npm start -- [OPTIONS]',
  '',
  'Runs dataprocessing-operator against the cluster of its pod, or of the current kubeconfig.',
  'Each option can also be set by an environment variable: --log-level by DATAPROCESSING_LOG_LEVEL.',
  '',
  ...Object.entries<Flag>(flags).map(
    ([name, flag]) => `  ${`--${name}${flag.value ? ` ${flag.value}` : ''}`.padEnd(38)} ${flag.help}`,
  ),
  '',
  'These variables, in upper or lower case, set a proxy for services. The API server is always reached directly:',
  ...(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const).map((name) => `  ${name.padEnd(38)} ${variables[name]}`),
  '',
].join('\n');

/** The environment variable of a flag: DATAPROCESSING_LOG_LEVEL for log-level. */
export const variableOf = (flag: string): string => `DATAPROCESSING_${flag.toUpperCase().replaceAll('-', '_')}`;

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
  const { values } = parseArgs({ args: [...args], options: flags, strict: true });
  const parsed = schema.safeParse({ ...fromEnvironment(environment), ...values });
  const variables = proxySchema.safeParse(proxyVariables(environment));
  if (parsed.success && variables.success) {
    const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none } = variables.data;
    return { ...parsed.data, environment, proxies: { http, https, none } };
  }
  const flagged = (parsed.error?.issues ?? []).map((issue) => `--${issue.path.join('.')}: ${issue.message}`);
  const named = (variables.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const problems = [...flagged, ...named];
  throw new Error(`cannot start: ${problems.join('; ')} (see --help)`);
}
