// A pod with the settings of its flavor. What the service sets itself stays as it is. PURE.
import type { OfferedFlavor } from '../../flavors-file.ts';
import type { FlavoredPod } from './pod-settings.ts';

type Texts = Readonly<Record<string, string>>;

interface Container {
  readonly env: readonly { readonly name: string }[];
  readonly volumeMounts: readonly object[];
  readonly resources: { readonly requests: Texts; readonly limits: Texts & { readonly memory: string } };
}

interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly object[] | undefined;
}

/** The template of a pod, as far as flavors change it. */
export interface PodTemplate {
  readonly metadata: { readonly labels: Texts; readonly annotations?: Texts };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes: readonly object[];
    readonly affinity?: { readonly podAntiAffinity?: PodAffinity } | undefined;
  };
}

/** Entries of both, those of the service last: they take precedence. */
const both = (ofFlavor: Texts = {}, own: Texts = {}): Texts => ({ ...ofFlavor, ...own });

/**
 * Adds the settings to the template by the merge keys of Kubernetes. The containers that do the work get them, and not those that prepare their files.
 * Devices are for one container, that with the most memory. `peers`: the labels of the pods among which those of a constraint without a selector spread.
 */
export function withFlavor(template: PodTemplate, { pod, disk }: OfferedFlavor, peers: Texts): PodTemplate {
  if (pod === undefined) return template;
  const { metadata, spec } = template;
  const { labels, annotations, volumes = [], affinity, topologySpreadConstraints: spreads, ...rest } = pod;
  const { env: _env, envFrom: _envFrom, volumeMounts: _mounts, resources: _resources, ...fields } = rest;
  const selecting = spreads?.map((each) => ({ labelSelector: { matchLabels: peers }, ...each }));
  const worker = workerOf(spec.containers);
  return {
    metadata: {
      ...metadata,
      labels: both(labels, metadata.labels),
      ...(annotations && { annotations: both(annotations, metadata.annotations) }),
    },
    spec: {
      ...spec,
      ...fields,
      ...(selecting && { topologySpreadConstraints: selecting }),
      ...(affinity && { affinity: affinityOf(affinity, spec.affinity?.podAntiAffinity) }),
      containers: spec.containers.map((each) => containerOf(each, pod, each === worker)),
      volumes: [...spec.volumes, ...volumes.map((volume) => boundedVolume(volume, disk))],
    },
  };
}

const memoryOf = ({ resources }: Container): number => Number.parseInt(resources.limits.memory, 10);

const workerOf = (containers: readonly Container[]): Container | undefined =>
  containers.toSorted((one, other) => memoryOf(other) - memoryOf(one))[0];

/** Pods have to meet the terms of the service and those of the flavor. */
function affinityOf(
  { podAntiAffinity: given, ...others }: NonNullable<FlavoredPod['affinity']>,
  own: PodAffinity | undefined,
) {
  const terms = [own, given].flatMap((each) => each?.requiredDuringSchedulingIgnoredDuringExecution ?? []);
  const required = terms.length > 0 && { requiredDuringSchedulingIgnoredDuringExecution: terms };
  return { ...others, ...((own ?? given) && { podAntiAffinity: { ...given, ...required } }) };
}

function containerOf(container: Container, pod: FlavoredPod, isWorker: boolean): Container {
  const { env = [], envFrom, volumeMounts = [], resources } = pod;
  const { requests, limits } = container.resources;
  const names = new Set(container.env.map(({ name }) => name));
  return {
    ...container,
    env: [...container.env, ...env.filter(({ name }) => !names.has(name))],
    ...(envFrom && { envFrom }),
    volumeMounts: [...container.volumeMounts, ...volumeMounts],
    ...(isWorker &&
      resources && {
        resources: {
          requests: both(resources.limits, requests),
          limits: { ...resources.limits, ...limits },
        },
      }),
  };
}

/** An emptyDir on the disk has at most that of the flavor, in GiB. */
function boundedVolume(volume: NonNullable<FlavoredPod['volumes']>[number], disk: number): object {
  const { emptyDir } = volume;
  return emptyDir === undefined ? volume : { ...volume, emptyDir: { sizeLimit: `${disk}Gi`, ...emptyDir } };
}
