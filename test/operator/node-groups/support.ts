// Clusters and NodeGroups, and an API server with both whose process may die at any write.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { apiVersion, finalizer } from '../../../src/operator/api/shared-api.ts';
import { createNodeGroupPass } from '../../../src/operator/node-groups/node-group-pass.ts';
import type { NodeGroupStore } from '../../../src/operator/node-groups/node-group-ports.ts';
import { type EventNote, type Key, keyOf, keyText, StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { conditionsAs } from '../reconcile/support.ts';

const namespace = 'team-a';
export const now = Date.UTC(2026, 0, 1, 10);

interface GroupOptions {
  readonly count?: number;
  readonly group?: string;
  readonly cluster?: string;
  readonly held?: boolean;
  readonly deleting?: boolean;
  readonly autoscaling?: object;
  /** Second of its creation. */
  readonly born?: number;
}

export function nodeGroupOf(name: string, options: GroupOptions = {}): RawResource {
  const { count = 5, group = 'worker', cluster = 'etl', held = true, deleting = false, born = 0 } = options;
  const { autoscaling } = options;
  return {
    apiVersion,
    kind: 'NodeGroup',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: `2026-01-01T00:00:0${born}Z`,
      finalizers: held ? [finalizer] : [],
      ...(deleting ? { deletionTimestamp: '2026-01-01T09:00:00Z' } : {}),
    },
    spec: { clusterRef: { name: cluster }, nodeGroup: group, count, ...(autoscaling && { autoscaling }) },
    status: { observedGeneration: -1 },
  };
}

type ReadyOf = readonly [status: 'True' | 'False' | 'Unknown', reason: string, message?: string];

interface ClusterOptions {
  readonly entries?: readonly object[];
  readonly groups?: readonly object[];
  readonly ready?: ReadyOf;
  readonly stalled?: boolean;
  readonly paused?: string;
  /** Of its spec, besides the groups. */
  readonly restraints?: object;
  readonly deleting?: boolean;
  readonly id?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const entries = [
  { name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode'] },
  { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
];

export function clusterOf(options: ClusterOptions = {}): RawResource {
  const { ready = ['True', 'Available'], stalled = false, groups, deleting = false, id = 'c-1' } = options;
  const conditions = conditionsAs(1, now, [
    ['Ready', ...ready],
    ...(stalled ? [['Stalled', 'True', ready[1]] as const] : []),
    ...(options.paused === undefined ? [] : [['Paused', 'True', 'Suspended', options.paused] as const]),
  ]);
  return {
    apiVersion,
    kind: 'Cluster',
    metadata: {
      name: 'etl',
      namespace,
      uid: 'uid-etl',
      generation: 1,
      resourceVersion: '1',
      ...(options.annotations && { annotations: options.annotations }),
      ...(deleting ? { deletionTimestamp: '2026-01-01T09:00:00Z' } : {}),
    },
    spec: { nodeGroups: options.entries ?? entries, ...options.restraints },
    status: { observedGeneration: 1, conditions, id, ...(groups && { nodeGroups: groups }) },
  };
}

export class Crash extends Error {}

/** Reads are of the newest version. */
export class FakeStore implements NodeGroupStore {
  readonly objects = new Map<string, RawResource>();
  readonly events: EventNote[] = [];
  /** The writes that took effect, as `claim NodeGroup/workers`. */
  readonly writes: string[] = [];
  /** The process dies before the write of this number. */
  crashAt: number | undefined;
  /** What writes of counts get. */
  refusal: StoreError | undefined;
  #versions = 1;
  readonly #pass: (key: Key) => Promise<Requeue>;

  constructor(...objects: readonly RawResource[]) {
    for (const one of objects) this.put(one);
    const events = { emit: (event: EventNote) => void this.events.push(event) };
    this.#pass = createNodeGroupPass({ store: this, events, clock: { wall: () => now } });
  }

  pass(name: string): Promise<Requeue> {
    return this.#pass({ kind: 'NodeGroup', namespace, name });
  }

  put(object: RawResource): RawResource {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: `${(this.#versions += 1)}` } };
    this.objects.set(keyText(keyOf(object)), stored);
    return stored;
  }

  get(kind: string, name: string): RawResource | undefined {
    return this.objects.get(keyText({ kind, namespace, name }));
  }

  status(name: string): Readonly<Record<string, unknown>> {
    return (this.get('NodeGroup', name)?.status ?? {}) as Readonly<Record<string, unknown>>;
  }

  read(key: Key): RawResource | undefined {
    return this.objects.get(keyText(key));
  }

  list(kind: string): readonly RawResource[] {
    return [...this.objects.values()].filter((one) => one.kind === kind);
  }

  async readFresh(key: Key): Promise<RawResource | undefined> {
    return this.read(key);
  }

  async claim(resource: RawResource): Promise<RawResource> {
    return this.#write('claim', resource, { metadata: { ...resource.metadata, finalizers: [finalizer] } });
  }

  async release(resource: RawResource): Promise<void> {
    const written = this.#write('release', resource, { metadata: { ...resource.metadata, finalizers: [] } });
    if (written.metadata.deletionTimestamp !== undefined) this.objects.delete(keyText(keyOf(written)));
  }

  async writeStatus(resource: RawResource, status: object): Promise<RawResource> {
    return this.#write('status', resource, { status });
  }

  async writeCounts(resource: RawResource, { spec, annotations }: Parameters<NodeGroupStore['writeCounts']>[1]) {
    if (this.refusal) throw this.refusal;
    const metadata = { ...resource.metadata, annotations: { ...resource.metadata.annotations, ...annotations } };
    return this.#write('counts', resource, { metadata, spec: { ...(resource.spec as object), ...spec } });
  }

  #write(what: string, resource: RawResource, change: Partial<RawResource>): RawResource {
    if (this.crashAt === this.writes.length) throw new Crash();
    const current = this.read(keyOf(resource));
    if (current?.metadata.resourceVersion !== resource.metadata.resourceVersion)
      throw new StoreError('conflict', 'another version');
    this.writes.push(`${what} ${resource.kind}/${resource.metadata.name}`);
    return this.put({ ...current, ...change });
  }
}
