// The flags and environment variables of the operator. PURE.
import { z } from 'zod';
import { commaSeparated, helpFlag, oneOf, readAs, textLike } from '../lib/flags.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** In milliseconds. */
const duration = readAs('a duration such as 90s, 15m or 1h', (text) => {
  const [, amount, unit = ''] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
});

/** Without a host, the server listens on all addresses, including those of IPv6. */
const address = readAs('an address such as :8081 or 127.0.0.1:8081', (text) => {
  const [, host = '', port] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { ...(host === '' ? {} : { host }), port: Number(port) };
});

const installation = textLike(
  'a name of at most 63 letters, digits, "-", "_" and "." such as team-a-production',
  /^(?=.{1,63}$)[a-zA-Z0-9]([-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/,
);

const levels = ['debug', 'info', 'warn', 'error'] as const;

export const flags = {
  kubeconfig: {
    schema: z.string(),
    value: 'PATH',
    help: "kubeconfig to use; default: KUBECONFIG, the pod's service account, ~/.kube/config",
  },
  context: {
    schema: z.string(),
    value: 'NAME',
    help: 'context of the kubeconfig; default: its current context',
  },
  namespaces: { schema: commaSeparated, value: 'A,B', default: '', help: 'watch only these namespaces; default: all' },
  installation: {
    schema: installation,
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
  'web-address': {
    schema: address,
    value: '[HOST]:PORT',
    help: 'address that serves a read-only page with all objects, for users with a token of Kubernetes; default: none. The page has no TLS: use 127.0.0.1:PORT with kubectl port-forward, or a proxy with TLS. The operator then needs the ClusterRole system:auth-delegator',
  },
  'leader-elect': {
    help: 'elect a leader: of several replicas, only the one that holds the Lease dataprocessing-operator reconciles',
  },
  'lease-namespace': {
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
    schema: oneOf(levels),
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
