// The objects of one cluster in the API server: making them, reading them and removing them.
import { ApiError } from '../../kube/api-error.ts';
import type { Clock } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import type { ClusterGroupRecord, ClusterRecord, Machine } from '../records/records.ts';
import {
  claims,
  events,
  ingresses,
  jobs,
  type KubeApi,
  type KubeObject,
  type Made,
  type ObjectKind,
  pods,
  policies,
  secrets,
  services,
  statefulSets,
} from './api/api.ts';
import {
  asExisting,
  type ClusterSetting,
  clusterLabels,
  groupManifests,
  headlessService,
} from './manifests/manifests.ts';
import { groupLabel, groupName, machinesAnnotation, podName } from './manifests/names.ts';
import { networkPolicies } from './manifests/network-policies.ts';
import { hiddenGroups, type ServiceObject, webManifests, webName } from './manifests/web-pages.ts';
import { type AppliedObject, type Mark, markOf } from './marks.ts';
import type { EventObject, PodObject } from './pods/conditions.ts';

interface StatefulSetObject extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const pollMs = 500;
const webKinds = [ingresses, services, policies];

/** What is there of a cluster. */
interface Found {
  readonly sets: readonly StatefulSetObject[];
  readonly pods: readonly PodObject[];
  readonly claims: readonly KubeObject[];
}

export class ClusterObjects {
  readonly #api: KubeApi;
  readonly #clock: Clock;
  /** Where pages are not shown outside any more. */
  readonly #hidden = new Set<string>();

