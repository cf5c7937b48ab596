// The options of the command line: names, kinds and what the help says of them.

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
    value: '[HOST]:PORT',
    help: 'where /healthz, /readyz and /metrics are served; default: :8081, on all addresses. Port 0: any',
  },
  'leader-elect': {
    type: 'boolean',
    help: 'stand for election: of several replicas only the one that holds the Lease dataprocessing-operator works',
  },
  'lease-namespace': {
    type: 'string',
    value: 'NAME',
    help: 'where that Lease is; default: the namespace of the pod, or of the context',
  },
  'lease-duration': {
    type: 'string',
    value: 'DURATION',
    help: 'how long other replicas leave the lease of one alone that is not heard of any more; default: 15s',
  },
  'lease-renew-deadline': {
    type: 'string',
    value: 'DURATION',
    help: 'how long the leader goes on without renewing its lease; then it ends. Default: 10s',
  },
  'lease-retry-period': { type: 'string', value: 'DURATION', help: 'between two looks at the lease; default: 2s' },
  'shutdown-timeout': { type: 'string', value: 'DURATION', help: 'how long a stop may take; default: 20s' },
  'log-level': { type: 'string', value: levels.join('|'), help: 'default: info' },
  help: { type: 'boolean', help: 'this text' },
} as const satisfies Readonly<Record<string, Flag>>;
