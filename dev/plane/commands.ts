// The command lines of the three programs of every plane, tested with the pinned releases.
import { filesOf } from './directory.ts';

/** The addresses of Services. Without a node, nothing routes there. */
const SERVICE_RANGE = '10.0.0.0/24';

export function etcdFlags(directory: string, clientPort: number, peerPort: number): readonly string[] {
  const [client, peer] = [clientPort, peerPort].map((port) => `http://127.0.0.1:${port}`);
  return [
    `--data-dir=${filesOf(directory).data}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // The data does not outlive the plane, and restarts of the API server leave etcd alone.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

/** `prefix` keeps planes apart even if a port clash should show one the etcd of another. */
export function apiServerFlags(directory: string, port: number, etcdPort: number, prefix: string): readonly string[] {
  const files = filesOf(directory);
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--etcd-prefix=/${prefix}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${files.server}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--client-ca-file=${files.authority}`,
    // These three make TokenRequest work, so that tests can run as a ServiceAccount.
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.accountPublicKey}`,
    `--service-account-signing-key-file=${files.accountKey}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.audit}`,
  ];
}

/** Only requests of ServiceAccounts, because the tests check only their permissions. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }],
};

/** All that a plane without nodes and pods has a use for: owner references, the deletion of namespaces, and autoscalers. */
export const fewControllers = [
  '--controllers=garbage-collector-controller,namespace-controller,horizontal-pod-autoscaler-controller',
  // 15 s by default.
  '--horizontal-pod-autoscaler-sync-period=1s',
];

export function controllerManagerFlags(directory: string, port: number): readonly string[] {
  return [
    `--kubeconfig=${filesOf(directory).controllerManager}`,
    '--leader-elect=false',
    `--secure-port=${port}`,
    // With its own credentials alone the namespace controller is forbidden to empty a namespace.
    '--use-service-account-credentials=true',
  ];
}
