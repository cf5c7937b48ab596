// The objects of a cluster, as they are applied. PURE.
import type { EngineNode } from '../../../engines/engine.ts';
import { findFlavor } from '../../../engines/flavors.ts';
import { volumeCountOf } from '../../../model/records/machines.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../model/records/records.ts';
import type { KubeObject, Made } from '../api/api.ts';
import {
  baseName,
  clusterLabel,
  digestOf,
  filesAnnotation,
  groupLabel,
  groupName,
  labelValue,
  machinesAnnotation,
  managedBy,
  processLabel,
  stateVolume,
} from '../api/names.ts';
import { withFlavor } from '../flavors/with-flavor.ts';
import { type Files, filesOf, keyOf, needsStateVolume, type PodTools, podSpecOf, processesOf } from './containers.ts';
import { type PodPlace, templateOf } from './layout.ts';
import { labelsInQueue } from './queues.ts';

/** Pods of a namespace. */
export interface PodPeer {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Pods, or a network in CIDR notation. */
export type PolicyPeer = PodPeer | string;

/** What can reach the pods of a cluster, and what they can reach. */
export interface Reach {
  /** The pods of the service, and the port at which jobs reach them. Undefined if it runs elsewhere. */
  readonly service: (PodPeer & { readonly runnerPort: number }) | undefined;
  /** Where names are resolved. */
  readonly dns: readonly PolicyPeer[];
  /** Who reads metrics. */
  readonly scrapers: readonly PolicyPeer[];
  /** What machines and jobs can reach besides. */
  readonly egress: readonly Egress[];
}

export interface Egress {
  /** In CIDR notation. */
  readonly network: string;
  /** The first and the last TCP port, or the only one. Undefined: all ports of all protocols. */
  readonly ports: readonly [first: number, last?: number] | undefined;
}

/** The words of `floating_ip_pool`: how the pages of a group are reached from outside. */
export const exposures = ['NodePort', 'LoadBalancer', 'Ingress'] as const;
export type PageExposure = (typeof exposures)[number];

/** How pages are shown outside. */
export interface PublishOptions {
  /** What node groups can ask for. */
  readonly allowed: readonly PageExposure[];
  /** The pages of a group have host names below it. Undefined: there are no Ingresses. */
  readonly domain: string | undefined;
  /** Undefined: the default class of the Kubernetes cluster. */
  readonly className: string | undefined;
}

export interface ClusterSetting extends PodTools {
  readonly place: PodPlace;
  readonly reach: Reach;
  readonly publishing: PublishOptions;
  readonly storageClass: string | undefined;
  /** In GiB, of the volume with the state of a pod whose group has no volumes. 0: there is none. */
  readonly stateSize: number;
}

export const clusterLabels = (cluster: Pick<ClusterRecord, 'id'>) => ({ [clusterLabel]: labelValue(cluster.id) });

export const labelsOf = (cluster: ClusterRecord) => ({
  ...managedBy,
  'app.kubernetes.io/name': labelValue(cluster.plugin_name),
  'app.kubernetes.io/instance': labelValue(cluster.name),
  ...clusterLabels(cluster),
});

/** The labels by which the pods of a group are found. */
export const groupSelector = (cluster: ClusterRecord, group: Pick<ClusterGroupRecord, 'name'>) => ({
  ...clusterLabels(cluster),
  [groupLabel]: labelValue(group.name),
});

export const sharedSecretName = (cluster: ClusterRecord): string => baseName(cluster);

/** What the machines of a cluster share to trust each other. */
export const sharedSecret = (cluster: ClusterRecord, namespace: string, text: string): Made => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: sharedSecretName(cluster), namespace, labels: labelsOf(cluster) },
  stringData: { secret: text },
});

/** It gives every pod its name, also before it is ready. */
export const headlessService = (cluster: ClusterRecord, namespace: string): Made => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: baseName(cluster), namespace, labels: labelsOf(cluster) },
  spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: clusterLabels(cluster) },
});

export interface GroupManifests {
  readonly secret: Made;
  readonly statefulSet: Made;
}

/** The files of a group, and its pods. The number of pods is that of its machines. */
export function groupManifests(
  cluster: ClusterRecord,
  group: ClusterGroupRecord,
  setting: ClusterSetting,
): GroupManifests {
  const { place, engine } = setting;
  const at = templateOf(cluster, group, place);
  const files = filesOf(engine, at);
  const metadata = {
    name: groupName(cluster, group),
    namespace: place.namespace,
    labels: { ...labelsOf(cluster), ...groupSelector(cluster, group) },
  };
  const keys = Object.entries(files).map(([path, text]) => [keyOf(path), text] as const);
  return {
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      // With the text that the machines share, in case somebody deletes its own Secret.
      stringData: { ...Object.fromEntries(keys), secret: place.secret },
    },
    statefulSet: statefulSetOf(setting, at, { metadata, files }),
  };
}

function statefulSetOf(
  setting: ClusterSetting,
  at: readonly [EngineNode, readonly EngineNode[]],
  { metadata, files }: { readonly metadata: Made['metadata']; readonly files: Files },
): Made {
  const [{ cluster, group }] = at;
  const processes = processesOf(setting.engine, at[0]).map(({ name }) => [processLabel(name), 'true'] as const);
  const selector = groupSelector(cluster, group);
  const flavor = findFlavor(setting.flavors, group.flavor_id);
  const template = {
    metadata: {
      labels: { ...metadata.labels, ...Object.fromEntries(processes) },
      annotations: { [filesAnnotation]: digestOf(JSON.stringify(files)) },
    },
    spec: podSpecOf(setting, at, { secret: metadata.name, files }),
  };
  const machines = group.instances.map(({ instance_id }) => instance_id).join(',');
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      ...metadata,
      labels: labelsInQueue(metadata.labels, flavor.queue),
      annotations: { [machinesAnnotation]: machines },
    },
    spec: {
      replicas: group.instances.length,
      serviceName: baseName(cluster),
      podManagementPolicy: 'Parallel',
      // A new version of the service must not restart what runs.
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
      selector: { matchLabels: selector },
      template: withFlavor(template, flavor, selector),
      volumeClaimTemplates: claimsOf(setting, at[0], selector),
    },
  };
}

/** What nobody can change in a StatefulSet. */
const fixed = ['serviceName', 'podManagementPolicy', 'selector', 'volumeClaimTemplates'] as const;

/** The StatefulSet with whatever cannot be changed as the existing one has it. */
export function asExisting(wanted: Made, existing: KubeObject & { readonly spec: object }): Made {
  const kept = Object.fromEntries(fixed.map((field) => [field, existing.spec[field as keyof object]]));
  return { ...wanted, spec: { ...(wanted['spec'] as object), ...kept } };
}

function claimsOf(setting: ClusterSetting, node: EngineNode, labels: Readonly<Record<string, string>>) {
  const { engine, storageClass, stateSize } = setting;
  const { volumes_size } = node.group;
  const claimOf = (name: string, size: number) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, labels: { ...managedBy, ...labels } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: `${size}Gi` } },
      ...(storageClass !== undefined && { storageClassName: storageClass }),
    },
  });
  if (stateSize > 0 && needsStateVolume(engine, node)) return [claimOf(stateVolume, stateSize)];
  return Array.from({ length: volumeCountOf(node.group) }, (_, index) => claimOf(`data${index}`, volumes_size));
}
