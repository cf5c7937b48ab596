// The releases of the programs that demo and tests run, and the addresses from which they are downloaded.

/** Version of all programs of Kubernetes, without the leading v; the modules folder pins the same one. */
export const KUBERNETES_VERSION = '1.36.3';

/** Home of the official archives "for envtest": etcd and the API server, with a published list of their digests. */
export const ARCHIVE_HOME = 'https://github.com/kubernetes-sigs/controller-tools';

/** Version of Helm, without the leading v; the modules folder pins the same one. */
export const HELM_VERSION = '4.3.1';

/** Home of the official archives of Helm, each with its digest beside it. */
export const HELM_HOME = 'https://get.helm.sh';

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

export type BinaryName = (typeof REQUIRED_BINARIES)[number] | (typeof NODE_BINARIES)[number] | 'helm';

/** Whether the official archives of Kubernetes hold it. */
export const isPublished = (name: BinaryName): boolean => REQUIRED_BINARIES.some((published) => published === name);

/** The platform in the words of Go and of the archives, such as `linux-amd64`. */
export function platformName(
  platform: NodeJS.Platform = process.platform,
  architecture: NodeJS.Architecture = process.arch,
): string {
  return `${platform}-${architecture === 'x64' ? 'amd64' : architecture}`;
}
