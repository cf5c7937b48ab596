// The counts of autoscaled groups, from the ledger, the cluster and what is remembered of its loads.
import type { Cluster } from '../../../wire/cluster.ts';
import type { ReportedLoad } from '../../../wire/cluster-load.ts';
import { within } from '../../api/autoscaling.ts';
import type { AutoscalingMemory, AutoscalingSeen, Ledger, OwnedCount, OwnedCounts } from '../../reconcile/kind/kind.ts';
import { type AutoscaleInput, decideCount, wantedOf } from './autoscale.ts';
import { health } from './mapping.ts';

/** Services ask engines seldom, however often they are polled. */
const leastFreshMs = 15_000;
const freshPolls = 2;

/** The same counts, those of autoscaled groups as decided now. Without an observation, they stay. */
export const autoscaled = (owned: OwnedCounts, seen: AutoscalingSeen<Cluster>): OwnedCounts =>
  new Map([...owned].map(([group, owner]) => [group, owner.bounds ? decided(group, owner, seen) : owner] as const));

const decided = (group: string, owner: OwnedCount, seen: AutoscalingSeen<Cluster>): OwnedCount => {
  const { bounds, isLeaving } = owner;
  if (!bounds) return owner;
  const { remote, ledger } = seen;
  const counts = countsOf(group, within(bounds, owner.count), seen);
  if (isLeaving || !remote || !ledger)
    return { ...owner, count: isLeaving ? counts.asked : within(bounds, counts.asked) };
  const { memory, ...load } = noteLoad(group, owner.name, seen);
  const freshMs = Math.max(freshPolls * seen.pollMs, leastFreshMs);
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
  group: string,
  owner: string,
  { remote, memory, now }: AutoscalingSeen<Cluster>,
): Pick<AutoscaleInput, 'load'> & { readonly memory: AutoscalingMemory } => {
  const load = loadOf(remote, group);
  const known = memory.get(group);
  const before = known?.owner === owner ? known : undefined;
  const isSame = before !== undefined && before.observedAt === load?.observedAt;
  const seenAt = isSame ? before.seenAt : now.monotonic;
  const noted = { owner, observedAt: load?.observedAt, seenAt, less: before?.less };
  if (!load) return { load, memory: noted };
  const ageMs = Math.max(now.wall - Date.parse(load.observedAt), now.monotonic - seenAt);
  return { load: { ...load, ageMs }, memory: noted };
};

const loadOf = (remote: Cluster | undefined, group: string): ReportedLoad | undefined =>
  remote?.load && Object.hasOwn(remote.load, group) ? remote.load[group] : undefined;

/**
 * The time begins anew with every other count that was asked for, with every load that fills it or is not known, and after a while in which
 * none was read.
 */
const noteLess = (
  before: AutoscalingMemory['less'],
  input: Omit<AutoscaleInput, 'lessForMs'>,
  { now }: AutoscalingSeen<Cluster>,
): Pick<AutoscalingMemory, 'less'> & { readonly lessForMs: number } => {
  const wanted = wantedOf({ ...input, lessForMs: 0 });
  if (wanted === undefined || wanted >= input.asked || input.state !== 'resting')
    return { less: undefined, lessForMs: 0 };
  const lasts = before?.asked === input.asked && now.monotonic - before.seenAt <= input.freshMs;
  const since = lasts ? before.since : now.monotonic;
  return { less: { asked: input.asked, since, seenAt: now.monotonic }, lessForMs: now.monotonic - since };
};
