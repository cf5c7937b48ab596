// Which objects are watched, and what is kept of them. PURE.
import type { RawResource, ResourceKind } from '../../../../kube/resource.ts';
import {
  claims,
  events,
  ingresses,
  jobs,
  type ObjectKind,
  pods,
  policies,
  secrets,
  services,
  statefulSets,
} from './api.ts';
import { clusterLabel, digestOf, runLabel } from './names.ts';

/** Of one text. The kubelet keeps 4 KiB of the last words of a container, of which the end matters. */
const mostCharacters = 4096;

interface WatchedKind extends ResourceKind {
  readonly keep: (object: RawResource) => RawResource;
}

type KeptFields = Readonly<Record<string, unknown>>;

const pick = (from: unknown, names: readonly string[]): KeptFields =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = (from as KeptFields | undefined)?.[name];
      if (value === undefined) return [];
      return [[name, typeof value === 'string' ? value.slice(-mostCharacters) : value]];
    }),
  );

const each = (from: unknown, keep: (one: KeptFields) => KeptFields): readonly KeptFields[] =>
  Array.isArray(from) ? from.map((one: unknown) => keep((one ?? {}) as KeptFields)) : [];

const stateOf = (state: unknown): KeptFields =>
  Object.fromEntries(
    Object.entries((state ?? {}) as KeptFields).map(([name, of]) => [
      name,
      pick(of, ['reason', 'message', 'exitCode', 'finishedAt']),
    ]),
  );

const containersOf = (status: unknown): readonly KeptFields[] =>
  each(status, (container) => ({
    ...pick(container, ['name', 'ready', 'restartCount', 'image']),
    state: stateOf(container['state']),
    lastState: stateOf(container['lastState']),
  }));

const conditionsOf = (status: KeptFields): readonly KeptFields[] =>
  each(status['conditions'], (one) => pick(one, ['type', 'status', 'reason', 'message']));

const ofPod = ({ spec, status = {} }: RawResource): KeptFields => ({
  spec: pick(spec, ['nodeName']),
  status: {
    ...pick(status, ['phase', 'podIP', 'podIPs', 'hostIP', 'hostIPs', 'reason', 'message']),
    conditions: conditionsOf(status as KeptFields),
    containerStatuses: containersOf((status as KeptFields)['containerStatuses']),
    initContainerStatuses: containersOf((status as KeptFields)['initContainerStatuses']),
  },
});

const ofJob = ({ spec, status = {} }: RawResource): KeptFields => ({
  // The API server says of each whether it is.
  spec: (spec as KeptFields | undefined)?.['suspend'] === true ? { suspend: true } : {},
  status: { conditions: conditionsOf(status as KeptFields) },
});

const ofEvent = (event: RawResource): KeptFields => ({
  ...pick(event, ['reason', 'message', 'type']),
  involvedObject: pick((event as unknown as KeptFields)['involvedObject'], ['kind', 'name']),
});

/** Enough to see that somebody has changed the object. A generation stands for the whole spec. */
const ofOther = ({ metadata, spec, status, data }: RawResource): KeptFields => {
  const { generation, labels = {}, annotations = {} } = metadata;
  const balancer = (status as KeptFields | undefined)?.['loadBalancer'];
  return { looks: digestOf(JSON.stringify([labels, annotations, data, generation === 0 && [spec, balancer]])) };
};

const watched = (
  kind: ObjectKind,
  selector: Pick<ResourceKind, 'labelSelector' | 'fieldSelector'>,
  fields: (object: RawResource) => KeptFields,
): WatchedKind => ({
  ...kind,
  ...selector,
  keep(object) {
    const { apiVersion, metadata } = object;
    const { annotations: _annotations, ...kept } = {
      ...pick(metadata, ['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'labels']),
      generation: metadata.generation,
    } as RawResource['metadata'];
    return { apiVersion, kind: kind.kind, metadata: kept, ...fields(object) };
  },
});

const ofClusters = { labelSelector: clusterLabel };

const kinds: readonly WatchedKind[] = [
  watched(pods, ofClusters, ofPod),
  watched(jobs, { labelSelector: runLabel }, ofJob),
  // Those about pods are many, and say nothing that the pods do not.
  watched(events, { fieldSelector: 'type=Warning,involvedObject.kind!=Pod' }, ofEvent),
  ...[statefulSets, services, policies, ingresses, secrets, claims].map((kind) => watched(kind, ofClusters, ofOther)),
];

/** Throws if objects of this kind are not watched. */
export function watchedKind({ kind }: ObjectKind): WatchedKind {
  const found = kinds.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`cannot watch ${kind} objects: nobody has said what is kept of them`);
  return found;
}
