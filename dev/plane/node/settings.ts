// The settings of the programs of a node. The kubelet and kube-proxy read JSON as YAML.
import { filesOf } from '../directory.ts';
import { nodeFilesOf } from './files.ts';
import { DNS_ADDRESS, POD_RANGE } from './network.ts';

/** In the folder of the node that holds its sockets, and that nobody outside sees. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
export const NODE_NAME = 'node';

export function containerdSettings(directory: string, plugins: string): string {
  const files = nodeFilesOf(directory);
  const text = JSON.stringify;
  return `version = 2
root = ${text(files.containerd)}
state = "/run/containerd"
[grpc]
  address = ${text(CONTAINERD_SOCKET)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${text(`${files.containerd}-opt`)}
[plugins."io.containerd.grpc.v1.cri"]
  # A name that begins with localhost is never looked up in a public registry.
  sandbox_image = "localhost/pause:1"
  # Root in a container has no CAP_SYS_RESOURCE, and runc may not lower the score without it.
  restrict_oom_score_adj = true
  # CoreDNS listens on port 53 without being root.
  enable_unprivileged_ports = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${text(plugins)}
    conf_dir = ${text(files.networkSettings)}
`;
}

/**
 * Each pod has a link of its own to the node, which routes between them.
 *
 * With a bridge, answers of pods to one another would pass kube-proxy by, unless the kernel module br_netfilter is loaded.
 */
export const networkSettings = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni',
        ranges: [[{ subnet: POD_RANGE }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

export function kubeletSettings(directory: string, address: string, cgroup: string): object {
  const files = nodeFilesOf(directory);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address,
    healthzBindAddress: '127.0.0.1',
    tlsCertFile: files.kubeletCertificate,
    tlsPrivateKeyFile: files.kubeletKey,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: filesOf(directory).authority },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    // Kubernetes is about to give up version 1 of cgroups, which some computers have.
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    // It compares kernel settings, and changes none.
    protectKernelDefaults: true,
    // A full disk of the developer's is no reason to evict pods or to delete images.
    evictionHard: { 'memory.available': '100Mi' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: 'cluster.local',
    // No name of the world outside is known in pods.
    resolvConf: '',
    podLogsDir: files.podLogs,
    volumePluginDir: `${files.kubelet}/volume-plugins`,
  };
}

export function proxySettings(directory: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig: nodeFilesOf(directory).proxyKubeconfig },
    hostnameOverride: NODE_NAME,
    clusterCIDR: POD_RANGE,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    // These settings belong to the whole computer.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
