// CoreDNS as the objects of Kubernetes that make it the name server of all pods.
import type { KubernetesObject } from '@kubernetes/client-node';
import { DNS_ADDRESS } from '../network.ts';

const metadata = { name: 'coredns', namespace: 'kube-system' };
const labels = { 'k8s-app': 'kube-dns' };

const corefile = `.:53 {
    errors
    ready :8181
    kubernetes cluster.local in-addr.arpa {
        pods insecure
    }
    cache 5
}
`;

const container = {
  name: 'coredns',
  image: 'localhost/coredns:1',
  imagePullPolicy: 'Never',
  args: ['-conf', '/etc/coredns/Corefile'],
  readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
  volumeMounts: [{ name: 'settings', mountPath: '/etc/coredns' }],
  securityContext: {
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
};

export const dnsDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: metadata.name,
        priorityClassName: 'system-cluster-critical',
        dnsPolicy: 'Default',
        containers: [container],
        volumes: [{ name: 'settings', configMap: { name: metadata.name } }],
      },
    },
  },
};

export const dnsObjects: readonly KubernetesObject[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  object('ClusterRole', {
    rules: [
      { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  }),
  object('ClusterRoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  }),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: corefile } } as KubernetesObject,
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: metadata.namespace, labels },
    spec: {
      clusterIP: DNS_ADDRESS,
      selector: labels,
      ports: ['UDP', 'TCP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol })),
    },
  } as KubernetesObject,
  dnsDeployment,
];

function object(kind: string, content: object): KubernetesObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name: 'system:coredns' }, ...content };
}
