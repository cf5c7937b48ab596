// The flags and environment variables of the operator, with their help texts.

export const levels = ['debug', 'info', 'warn', 'error'] as const;

export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly value?: string;
  readonly help: string;
}

export const flags = {
  kubeconfig: {
    type: 'string',
    value: 'PATH',
    help: "kubeconfig to use; default: KUBECONFIG, the pod's service account, ~/.kube/config",
  },
  context: { type: 'string', value: 'NAME', help: 'context of the kubeconfig; default: its current context' },
  namespaces: { type: 'string', value: 'A,B', help: 'watch only these namespaces; default: all' },
  installation: {
    type: 'string',
    value: 'NAME',
    help: 'name that distinguishes this installation from others that share a tenant of the service; default: the uid of the namespace kube-system. Never change it',
  },
  quarantine: {
    type: 'string',
    value: 'DURATION',
    help: 'how long a create request without an answer may still take effect in the service; the deletion of its resource waits that long. Default: 15m',
  },
  'health-address': {
    type: 'string',
    value: '[HOST]:PORT',
    help: 'address that serves /healthz, /readyz and /metrics; default: :8081, on all addresses. Port 0: any free port',
  },
  'leader-elect': {
    type: 'boolean',
    help: 'elect a leader: of several replicas, only the one that holds the Lease dataprocessing-operator reconciles',
  },
  'lease-namespace': {
    type: 'string',
    value: 'NAME',
    help: 'namespace of that Lease; default: the namespace of the pod, or of the context',
  },
  'lease-duration': {
    type: 'string',
    value: 'DURATION',
    help: 'how long other replicas wait before they take over a lease that is no longer renewed; default: 15s',
  },
  'lease-renew-deadline': {
    type: 'string',
    value: 'DURATION',
    help: 'how long the leader continues without renewing its lease before it exits; default: 10s',
  },
  'lease-retry-period': {
    type: 'string',
    value: 'DURATION',
    help: 'interval between two attempts to acquire or renew the lease; default: 2s',
  },
  'shutdown-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'how long a graceful shutdown may take; default: 20s',
  },
  'log-level': { type: 'string', value: levels.join('|'), help: 'least severe level that is logged; default: info' },
  help: { type: 'boolean', help: 'print this text' },
} as const satisfies Readonly<Record<string, Flag>>;

/** The environment variables besides those of the flags. The proxies apply to services, never to the API server. */
export const variables = {
  KUBECONFIG: 'kubeconfig to use when --kubeconfig is not given',
  POD_NAME: 'name of this replica in the Lease and in events; default: the host name',
  HTTPS_PROXY: 'proxy for services with an https endpoint, such as http://user:password@proxy.example.com:3128',
  HTTP_PROXY: 'proxy for services with an http endpoint',
  NO_PROXY:
    'hosts without a proxy, separated by commas: host, .suffix, address or 10.0.0.0/8, optionally with :port, or * for all',
} as const;
