// Flags of the provisioner that runs clusters in pods. PURE.
import { z } from 'zod';
import { isNetwork } from '../../../lib/networks.ts';
import { type Egress, exposures, type Publishing, type Reach } from '../../backends/pods/manifests/manifests.ts';
import type { KubernetesSettings } from '../../backends/pods/open.ts';

export const kubernetesHelp = `\
  --runner-image IMAGE the image of this service, which gets the files of jobs into their pods.
                       Default: that of this pod
  --runner-url URL     where pods reach the port for jobs of this service. Needed with
                       --provisioner kubernetes
  --runner-port N      the port for jobs: their pods get files and permits there  (8387)
  --namespace NAME     where clusters are made. Default: the namespace of this pod, or that of the
                       kubeconfig
  --tenant-namespaces FILE  a namespace for each tenant, YAML or JSON. Others have --namespace
  --engine-images FILE the images of the engines, YAML or JSON   (those of Apache)
  --image-pull-secret NAME  a Secret with credentials for the registry of these images, in the
                       namespace of the clusters. Can be repeated
  --storage-class NAME the StorageClass of volumes                     (that of the cluster)
  --state-size GIB     the volume of a process with state, such as a name node, whose group has no
                       volumes. Its state outlives its pod there. 0: no volume   (1)
  --egress CIDR[:PORT] a network that machines and jobs can reach, besides their own cluster, DNS
                       and this service, at all ports or only at some of TCP: 10.0.0.0/8,
                       10.0.0.0/8:443 or 10.0.0.0/8:8000-8999. Can be repeated
  --dns PLACE          where machines and jobs resolve names: NAMESPACE/LABEL=VALUE for the pods of
                       the DNS service, or a network such as 169.254.20.10/32 for a cache on each
                       node. Can be repeated                (kube-system/k8s-app=kube-dns)
  --allow-exposure WORD  how node groups can show their web pages outside of the Kubernetes cluster,
                       with this word as floating IP pool: NodePort, LoadBalancer or Ingress. Can be
                       repeated                                       (not at all)
  --ingress-domain NAME  pages of node groups with the floating IP pool Ingress have host names
                       below this domain
  --ingress-class NAME the IngressClass of these pages  (the default one of the Kubernetes cluster)
  --cluster-domain NAME  the DNS domain of the Kubernetes cluster     (cluster.local)
  --kubeconfig FILE    the kubeconfig to use when the service is not in a pod
`;

const name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'is not a name such as data-team' });
const domain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const secretName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const labelledPods = /^([a-z0-9-]{1,63})\/([\w./-]{1,317})=([\w.-]{1,63})$/;

/** Undefined if it is neither pods nor a network. */
function placeOfDns(text: string): Reach['dns'][number] | undefined {
  if (isNetwork(text)) return text;
  const [, namespace, label, value] = labelledPods.exec(text) ?? [];
  if (namespace === undefined || label === undefined || value === undefined) return undefined;
  return { namespace, labels: { [label]: value } };
}

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

/** `read` returns undefined for a text that it does not understand, which is refused with the message. */
const textOf = <T>(read: (text: string) => T | undefined, message: string) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
const dnsPlace = textOf(placeOfDns, 'is neither NAMESPACE/LABEL=VALUE nor a network such as 10.0.0.0/8');
const egress = textOf(
  egressOf,
  'is neither a network such as 10.0.0.0/8, nor one with TCP ports such as 10.0.0.0/8:443',
);
const usualDns = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };

