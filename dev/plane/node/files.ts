// The files of a node, in the directory of its plane.
import { join } from 'node:path';

export interface NodeFiles {
  /** The pid of the first process in the namespaces of the node. */
  readonly init: string;
  readonly kubelet: string;
  readonly kubeletSettings: string;
  readonly kubeletCertificate: string;
  readonly kubeletKey: string;
  readonly kubeletKubeconfig: string;
  readonly containerd: string;
  readonly containerdSettings: string;
  readonly networkSettings: string;
  readonly proxySettings: string;
  readonly proxyKubeconfig: string;
  readonly schedulerKubeconfig: string;
  readonly provisionerKubeconfig: string;
  /** What the API server shows the kubelet. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly podLogs: string;
  readonly images: string;
  readonly temporary: string;
  /** Values of kernel settings that the node sees instead of the computer's. */
  readonly kernel: string;
  /** The folders of persistent volumes. */
  readonly volumes: string;
}

export function nodeFilesOf(directory: string): NodeFiles {
  const at = (...names: readonly string[]): string => join(directory, 'node', ...names);
  const key = (name: string): string => join(directory, 'keys', name);
  return {
    init: at('init.pid'),
    kubelet: at('kubelet'),
    kubeletSettings: at('kubelet.json'),
    kubeletCertificate: key('kubelet.crt'),
    kubeletKey: key('kubelet.key'),
    kubeletKubeconfig: at('kubelet.kubeconfig'),
    containerd: at('containerd'),
    containerdSettings: at('containerd.toml'),
    networkSettings: at('cni'),
    proxySettings: at('kube-proxy.json'),
    proxyKubeconfig: at('kube-proxy.kubeconfig'),
    schedulerKubeconfig: at('scheduler.kubeconfig'),
    provisionerKubeconfig: at('provisioner.kubeconfig'),
    clientCertificate: key('kubelet-client.crt'),
    clientKey: key('kubelet-client.key'),
    podLogs: at('logs'),
    images: at('images'),
    temporary: at('tmp'),
    kernel: at('kernel'),
    volumes: at('volumes'),
  };
}
