// The objects of one cluster in the API server: making them, reading them and removing them.
import { ApiError } from '../../../../kube/api-error.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../model/records/records.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import {
  claims,
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
} from '../api/api.ts';
import type { ObjectObserver, Observation } from '../api/informers.ts';
import { asWatched, keptOf } from '../api/kept.ts';
import { claimNames, groupLabel, groupName, machinesAnnotation, podNames, podOfClaim, runLabel } from '../api/names.ts';
import { untilHolds } from '../api/until.ts';
import {
  asExisting,
  type ClusterSetting,
  clusterLabels,
  groupManifests,
  headlessService,
} from '../manifests/manifests.ts';
import { networkPolicies } from '../manifests/network-policies.ts';
import { asAdmitted } from '../manifests/queues.ts';
import { hiddenGroups, type ServiceObject, webManifests, webName } from '../manifests/web-pages.ts';
import type { PodObject } from './conditions.ts';
import { keptOfSecret, keptOfService, keptOfSet, type SecretObject, type StatefulSetObject } from './kept-objects.ts';
import { type AppliedObject, type Mark, markOf } from './marks.ts';

/** The kinds that are put back when somebody changes or deletes their objects. */
export const keptUp: readonly ObjectKind[] = [statefulSets, services, policies, ingresses, secrets];
const webKinds = [ingresses, services, policies];

/** What is there of a cluster. */
interface Found {
  readonly sets: readonly StatefulSetObject[];
  readonly pods: readonly KubeObject[];
  readonly claims: readonly KubeObject[];
}

type Removal = Pick<ClusterOrder, 'cluster' | 'signal' | 'report'>;

export class ClusterObjects {
  readonly #api: KubeApi;
  readonly #informers: ObjectObserver;
  /** Where pages are not shown outside any more. */
  readonly #hidden = new Set<string>();

  constructor(api: KubeApi, informers: ObjectObserver) {
    this.#api = api;
    this.#informers = informers;
  }

  /**
   * The text that the machines share. It is made once, and outlives the service. If somebody deletes its Secret, the files of the groups
   * still have it: machines that are made from now on must be able to speak with the others.
   */
  async secret(made: Made, text: string): Promise<string> {
    const { namespace, name } = made.metadata;
    for (;;) {
      const own = secretIn(await this.#api.get<SecretObject>(secrets, namespace, name));
      if (own !== undefined) return own;
      const secret = (await this.knownSecret(made)) ?? text;
      if (await this.#api.create(secrets, { ...made, stringData: { secret } })) return secret;
    }
  }

  /** The same text, as far as a Secret of the cluster has it. */
  async knownSecret({ metadata }: Made): Promise<string | undefined> {
    const { namespace, labels } = metadata;
    const selection = { ...(labels && { labels }) };
    const found = await this.#api.list<SecretObject>(secrets, namespace, selection, keptOfSecret);
    return found.map(secretIn).find((each) => each !== undefined);
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
    return this.#api.list<ServiceObject>(services, namespace, machinesIn(cluster), keptOfService);
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
      if (!(cause instanceof ApiError && (cause.category === 'invalid' || isDenied(cause)))) throw cause;
      const { namespace, name } = wanted.metadata;
      const isIt = ({ metadata }: KubeObject): boolean => metadata.name === name;
      const keep = (set: StatefulSetObject) => (isIt(set) ? set : keptOfSet(set));
      const found = await this.#api.list<StatefulSetObject>(statefulSets, namespace, machinesIn(cluster), keep);
      const existing = found.find(isIt);
      if (existing === undefined) throw cause;
      const possible = isDenied(cause) ? asAdmitted(wanted, existing) : wanted;
      return await this.#mark(statefulSets, asExisting(possible, existing));
    }
  }

  async #mark(kind: ObjectKind, object: Made): Promise<Mark> {
    return markOf(kind, await this.#api.apply<AppliedObject>(kind, object));
  }

  async find(cluster: ClusterRecord, namespace: string): Promise<Found> {
    const selection = machinesIn(cluster);
    const [sets, found, volumes] = await Promise.all([
      this.#api.list<StatefulSetObject>(statefulSets, namespace, selection, keptOfSet),
      this.#api.list<KubeObject>(pods, namespace, selection, keptOf),
      this.#api.list<KubeObject>(claims, namespace, selection, keptOf),
    ]);
    return { sets, pods: found, claims: volumes };
  }

  /** The machines whose StatefulSet does not make them: somebody has deleted it. What was observed cannot show that alone. */
  async missing(cluster: ClusterRecord, namespace: string, observed?: Observation): Promise<readonly string[]> {
    if (observed !== undefined && machinesWithout(cluster, observed.list(statefulSets)).length === 0) return [];
    const found = await this.#api.list<KubeObject>(statefulSets, namespace, machinesIn(cluster), keptOf);
    return machinesWithout(cluster, found);
  }

  async pods(cluster: ClusterRecord, namespace: string): Promise<readonly PodObject[]> {
    return await this.#api.list<PodObject>(pods, namespace, machinesIn(cluster), asWatched(pods));
  }

  /** The objects of the cluster of these kinds without those of its runs, and the events about its StatefulSets and its claims. Close it. */
  observe(cluster: ClusterRecord, namespace: string, kinds: readonly ObjectKind[]): Observation {
    const about = new Set(
      cluster.node_groups.flatMap((group) => [groupName(cluster, group), ...claimsOfGroup(cluster, group)]),
    );
    return this.#informers.observe({ namespace, kinds, labels: clusterLabels(cluster), about });
  }

  /** Removes whatever the cluster has, with what is left of its runs, and waits until none of its machines is left. */
  async removeAll(order: Removal, namespace: string): Promise<void> {
    const { cluster } = order;
    const selection = { labels: clusterLabels(cluster) };
    for (const kind of [jobs, statefulSets, ingresses, services, policies, secrets, claims])
      for (const { metadata } of await this.#api.list<KubeObject>(kind, namespace, selection, keptOfName))
        await this.#api.remove(kind, namespace, metadata.name);
    await this.#until(order, namespace, (left) => {
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
  async gone(order: Removal, names: ReadonlySet<string>, namespace: string): Promise<void> {
    await this.#until(order, namespace, (found) => {
      // The controller of StatefulSets deletes the claims of pods that are scaled away.
      return found.pods.every(({ metadata }) => !names.has(metadata.name)) && claimsOf(found, names).length === 0;
    });
  }

  async #until(order: Removal, namespace: string, holds: (found: Found) => boolean): Promise<void> {
    const { cluster } = order;
    const observed = this.observe(cluster, namespace, [statefulSets, pods, claims]);
    const condition = {
      seems: () =>
        holds({ sets: observed.list(statefulSets), pods: observed.list(pods), claims: observed.list(claims) }),
      holds: async () => holds(await this.find(cluster, namespace)),
    };
    await untilHolds(observed, condition, order);
  }
}

