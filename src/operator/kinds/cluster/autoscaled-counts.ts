// The counts of autoscaled groups, from the ledger, the cluster and what is remembered of its loads.
import type { Cluster } from '../../../wire/cluster.ts';
import type { ReportedLoad } from '../../../wire/cluster-load.ts';
import { within } from '../../api/autoscaling.ts';
import type {
  AutoscalingBounds,
  AutoscalingMemory,
  AutoscalingSeen,
  Ledger,
  OwnedCount,
  OwnedCounts,
} from '../../reconcile/kind/kind.ts';
import { type AutoscaleInput, decideCount, wantedOf } from './autoscale.ts';
import { health } from './mapping.ts';

/** Services ask engines seldom, however often they are polled. */
const leastFreshMs = 15_000;
const freshPolls = 2;
const freshFor = (pollMs: number): number => Math.max(freshPolls * pollMs, leastFreshMs);

interface SeenGroups extends AutoscalingSeen<Cluster> {
  /** Groups that are to have no node. */
  readonly emptied: ReadonlySet<string>;
}

/** The same counts, those of autoscaled groups as decided now. Without an observation, they stay. */
export const autoscaled = (owned: OwnedCounts, seen: AutoscalingSeen<Cluster>): OwnedCounts => {
  const emptied = new Set([...owned].flatMap(([group, { bounds, count }]) => (!bounds && count === 0 ? [group] : [])));
  const decide = ([group, owner]: readonly [string, OwnedCount]) => {
    const one = owner.bounds ? decided(group, owner, { ...seen, emptied }) : owner;
    if (one.count === 0) emptied.add(group);
    return [group, one] as const;
  };
  return new Map([...owned].map(decide));
};

const decided = (group: string, owner: OwnedCount, seen: SeenGroups): OwnedCount => {
  if (!owner.bounds) return owner;
  const { isLeaving } = owner;
  const { remote, ledger } = seen;
  const bounds = keptBounds(group, owner.bounds, seen);
  const counts = countsOf(group, within(bounds, owner.count), seen);
  if (isLeaving || !remote || !ledger)
    return { ...owner, count: isLeaving ? counts.asked : within(bounds, counts.asked) };
  const { memory, ...load } = noteLoad({ group, owner: owner.name, has: counts.has }, seen);
  const freshMs = freshFor(seen.pollMs);
  const input = { bounds, ...counts, ...load, state: stateOf(remote, ledger), freshMs };
  const { lessForMs, ...less } = noteLess(memory.less, input, seen);
  seen.memory.set(group, { ...memory, ...less });
  const { count, ...decision } = decideCount({ ...input, lessForMs });
  return { ...owner, count, decision };
};

/** A count that an earlier scale did not reach is asked for until another one is. */
const countsOf = (
  group: string,
  initial: number,
  { remote, ledger, reported }: AutoscalingSeen<Cluster>,
): Pick<AutoscaleInput, 'asked' | 'has'> => {
  const isMade = ledger?.madeFrom?.[group] !== undefined || ledger?.baseline?.some(({ name }) => name === group);
  const found = remote?.node_groups?.find(({ name }) => name === group)?.count;
  const has = remote ? (found ?? (isMade ? 0 : initial)) : (reported.get(group) ?? initial);
  return { has, asked: ledger?.change?.target[group] ?? has };
};

/** Before it runs, and after it failed, nothing is decided. */
const stateOf = (remote: Cluster, ledger: Ledger): AutoscaleInput['state'] => {
  const { state } = health(remote);
  if (state === 'ready') return 'resting';
  return state === 'busy' && ledger.change ? 'scaling' : 'other';
};

