// The releases of the programs that demo and tests run, and the addresses from which they are downloaded.

/** Versions of Kubernetes, without the leading v, each with the folder of `modules` that pins it. The newest is first, the oldest supported last. */
export const KUBERNETES_MODULES = {
  '1.36.3': 'kubernetes',
  '1.30.14': 'kubernetes-1.30',
} as const;

export type KubernetesVersion = keyof typeof KUBERNETES_MODULES;

export const KUBERNETES_VERSIONS = Object.keys(KUBERNETES_MODULES) as readonly KubernetesVersion[];

/** Version of all programs of Kubernetes: the newest, or the one that PLANE_KUBERNETES names. */
export const KUBERNETES_VERSION = chosenVersion();

/** Throws if PLANE_KUBERNETES names a version that is not pinned here. A node runs with the newest only. */
export function chosenVersion(environment: NodeJS.ProcessEnv = process.env): KubernetesVersion {
  const named = environment['PLANE_KUBERNETES'] ?? '';
  const version = KUBERNETES_VERSIONS.find((one) => named === '' || one === named);
  if (version !== undefined) return version;
  throw new Error(`PLANE_KUBERNETES must be one of ${KUBERNETES_VERSIONS.join(', ')}, not '${named}'`);
}

/** Home of the official archives "for envtest": etcd and the API server, with a published list of their digests. */
export const ARCHIVE_HOME = 'https://github.com/kubernetes-sigs/controller-tools';

/** Version of Helm, without the leading v; the modules folder pins the same one. */
export const HELM_VERSION = '4.3.1';

/** Home of the official archives of Helm, each with its digest beside it. */
export const HELM_HOME = 'https://get.helm.sh';

/** Version of Prometheus, which the tests of metrics build with Go. Its module has the number 0.316.0. */
export const PROMETHEUS_VERSION = '3.16.0';

/** Version of Kueue, without the leading v, which the tests of queues build with Go; the modules folder pins the same one. */
export const KUEUE_VERSION = '0.17.0';

/** Version of Krew, whose validator the tests of releases build with Go; the modules folder pins the same one. */
export const KREW_VERSION = '0.4.4';

/** The official archives hold these two, and nothing that a node needs. */
export const REQUIRED_BINARIES = ['etcd', 'kube-apiserver'] as const;

/** What a plane with a node runs in addition. */
export const NODE_BINARIES = [
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'coredns',
  'pause',
] as const;

/** What only tests and releases run. */
export type ToolName = 'helm' | 'prometheus' | 'kueue' | 'validate-krew-manifest';

export type BinaryName = (typeof REQUIRED_BINARIES)[number] | (typeof NODE_BINARIES)[number] | ToolName;

/** Whether the official archives of Kubernetes hold it. */
export const isPublished = (name: BinaryName): boolean => REQUIRED_BINARIES.some((published) => published === name);

/** The platform in the words of Go and of the archives, such as `linux-amd64`. */
export function platformName(
  platform: NodeJS.Platform = process.platform,
  architecture: NodeJS.Architecture = process.arch,
): string {
  return `${platform}-${architecture === 'x64' ? 'amd64' : architecture}`;
}
