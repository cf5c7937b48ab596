// What the operator can be told by flags and environment; the only reader of process.env.
import { parseArgs } from 'node:util';
import { z } from 'zod';

const second = 1000;
const units: Readonly<Record<string, number>> = { ms: 1, s: second, m: 60 * second, h: 3600 * second };

/** `90s`, `15m`, `1h`: milliseconds. */
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
const levels = ['debug', 'info', 'warn', 'error'] as const;

interface Flag {
  readonly type: 'string' | 'boolean';
  readonly value?: string;
  readonly help: string;
}

const flags = {
  kubeconfig: {
    type: 'string',
    value: 'PATH',
    help: "kubeconfig to use; default: KUBECONFIG, the pod's service account, ~/.kube/config",
  },
  context: { type: 'string', value: 'NAME', help: 'context of the kubeconfig; default: its current one' },
  namespaces: { type: 'string', value: 'A,B', help: 'watch only these namespaces; default: all' },
  installation: {
    type: 'string',
    value: 'NAME',
    help: 'what tells this installation from others that share a tenant of the service; default: the uid of the namespace kube-system. Never change it',
  },
  quarantine: {
    type: 'string',
    value: 'DURATION',
    help: 'how long a create without an answer may still take effect; a deletion waits for it. Default: 15m',
  },
  'health-address': {
    type: 'string',
    value: 'HOST:PORT',
    help: 'where /healthz, /readyz and /metrics are served; default: 0.0.0.0:8081. Port 0: any',
  },
  'shutdown-timeout': { type: 'string', value: 'DURATION', help: 'how long a stop may take; default: 20s' },
  'log-level': { type: 'string', value: levels.join('|'), help: 'default: info' },
  help: { type: 'boolean', help: 'this text' },
} as const satisfies Readonly<Record<string, Flag>>;

const address = z.string().transform((text, context) => {
  const [, host = '', port] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined && Number(port) < 65_536) return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
  context.addIssue({ code: 'custom', message: `"${text}" is not an address such as 0.0.0.0:8081` });
  return z.NEVER;
});

const schema = z.object({
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
  namespaces: names.default([]),
  installation: z.string().min(1).max(63).optional(),
  quarantine: duration.default(15 * 60 * second),
  'health-address': address.default({ host: '0.0.0.0', port: 8081 }),
  'shutdown-timeout': duration.default(20 * second),
  'log-level': z.enum(levels, { error: `must be one of ${levels.join(', ')}` }).default('info'),
  help: z.boolean().default(false),
});
export type Config = z.output<typeof schema> & { readonly environment: Readonly<Record<string, string | undefined>> };

export const help = [
  'Usage: npm start -- [OPTIONS]',
  '',
  'Runs dataprocessing-operator against the current kubeconfig, or in the cluster of its pod.',
  'Each option can also be given by the environment: --log-level as DATAPROCESSING_LOG_LEVEL.',
  '',
  ...Object.entries<Flag>(flags).map(
    ([name, flag]) => `  ${`--${name}${flag.value ? ` ${flag.value}` : ''}`.padEnd(38)} ${flag.help}`,
  ),
  '',
].join('\n');

function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const named = Object.keys(flags).map(
    (flag) => [flag, environment[`DATAPROCESSING_${flag.toUpperCase().replaceAll('-', '_')}`]] as const,
  );
  return Object.fromEntries(
    named.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[0] !== 'help'),
  );
}

/** Throws with a message that names the option and the remedy. Flags go before the environment. */
export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const { values } = parseArgs({ args: [...args], options: flags, strict: true });
  const parsed = schema.safeParse({ ...fromEnvironment(environment), ...values });
  if (parsed.success) return { ...parsed.data, environment };
  const problems = parsed.error.issues.map((issue) => `--${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`cannot start: ${problems.join('; ')} (see --help)`);
}
