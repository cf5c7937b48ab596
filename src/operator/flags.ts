// The flags and environment variables of the operator. PURE.
import { z } from 'zod';
import { helpFlag, isGiven } from '../lib/flags.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

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

const installation = z
  .string()
  .max(63)
  .regex(/^[a-zA-Z0-9]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/, {
    error: ({ input }) =>
      `"${String(input)}" is not a name of letters, digits, "-", "_" and "." such as team-a-production`,
  });

/** An environment variable has a text. */
const isTrue = z.union([isGiven, z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: 'must be true or false',
});

const levels = ['debug', 'info', 'warn', 'error'] as const;

export const flags = {
  kubeconfig: {
    schema: z.string().optional(),
    value: 'PATH',
    help: "kubeconfig to use; default: KUBECONFIG, the pod's service account, ~/.kube/config",
  },
  context: {
    schema: z.string().optional(),
    value: 'NAME',
    help: 'context of the kubeconfig; default: its current context',
  },
  namespaces: { schema: names.default([]), value: 'A,B', help: 'watch only these namespaces; default: all' },
  installation: {
    schema: installation.optional(),
    value: 'NAME',
    help: 'name that distinguishes this installation from others that share a tenant of the service; default: the uid of the namespace kube-system. Never change it',
  },
  quarantine: {
    schema: duration,
    value: 'DURATION',
    default: '15m',
    help: 'how long a create request without an answer may still take effect in the service; the deletion of its resource waits that long',
  },
  'health-address': {
    schema: address,
    value: '[HOST]:PORT',
    default: ':8081',
    help: 'address that serves /healthz, /readyz and /metrics. Without a host: all addresses. Port 0: any free port',
  },
  'leader-elect': {
    schema: isTrue,
    help: 'elect a leader: of several replicas, only the one that holds the Lease dataprocessing-operator reconciles',
  },
  'lease-namespace': {
    schema: z.string().min(1, 'must not be empty').optional(),
    value: 'NAME',
    help: 'namespace of that Lease; default: the namespace of the pod, or of the context',
  },
  'lease-duration': {
    schema: duration,
    value: 'DURATION',
    default: '15s',
    help: 'how long other replicas wait before they take over a lease that is no longer renewed',
  },
  'lease-renew-deadline': {
    schema: duration,
    value: 'DURATION',
    default: '10s',
    help: 'how long the leader continues without renewing its lease before it exits',
  },
  'lease-retry-period': {
    schema: duration,
    value: 'DURATION',
    default: '2s',
    help: 'interval between two attempts to acquire or renew the lease',
  },
  'shutdown-timeout': {
    schema: duration,
    value: 'DURATION',
    default: '20s',
    help: 'how long a graceful shutdown may take',
  },
  'log-level': {
    schema: z.enum(levels, { error: `must be one of ${levels.join(', ')}` }),
    value: levels.join('|'),
    default: 'info',
    help: 'least severe level that is logged',
  },
  ...helpFlag,
} as const;

/** The environment variables besides those of the flags. The proxies apply to services, never to the API server. */
export const variables = {
  KUBECONFIG: 'kubeconfig to use when --kubeconfig is not given',
  POD_NAME: 'name of this replica in the Lease and in events; default: the host name',
  HTTPS_PROXY: 'proxy for services with an https endpoint, such as http://user:password@proxy.example.com:3128',
  HTTP_PROXY: 'proxy for services with an http endpoint',
  NO_PROXY:
    'hosts without a proxy, separated by commas: host, .suffix, address or 10.0.0.0/8, optionally with :port, or * for all',
} as const;
