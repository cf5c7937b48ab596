// The pass over a NodeGroup: it takes the count of its group over, reports what became of it, and leaves the count behind.
import type { RawResource } from '../api/definition.ts';
import { nodeGroup } from '../kinds/node-group/schema.ts';
import { afterLostRace, repeatLostRace } from '../reconcile/lost-race.ts';
import { type Key, keyText } from '../reconcile/pass-ports.ts';
import type { Requeue } from '../reconcile/requeue.ts';
import { specProblems } from '../reconcile/resource/facts.ts';
import { askedBy, isHeld, ownerAmong, scalerKind, scalersOf } from '../reconcile/resource/scalers.ts';
import { leave } from './leaving.ts';
import type { NodeGroupPorts } from './node-group-ports.ts';
import { clusterKeyOf, standingOf } from './node-group-standing.ts';
import { report } from './node-group-status.ts';

/** Groups whose next owner is being written: the cache does not show it before the API server has answered. */
type Claiming = Set<string>;

/** Guarantees: only the owner of a group has our finalizer, and loses it only once the Cluster has its count or can have none. */
export function createNodeGroupPass(ports: NodeGroupPorts): (key: Key) => Promise<Requeue> {
  const claiming: Claiming = new Set();
  return async (key) => {
    const resource = ports.store.read(key);
    if (!resource) return { next: 'gone' };
    const isDeleted = resource.metadata.deletionTimestamp !== undefined;
    return await repeatLostRace(() =>
      isDeleted ? leave(ports, resource, ownerOf(ports, resource)) : reconcile(ports, resource, claiming),
    );
  };
}

/** The NodeGroup that owns the count of the same group. */
function ownerOf({ store }: NodeGroupPorts, resource: RawResource): RawResource | undefined {
  const cluster = clusterKeyOf(resource);
  const rivals = scalersOf(store.list(scalerKind, cluster), cluster);
  return ownerAmong(rivals.filter((one) => askedBy(one)?.group === askedBy(resource)?.group));
}

/** Undefined while another NodeGroup of the group gets the finalizer: whichever is older by then, one of two has it. */
async function claimed(
  { store }: NodeGroupPorts,
  resource: RawResource,
  claiming: Claiming,
): Promise<RawResource | undefined> {
  if (isHeld(resource)) return resource;
  const group = `${keyText(clusterKeyOf(resource))}/${askedBy(resource)?.group}`;
  if (claiming.has(group)) return undefined;
  claiming.add(group);
  try {
    return await store.claim(resource, undefined);
  } finally {
    claiming.delete(group);
  }
}

async function reconcile(ports: NodeGroupPorts, resource: RawResource, claiming: Claiming): Promise<Requeue> {
  const { store } = ports;
  const parsed = nodeGroup.spec.safeParse(resource.spec);
  if (!parsed.success) {
    const message = specProblems(parsed.error);
    await report(ports, resource, { standing: { state: 'stalled', reason: 'InvalidSpec', message } });
    return { next: 'watch' };
  }
  const owner = ownerOf(ports, resource) ?? resource;
  if (owner.metadata.uid !== resource.metadata.uid) {
    if (isHeld(resource)) {
      await store.release(resource);
      return { next: 'again' };
    }
    const { nodeGroup: group, clusterRef } = parsed.data;
    const message = `NodeGroup ${owner.metadata.name} sets the count of the node group ${group} of Cluster ${clusterRef.name} already: delete one of the two. If that one is deleted, this one takes over`;
    await report(ports, resource, { standing: { state: 'stalled', reason: 'DuplicateClaim', message } });
    return { next: 'watch' };
  }
  const held = await claimed(ports, resource, claiming);
  if (held === undefined) return afterLostRace;
  const cluster = store.read(clusterKeyOf(held));
  const names = cluster ? [] : clustersBeside(ports, held);
  await report(ports, held, { standing: standingOf({ resource: held, spec: parsed.data, cluster, names }), cluster });
  return { next: 'watch' };
}

function clustersBeside({ store }: NodeGroupPorts, resource: RawResource): readonly string[] {
  return [...store.list('Cluster')].flatMap(({ metadata }) =>
    metadata.namespace === resource.metadata.namespace ? [metadata.name] : [],
  );
}
