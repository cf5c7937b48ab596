// The releases of Kubernetes and etcd that the plane runs, and the address from which they are downloaded.

/** Version of the API server and of its controller manager, without the leading v; the modules folder pins the same one. */
export const KUBERNETES_VERSION = '1.36.3';

/** Home of the official archives "for envtest": etcd and the API server, with a published list of their digests. */
export const ARCHIVE_HOME = 'https://github.com/kubernetes-sigs/controller-tools';

export type BinaryName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager';

/** The official archives hold these two, and never a controller manager. */
export const REQUIRED_BINARIES: readonly BinaryName[] = ['etcd', 'kube-apiserver'];

/** The platform in the words of Go and of the archives, such as `linux-amd64`. */
export function platformName(
  platform: NodeJS.Platform = process.platform,
  architecture: NodeJS.Architecture = process.arch,
): string {
  return `${platform}-${architecture === 'x64' ? 'amd64' : architecture}`;
}