export const kubernetesFields = {
  'runner-image': z.string().min(1).optional(),
  'runner-url': z
    .string()
    .regex(/^https?:\/\/[\w.-]+(:\d+)?$/, { error: 'is not an address such as http://service.data.svc:8387' })
    .optional(),
  'runner-port': z
    .string()
    .regex(/^\d{1,5}$/, { error: 'is not a port' })
    .transform(Number)
    .pipe(z.int().max(65_535))
    .optional(),
  namespace: name.optional(),
  'tenant-namespaces': z.string().min(1).optional(),
  'engine-images': z.string().min(1).optional(),
  'image-pull-secret': z
    .array(z.string().regex(secretName, { error: 'is not a name of a Secret such as registry' }))
    .default([]),
  'storage-class': z.string().regex(domain, { error: 'is not a name of a storage class' }).optional(),
  'state-size': z
    .string()
    .regex(/^\d{1,4}$/, { error: 'is not a number of GiB' })
    .transform(Number)
    .optional(),
  egress: z.array(egress).default([]),
  dns: z.array(dnsPlace).default([]),
  'allow-exposure': z.array(z.enum(exposures, { error: `is none of ${exposures.join(', ')}` })).default([]),
  'ingress-domain': z.string().regex(domain, { error: 'is not a domain such as data.example.com' }).optional(),
  'ingress-class': z.string().regex(domain, { error: 'is not a name of an ingress class' }).optional(),
  'cluster-domain': z.string().regex(domain, { error: 'is not a domain such as cluster.local' }).optional(),
  kubeconfig: z.string().min(1).optional(),
};

type KubernetesFlags = z.output<z.ZodObject<typeof kubernetesFields>> & {
  readonly 'allow-fetch-from': readonly string[];
  readonly 'deny-fetch-from': readonly string[];
  readonly provisioner: string;
  readonly 'flavors-file'?: string | undefined;
  readonly 'log-bytes': number;
};

/** Throws `cannot read flags: ...`. */
function publishingOf(flags: KubernetesFlags): Publishing {
  const { 'allow-exposure': allowed, 'ingress-domain': domain, 'ingress-class': className } = flags;
  const publishes = allowed.includes('Ingress');
  if (publishes && domain === undefined) throw refuse('--allow-exposure Ingress needs --ingress-domain');
  const unused = domain !== undefined ? '--ingress-domain' : className !== undefined ? '--ingress-class' : undefined;
  if (!publishes && unused !== undefined) throw refuse(`${unused} needs --allow-exposure Ingress`);
  return { allowed: [...new Set(allowed)], domain, className };
}

const refuse = (why: string): Error => new Error(`cannot read flags: ${why}`);

/** Undefined for the other provisioners. Throws `cannot read flags: ...` if flags are missing, or contradict each other. */
export function kubernetesOf(flags: KubernetesFlags): KubernetesSettings | undefined {
  if (flags.provisioner !== 'kubernetes') {
    const given = Object.keys(kubernetesFields).find((key) => {
      const value = flags[key as keyof typeof kubernetesFields];
      return value !== undefined && !(Array.isArray(value) && value.length === 0);
    });
    if (given !== undefined) throw refuse(`--${given} needs --provisioner kubernetes`);
    return undefined;
  }
  const { 'runner-image': runnerImage, 'runner-url': runnerUrl, 'runner-port': runnerPort = 8387 } = flags;
  if (runnerUrl === undefined)
    throw refuse('--provisioner kubernetes needs --runner-url: name the address of this service for pods');
  const { namespace, egress, kubeconfig, 'cluster-domain': domainName = 'cluster.local' } = flags;
  return {
    runnerImage,
    runnerUrl,
    runnerPort,
    namespace,
    egress,
    dns: flags.dns.length === 0 ? [usualDns] : flags.dns,
    kubeconfig,
    domain: domainName,
    tenantsFile: flags['tenant-namespaces'],
    imagesFile: flags['engine-images'],
    flavorsFile: flags['flavors-file'],
    pullSecrets: [...new Set(flags['image-pull-secret'])],
    storageClass: flags['storage-class'],
    stateSize: flags['state-size'] ?? 1,
    publishing: publishingOf(flags),
    logBytes: flags['log-bytes'],
    fetching: { allowed: flags['allow-fetch-from'], denied: flags['deny-fetch-from'] },
  };
}