/** A load is as old as its time says, and at least as old as it has been unchanged here: clocks differ. */
const noteLoad = (
  { group, owner, has }: { readonly group: string; readonly owner: string; readonly has: number },
  { remote, memory, now }: AutoscalingSeen<Cluster>,
): Pick<AutoscaleInput, 'load'> & { readonly memory: AutoscalingMemory } => {
  const known = memory.get(group);
  const before = known?.owner === owner ? known : undefined;
  const { load, isUnfit } = findLoad(group, remote, { has, isUnfit: before?.isUnfit ?? false });
  const isSame = before !== undefined && before.observedAt === load?.observedAt;
  const seenAt = isSame ? before.seenAt : now.monotonic;
  const noted = { owner, observedAt: load?.observedAt, seenAt, isUnfit, less: before?.less };
  if (!load) return { load, memory: noted };
  const ageMs = Math.max(now.wall - Date.parse(load.observedAt), now.monotonic - seenAt);
  return { load: { ...load, ageMs }, memory: noted };
};

const loadOf = (remote: Cluster | undefined, group: string): ReportedLoad | undefined =>
  remote?.load && Object.hasOwn(remote.load, group) ? remote.load[group] : undefined;

const nodesIn = (remote: Cluster | undefined, group: string): number =>
  remote?.node_groups?.find(({ name }) => name === group)?.count ?? 0;

/** The loads of the other groups that have nodes, the newest first. */
const otherLoads = (remote: Cluster | undefined, group: string) =>
  Object.entries(remote?.load ?? {})
    .map(([name, load]) => ({ name, load, nodes: nodesIn(remote, name) }))
    .filter(({ name, nodes }) => name !== group && nodes > 0)
    .toSorted((one, other) => Date.parse(other.load.observedAt) - Date.parse(one.load.observedAt));

/** No engine tells anything of a group without nodes. Where it is the last one that is told of, it keeps a node, so that it hears of work again. */
const keptBounds = (group: string, bounds: AutoscalingBounds, { remote, emptied }: SeenGroups): AutoscalingBounds => {
  const isLast = otherLoads(remote, group).every(({ name }) => emptied.has(name));
  return loadOf(remote, group) && isLast ? { ...bounds, minCount: Math.max(bounds.minCount, 1) } : bounds;
};

interface Fit {
  /** Work waits that has no place on a node of this group, as its own load said last. Until that is gone, it gets no node for it again. */
  readonly isUnfit: boolean;
}

/** The load of the group. While it has no nodes, one is wanted if work waits for more nodes of others: then its own load says how many more. */
const findLoad = (
  group: string,
  remote: Cluster | undefined,
  { has, isUnfit }: Fit & { readonly has: number },
): Fit & { readonly load: ReportedLoad | undefined } => {
  const others = otherLoads(remote, group);
  const waiting = others.find(({ load, nodes }) => load.wantedNodes > nodes);
  const own = loadOf(remote, group);
  if (own) return { load: own, isUnfit: waiting !== undefined && own.wantedNodes + own.busyNodes === 0 };
  if (has > 0) return { load: undefined, isUnfit };
  const { observedAt } = (waiting ?? others[0])?.load ?? {};
  const wantedNodes = waiting && !isUnfit ? 1 : 0;
  return {
    load: observedAt === undefined ? undefined : { wantedNodes, busyNodes: 0, observedAt },
    isUnfit: isUnfit && (waiting !== undefined || observedAt === undefined),
  };
};

/**
 * The time begins anew with every other count that was asked for, with every load that fills it or is not known, and after a while in which
 * none was read.
 */
const noteLess = (
  before: AutoscalingMemory['less'],
  input: Omit<AutoscaleInput, 'lessForMs'>,
  { now, steadyMs }: AutoscalingSeen<Cluster>,
): Pick<AutoscalingMemory, 'less'> & { readonly lessForMs: number } => {
  const wanted = wantedOf({ ...input, lessForMs: 0 });
  if (wanted === undefined || wanted >= input.asked || input.state !== 'resting')
    return { less: undefined, lessForMs: 0 };
  const lasts = before?.asked === input.asked && now.monotonic - before.seenAt <= freshFor(steadyMs);
  const since = lasts ? before.since : now.monotonic;
  return { less: { asked: input.asked, since, seenAt: now.monotonic }, lessForMs: now.monotonic - since };
};
