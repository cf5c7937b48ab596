// What the operator does with the NodeGroup: takes it up, leaves its count in the Cluster, and lets it go.
//
// The product's own pass over it decides that. As with the passes over the Cluster, it is run again with the answers it had, up to the
// request that has none yet. It reads the newest version when it begins; statuses of NodeGroups are not modelled, because no pass goes by
// them.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import type { CountChange } from '../../../src/operator/kube/write/writes.ts';
import { createNodeGroupPass } from '../../../src/operator/node-groups/node-group-pass.ts';
import { keyOf } from '../../../src/operator/reconcile/pass-ports.ts';
import { scalerKind } from '../../../src/operator/reconcile/resource/scalers.ts';
import { wall } from '../../operator/reconcile/support.ts';
import { newest, written } from './api-server.ts';
import type { Move } from './moves.ts';
import { entryCount, group, type Setter, setterOf, specOf, type Under, withSetter } from './setter.ts';
import type { Tables } from './tables.ts';
import { type Rules, spend, type World } from './world.ts';

type Asked = { readonly asks: 'claim' | 'read' | 'release' } | { readonly asks: 'leave'; readonly change: CountChange };

/** What the pass over it does next; nothing where it has nothing to write. */
export async function setterPassMoves(rules: Rules, world: World): Promise<readonly Move[]> {
  const { resource, pass } = setterOf(rules, world);
  const known = pass?.known ?? resource;
  if (known === null) return [];
  const asked = await askedFor(rules, world, pass ?? { known });
  if (asked === undefined) return [];
  const moves = carriedOut(rules, world, { pass: pass ?? { known }, asked });
  if (pass === undefined || world.left.crashes === 0) return moves;
  const crashed = withSetter(rules, spend(world, 'crashes'), ended(setterOf(rules, world)));
  return [...moves, { label: 'the pass over the NodeGroup ends with its process', world: crashed }];
}

interface Doing {
  readonly pass: Under;
  readonly asked: Asked;
}

function carriedOut(rules: Rules, world: World, { pass, asked }: Doing): readonly Move[] {
  const setter = setterOf(rules, world);
  const isCurrent = sameText(setter.resource, pass.known);
  switch (asked.asks) {
    case 'read': {
      const read = newest(world);
      const after = noted(rules, world, { ...setter, pass: { ...pass, read } });
      return [{ label: 'for the NodeGroup, the Cluster is read', world: withSetter(rules, world, after) }];
    }
    case 'claim':
    case 'release': {
      if (!isCurrent) return [end(rules, world, `${asked.asks} of the NodeGroup is refused with 409`)];
      const broken = asked.asks === 'release' ? lostCount(setter) : undefined;
      const after = withSetter(rules, world, { resource: applied(pass.known, asked.asks) });
      return [{ label: `${asked.asks} of the NodeGroup is written`, world: after, broken }];
    }
    case 'leave':
      return leaves(rules, world, { pass, change: asked.change });
  }
}

function leaves(rules: Rules, world: World, { pass, change }: { pass: Under; change: CountChange }): readonly Move[] {
  const cluster = rules.tables.versions.at(newest(world));
  if (cluster === null || pass.read !== newest(world))
    return [end(rules, world, 'the count of the NodeGroup is refused with 409')];
  const { metadata } = cluster;
  const annotations = { ...metadata.annotations, ...change.annotations };
  const after = written(rules, world, {
    ...cluster,
    metadata: { ...metadata, annotations, generation: metadata.generation + 1 },
    spec: { ...(cluster.spec as object), ...change.spec },
  });
  const setter = noted(rules, after, { ...setterOf(rules, world), pass: { ...pass, wrote: true } });
  const label = `the count of the NodeGroup is written into the Cluster`;
  const plain = { label, world: withSetter(rules, after, setter), broken: overwritten(cluster, change, pass.known) };
  if (world.left.silences === 0) return [plain];
  const unheard = withSetter(rules, spend(after, 'silences'), ended(setter));
  return [plain, { ...plain, label: `${label}, and the answer is lost`, world: unheard }];
}