  constructor(api: KubeApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /**
   * The text that the machines share. It is made once, and outlives the service. If somebody deletes its Secret, the files of the groups
   * still have it: machines that are made from now on must be able to speak with the others.
   */
  async secret(made: Made, text: string): Promise<string> {
    const { namespace, name, labels } = made.metadata;
    for (;;) {
      const known = secretIn(await this.#api.get<SecretObject>(secrets, namespace, name));
      if (known !== undefined) return known;
      const others = await this.#api.list<SecretObject>(secrets, namespace, { ...(labels && { labels }) });
      const secret = others.map(secretIn).find((each) => each !== undefined) ?? text;
      if (await this.#api.create(secrets, { ...made, stringData: { secret } })) return secret;
    }
  }

  /** Applies what all groups share. Resolves to the marks of the objects that should not change. */
  async applyShared(cluster: ClusterRecord, setting: ClusterSetting): Promise<readonly Mark[]> {
    const { namespace } = setting.place;
    const marks = [await this.#mark(services, headlessService(cluster, namespace))];
    for (const policy of networkPolicies(cluster, setting)) marks.push(await this.#mark(policies, policy));
    for (const { service, policy, ingress } of webManifests(cluster, setting)) {
      marks.push(await this.#mark(policies, policy), await this.#mark(services, service));
      if (ingress !== undefined) marks.push(await this.#mark(ingresses, ingress));
    }
    for (const group of hiddenGroups(cluster, setting)) await this.#hide(webName(cluster, group), namespace);
    return marks;
  }

  /** Removes what shows pages outside, once in the life of the service: nothing makes it again. */
  async #hide(name: string, namespace: string): Promise<void> {
    const place = `${namespace}/${name}`;
    if (this.#hidden.has(place)) return;
    for (const kind of webKinds) await this.#api.remove(kind, namespace, name);
    this.#hidden.add(place);
  }

  services(cluster: ClusterRecord, namespace: string): Promise<readonly ServiceObject[]> {
    return this.#api.list<ServiceObject>(services, namespace, { labels: clusterLabels(cluster) });
  }

  async applyGroup(
    cluster: ClusterRecord,
    group: ClusterGroupRecord,
    setting: ClusterSetting,
  ): Promise<readonly Mark[]> {
    const { secret, statefulSet } = groupManifests(cluster, group, setting);
    return [await this.#mark(secrets, secret), await this.#markSet(cluster, statefulSet)];
  }

  /** Another version of the service, or other flags, can want what nobody can change. Then the machines stay as they were made. */
  async #markSet(cluster: ClusterRecord, wanted: Made): Promise<Mark> {
    try {
      return await this.#mark(statefulSets, wanted);
    } catch (cause) {
      if (!(cause instanceof ApiError && cause.category === 'invalid')) throw cause;
      const { namespace, name } = wanted.metadata;
      const selection = { labels: clusterLabels(cluster) };
      const found = await this.#api.list<StatefulSetObject>(statefulSets, namespace, selection);
      const existing = found.find(({ metadata }) => metadata.name === name);
      if (existing === undefined) throw cause;
      return await this.#mark(statefulSets, asExisting(wanted, existing));
    }
  }

  async #mark(kind: ObjectKind, object: Made): Promise<Mark> {
    return markOf(kind, await this.#api.apply<AppliedObject>(kind, object));
  }

  async find(cluster: ClusterRecord, namespace: string): Promise<Found> {
    const selection = { labels: clusterLabels(cluster) };
    const [sets, found, volumes] = await Promise.all([
      this.#api.list<StatefulSetObject>(statefulSets, namespace, selection),
      this.#api.list<PodObject>(pods, namespace, selection),
      this.#api.list<KubeObject>(claims, namespace, selection),
    ]);
    return { sets, pods: found, claims: volumes };
  }

  /** Warnings about objects of the cluster that are no pods. */
  async warnings(names: ReadonlySet<string>, namespace: string): Promise<readonly EventObject[]> {
    const all = await this.#api.list<EventObject>(events, namespace, { fields: { type: 'Warning' } });
    return all.filter(({ involvedObject }) => names.has(involvedObject?.name ?? ''));
  }

  /** Removes whatever the cluster has, with what is left of its runs, and waits until none of its machines is left. */
  async removeAll(cluster: ClusterRecord, namespace: string, signal: AbortSignal): Promise<void> {
    const selection = { labels: clusterLabels(cluster) };
    for (const kind of [jobs, statefulSets, ingresses, services, policies, secrets, claims])
      for (const { metadata } of await this.#api.list<KubeObject>(kind, namespace, selection))
        await this.#api.remove(kind, namespace, metadata.name);
    await this.#until(signal, async () => {
      const left = await this.find(cluster, namespace);
      return left.sets.length + left.pods.filter(isOfGroup).length + left.claims.length === 0;
    });
  }

  /** The group has no machines any more. */
  async removeGroup(cluster: ClusterRecord, group: ClusterGroupRecord, namespace: string): Promise<void> {
    const name = groupName(cluster, group);
    for (const kind of [statefulSets, secrets]) await this.#api.remove(kind, namespace, name);
    for (const kind of webKinds) await this.#api.remove(kind, namespace, webName(cluster, group));
  }

  /** Waits until these machines of the group are gone, with their volumes. */
  async gone(
    cluster: ClusterRecord,
    names: ReadonlySet<string>,
    { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
  ): Promise<void> {
    await this.#until(signal, async () => {
      const found = await this.find(cluster, namespace);
      // The controller of StatefulSets deletes the claims of pods that are scaled away.
      return found.pods.every(({ metadata }) => !names.has(metadata.name)) && claimsOf(found, names).length === 0;
    });
  }

  async #until(signal: AbortSignal, holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) {
      await sleep(this.#clock, pollMs, signal);
      signal.throwIfAborted();
    }
  }
}

const secretIn = (found: SecretObject | undefined): string | undefined => {
  const value = found?.data?.['secret'];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
};

/** Pods of jobs belong to no group. */
const isOfGroup = ({ metadata }: KubeObject): boolean => metadata.labels?.[groupLabel] !== undefined;

/** A claim is called like its volume and its pod. */
const claimsOf = (found: Found, names: ReadonlySet<string>): readonly KubeObject[] =>
  found.claims.filter(({ metadata }) => names.has(metadata.name.replace(/^data\d+-/, '')));

/** The identifiers of the machines that are there, or are being made or removed. */
export function machinesThere({ sets, pods: found, claims: volumes }: Found): readonly string[] {
  const names = new Set([
    ...found.map(({ metadata }) => metadata.name),
    ...volumes.map(({ metadata }) => metadata.name.replace(/^data\d+-/, '')),
  ]);
  return sets.flatMap(({ metadata, spec }) => {
    const ids = (metadata.annotations?.[machinesAnnotation] ?? '').split(',').filter((id) => id !== '');
    return ids.filter((_id, ordinal) => ordinal < (spec.replicas ?? 0) || names.has(`${metadata.name}-${ordinal}`));
  });
}

/** The pods of the machines, in their order. Undefined for one that is not there. */
export const podsOf = (
  cluster: ClusterRecord,
  group: ClusterGroupRecord,
  found: readonly PodObject[],
): readonly (readonly [machine: Machine, pod: PodObject | undefined])[] =>
  group.instances.map((machine, ordinal) => [
    machine,
    found.find(({ metadata }) => metadata.name === podName(cluster, group, ordinal)),
  ]);
