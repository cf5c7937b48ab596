// What the objects of a cluster are called, and the labels that find them again. PURE.
import { createHash } from 'node:crypto';
import { volumeCountOf } from '../../../model/records/machines.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../model/records/records.ts';

export { clusterLabel, groupLabel } from '../../../../wire/pod-labels.ts';

export const domain = 'dataprocessing.dev';
export const runLabel = `${domain}/job-execution-id`;
/** The service whose run it is. Several of them can have their runs in one namespace. */
export const serviceLabel = `${domain}/service-id`;
/** The identifiers of the machines of a StatefulSet, in the order of its pods. */
export const machinesAnnotation = `${domain}/machines`;
/** The digest of the files that a pod got when it started. */
export const filesAnnotation = `${domain}/files`;
export const processLabel = (process: string): string => `process.${domain}/${process}`;
/** By it, Kueue knows the LocalQueue of an object: https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/. */
export const queueLabel = 'kueue.x-k8s.io/queue-name';
export const managedBy = { 'app.kubernetes.io/managed-by': 'dataprocessing-service' } as const;

/** The name of most objects, such as a Secret. */
export const objectNamePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A part of a DNS label. Whatever cannot be shown, or is too long, is told apart by a digest. */
function slug(text: string, most: number): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (plain === text && plain.length <= most) return plain;
  const short = plain.slice(0, most - 5).replace(/-+$/, '');
  return [short, digestOf(text).slice(0, 4)].filter((part) => part !== '').join('-');
}

/** For all objects of a cluster, and of no other one. It begins with a letter, as names of Services have to. */
export function baseName({ id, name }: Pick<ClusterRecord, 'id' | 'name'>): string {
  const shown = slug(name, 16);
  return `${/^[a-z]/.test(shown) ? shown : `c-${shown}`}-${digestOf(id).slice(0, 10)}`;
}

/** Short enough for the label that a StatefulSet gives its pods. */
export const groupName = (cluster: ClusterRecord, group: Pick<ClusterGroupRecord, 'name'>): string =>
  groupNames(cluster)(group);

/** The names of groups of the cluster. Its own part takes digests, so for many groups it is made once. */
export function groupNames(cluster: ClusterRecord): (group: Pick<ClusterGroupRecord, 'name'>) => string {
  const base = baseName(cluster);
  return (group) => `${base}-${slug(group.name, 16)}`;
}

/** Those of the machines of the group, in their order. The name of the group takes digests, so it is made once. */
export function podNames(
  cluster: ClusterRecord,
  group: Pick<ClusterGroupRecord, 'name' | 'instances'>,
): readonly string[] {
  const name = groupName(cluster, group);
  return group.instances.map((_machine, ordinal) => `${name}-${ordinal}`);
}

/** The volume with the state of the processes of a pod that has no volumes for its data. */
export const stateVolume = 'state';

/** The names of the claims that a pod can have, as a StatefulSet makes them. */
export const claimNames = (group: Pick<ClusterGroupRecord, 'volumes_per_node'>, pod: string): readonly string[] =>
  group.volumes_per_node === 0
    ? [`${stateVolume}-${pod}`]
    : Array.from({ length: volumeCountOf(group) }, (_, index) => `data${index}-${pod}`);

export const podOfClaim = (claim: string): string => claim.replace(/^(data\d+|state)-/, '');

/** Where names of pods are resolved. */
export interface DnsScope {
  readonly namespace: string;
  /** Of the Kubernetes cluster, usually `cluster.local`. A pod knows its own name only with it. */
  readonly domain: string;
}

/** The names by which the pods of the cluster reach each other. They stay when addresses change. The part of the cluster is made once, as it takes digests. */
export function podHosts(cluster: ClusterRecord, { namespace, domain }: DnsScope): (pod: string) => string {
  const base = baseName(cluster);
  return (pod) => `${pod}.${base}.${namespace}.svc.${domain}`;
}

export const podHost = (cluster: ClusterRecord, scope: DnsScope, pod: string): string => podHosts(cluster, scope)(pod);

/** Of the name of a pod. */
export function podOfHost(host: string): readonly [namespace: string, pod: string] {
  const [pod = '', , namespace = ''] = host.split('.');
  return [namespace, pod];
}

export const runName = (execution: string): string => `run-${digestOf(execution).slice(0, 20)}`;

/** A value of a label must be short, and can hold few characters. */
export const labelValue = (text: string): string =>
  /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text) ? text : `sha-${digestOf(text).slice(0, 32)}`;