/** The one count is written, and nothing else changes. */
function overwritten(cluster: RawResource, { spec }: CountChange, nodeGroup: RawResource): string | undefined {
  const { nodeGroups } = cluster.spec as { readonly nodeGroups: readonly { readonly name: string }[] };
  const { count } = specOf(nodeGroup);
  const should = nodeGroups.map((entry) => (entry.name === group ? { ...entry, count } : entry));
  return sameText(spec, { nodeGroups: should }) ? undefined : `I17: ${JSON.stringify(spec)} is left in the Cluster`;
}

function lostCount({ resource, left }: Setter): string | undefined {
  if (resource?.metadata.deletionTimestamp === undefined || left) return undefined;
  return `I17: the NodeGroup goes, and its count of ${specOf(resource).count} is not in the Cluster`;
}

/** Takes note that the Cluster has the count, or can have none. */
function noted(rules: Rules, world: World, setter: Setter): Setter {
  const { resource } = setter;
  if (resource?.metadata.deletionTimestamp === undefined) return setter;
  const cluster = rules.tables.versions.at(newest(world));
  const has =
    cluster === null ||
    cluster.metadata.deletionTimestamp !== undefined ||
    entryCount(cluster) === specOf(resource).count;
  return has ? { ...setter, left: true } : setter;
}

function applied(resource: RawResource, asks: 'claim' | 'release'): RawResource | null {
  const { metadata } = resource;
  if (asks === 'claim') return { ...resource, metadata: { ...metadata, finalizers: [finalizer] } };
  return metadata.deletionTimestamp === undefined ? { ...resource, metadata: { ...metadata, finalizers: [] } } : null;
}

const ended = ({ pass: _over, ...setter }: Setter): Setter => setter;
const end = (rules: Rules, world: World, why: string): Move => {
  return { label: `${why}; the pass over it ends`, world: withSetter(rules, world, ended(setterOf(rules, world))) };
};

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

// --- the product's own pass ----------------------------------------------------------------------------------------------

/** The next request of the pass; undefined: it ends without one. */
async function askedFor(rules: Rules, world: World, pass: Under): Promise<Asked | undefined> {
  const known = played.get(rules.tables) ?? new Map<number, Promise<Asked | undefined>>();
  played.set(rules.tables, known);
  const key = rules.tables.setters.numberOf({ resource: null, pass });
  const asking = known.get(key) ?? playedPass(rules, pass, newest(world));
  known.set(key, asking);
  return asking;
}

/** What a pass asks for next depends on the Cluster only once it was read. */
const played = new WeakMap<Tables, Map<number, Promise<Asked | undefined>>>();

function playedPass({ tables }: Rules, { known, read, wrote }: Under, cluster: number): Promise<Asked | undefined> {
  const versions = tables.versions;
  return new Promise((resolve, reject) => {
    const stop = (asked: Asked): Promise<never> => {
      resolve(asked);
      return new Promise(() => undefined);
    };
    const store = {
      read: (key: { readonly kind: string }) => (key.kind === scalerKind ? known : (versions.at(cluster) ?? undefined)),
      list: (kind: string) => (kind === scalerKind ? [known] : []),
      readFresh: async () => (read === undefined ? stop({ asks: 'read' }) : (versions.at(read) ?? undefined)),
      claim: () => stop({ asks: 'claim' }),
      release: () => stop({ asks: 'release' }),
      writeCounts: async (resource: RawResource, change: CountChange) =>
        wrote ? resource : stop({ asks: 'leave', change }),
      writeStatus: async (resource: RawResource) => resource,
    };
    const pass = createNodeGroupPass({ store, events: { emit: () => undefined }, clock: { wall: () => wall } });
    pass(keyOf(known)).then(() => resolve(undefined), reject);
  });
}