/** Without the objects of its runs, of which there can be thousands that have ended. */
const machinesIn = (cluster: ClusterRecord) => ({ labels: clusterLabels(cluster), without: runLabel });

const keptOfName = ({ metadata: { name, namespace } }: KubeObject): KubeObject => ({ metadata: { name, namespace } });

/** A webhook, such as that of Kueue, does not let the object change. */
const isDenied = ({ category, message }: ApiError): boolean =>
  category === 'forbidden' && /admission webhook "[^"]*" denied the request/.test(message);

const claimsOfGroup = (cluster: ClusterRecord, group: ClusterGroupRecord): readonly string[] =>
  podNames(cluster, group).flatMap((pod) => claimNames(group, pod));

const machinesWithout = (cluster: ClusterRecord, sets: readonly KubeObject[]): readonly string[] => {
  const names = new Set(sets.map(({ metadata }) => metadata.name));
  return cluster.node_groups
    .filter((group) => !names.has(groupName(cluster, group)))
    .flatMap(({ instances }) => instances.map(({ instance_id }) => instance_id));
};

const secretIn = (found: SecretObject | undefined): string | undefined => {
  const value = found?.data?.['secret'];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
};

/** Pods of jobs belong to no group. */
const isOfGroup = ({ metadata }: KubeObject): boolean => metadata.labels?.[groupLabel] !== undefined;

/** A claim is called like its volume and its pod. */
const claimsOf = (found: Found, names: ReadonlySet<string>): readonly KubeObject[] =>
  found.claims.filter(({ metadata }) => names.has(podOfClaim(metadata.name)));

/** The identifiers of the machines that are there, or are being made or removed. */
export function machinesThere({ sets, pods: found, claims: volumes }: Found): readonly string[] {
  const names = new Set([
    ...found.map(({ metadata }) => metadata.name),
    ...volumes.map(({ metadata }) => podOfClaim(metadata.name)),
  ]);
  return sets.flatMap(({ metadata, spec }) => {
    const ids = (metadata.annotations?.[machinesAnnotation] ?? '').split(',').filter((id) => id !== '');
    return ids.filter((_id, ordinal) => ordinal < (spec.replicas ?? 0) || names.has(`${metadata.name}-${ordinal}`));
  });
}
