// The flags of the provisioner that runs clusters in pods. PURE.
import { z } from 'zod';
import { type FlagValues, flagsWith, integer, numberFlag, oneOf, readAs, textLike } from '../../../lib/flags.ts';
import { isNetwork } from '../../../lib/http/networks.ts';
import type { realFlags } from '../flags.ts';
import { objectNamePattern } from './api/names.ts';
import { type Egress, exposures, type PolicyPeer, type Reach } from './manifests/manifests.ts';

/** The message repeats nothing, because the text may contain a password. */
const address = z
  .string()
  .regex(/^(https?:\/\/[\w.-]+(:\d+)?)?$/, { error: 'must be an address such as http://service.data.svc:8387' });
const domain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const labelledPods = /^([a-z0-9-]{1,63})\/([\w./-]{1,317})=([\w.-]{1,63})$/;

/** Undefined if it is neither pods nor a network. */
function peerOf(text: string): PolicyPeer | undefined {
  if (isNetwork(text)) return text;
  const [, namespace, label, value] = labelledPods.exec(text) ?? [];
  if (namespace === undefined || label === undefined || value === undefined) return undefined;
  return { namespace, labels: { [label]: value } };
}

const policyPeer = readAs('NAMESPACE/LABEL=VALUE or a network such as 10.0.0.0/8', peerOf);

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;

/** Undefined if it is no network, or its ports are none. */
function egressOf(text: string): Egress | undefined {
  const [, network = '', first, last = first] = /^([^/]+\/\d+)(?::(\d{1,5})(?:-(\d{1,5}))?)?$/.exec(text) ?? [];
  if (!isNetwork(network)) return undefined;
  if (first === undefined) return { network, ports: undefined };
  const [from, to] = [Number(first), Number(last)];
  if (!isPort(from) || !isPort(to) || to < from) return undefined;
  return { network, ports: from === to ? [from] : [from, to] };
}

/** Where the usual installation of Prometheus is. */
const usualScraper = { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } } as const;

/** Who reads metrics. Nobody, if there are none. */
export const scrapersOf = (settings: PodSettings): Reach['scrapers'] => {
  const { 'engine-metrics': metrics, 'metrics-from': named } = settings;
  return metrics && named.length === 0 ? [usualScraper] : named;
};

export const podFlags = flagsWith(
  { flag: 'provisioner', values: ['kubernetes'] },
  {
    'runner-image': {
      value: 'IMAGE',
      help: 'the image of this service, which gets the files of jobs into their pods; default: that of this pod',
    },
    'runner-url': {
      schema: address,
      value: 'URL',
      default: '',
      help: 'where pods reach the port for jobs of this service. --provisioner kubernetes needs it',
    },
    'runner-port': numberFlag(0, 65_535, 'the port for jobs: their pods get files and permits there', 8387),
    namespace: {
      schema: textLike('a name such as data-team', /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
      value: 'NAME',
      help: 'where clusters are made; default: the namespace of this pod, or that of the kubeconfig',
    },
    'tenant-namespaces': { value: 'FILE', help: 'a namespace for each tenant, YAML or JSON. Others have --namespace' },
    'engine-images': { value: 'FILE', help: 'the images of the engines, YAML or JSON; default: those of Apache' },
    'image-pull-secret': {
      schema: textLike('the name of a Secret such as registry', objectNamePattern),
      value: 'NAME',
      repeatable: true,
      help: 'a Secret with credentials for the registry of these images, in the namespace of the clusters',
    },
    'storage-class': {
      schema: textLike('the name of a storage class', domain),
      value: 'NAME',
      help: 'the StorageClass of volumes; default: that of the cluster',
    },
    'state-size': {
      schema: integer(0, 9999),
      value: 'GIB',
      default: '1',
      help: 'the volume of a process with state, such as a name node, whose group has no volumes. Its state outlives its pod there. 0: no volume',
    },
    egress: {
      schema: readAs('a network such as 10.0.0.0/8, or one with TCP ports such as 10.0.0.0/8:443', egressOf),
      value: 'CIDR[:PORT]',
      repeatable: true,
      help: 'a network that machines and jobs can reach, besides their own cluster, DNS and this service, at all ports or only at some of TCP: 10.0.0.0/8, 10.0.0.0/8:443 or 10.0.0.0/8:8000-8999',
    },
    dns: {
      schema: policyPeer,
      value: 'PLACE',
      repeatable: true,
      default: 'kube-system/k8s-app=kube-dns',
      help: 'where machines and jobs resolve names: NAMESPACE/LABEL=VALUE for the pods of the DNS service, or a network such as 169.254.20.10/32 for a cache on each node',
    },
    'metrics-from': {
      schema: policyPeer,
      value: 'PLACE',
      repeatable: true,
      help: 'who reaches the ports with the metrics of --engine-metrics: NAMESPACE/LABEL=VALUE for the pods of Prometheus, or a network; default: monitoring/app.kubernetes.io/name=prometheus',
    },
    'allow-exposure': {
      schema: oneOf(exposures),
      value: 'WORD',
      repeatable: true,
      help: 'how node groups can show their web pages outside of the Kubernetes cluster, with this word as floating IP pool: NodePort, LoadBalancer or Ingress; default: not at all',
    },
    'cluster-domain': {
      schema: textLike('a domain such as cluster.local', domain),
      value: 'NAME',
      default: 'cluster.local',
      help: 'the DNS domain of the Kubernetes cluster',
    },
    kubeconfig: { value: 'FILE', help: 'the kubeconfig to use when the service is not in a pod' },
  },
);

export const ingressFlags = flagsWith(
  { flag: 'allow-exposure', values: ['Ingress'] },
  {
    'ingress-domain': {
      schema: textLike('a domain such as data.example.com', domain),
      value: 'NAME',
      help: 'pages of node groups with the floating IP pool Ingress have host names below this domain. --allow-exposure Ingress needs it',
    },
    'ingress-class': {
      schema: textLike('the name of an ingress class', domain),
      value: 'NAME',
      help: 'the IngressClass of these pages; default: the default one of the Kubernetes cluster',
    },
  },
);

export type PodSettings = FlagValues<typeof podFlags & typeof ingressFlags & typeof realFlags>;
