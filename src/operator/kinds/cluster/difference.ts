// How the groups that a Cluster wants differ from those it has: what a scaling changes, and what drifted. PURE.
import type { Cluster } from '../../../wire/cluster.ts';
import { capabilities, type Dialect } from '../../../wire/dialect.ts';
import type { ComparedWith, Difference, Drift, Ledger } from '../../reconcile/kind/kind.ts';
import { groupReference } from '../node-groups.ts';
import { fromTemplate, type WantedGroup, wantedGroups } from './groups.ts';
import type { ClusterSpec } from './schema.ts';

export interface GroupDiff {
  readonly resize: readonly { readonly name: string; readonly count: number }[];
  readonly add: readonly WantedGroup[];
}

export const difference = (
  spec: ClusterSpec,
  remote: Cluster,
  { ledger, dialect }: ComparedWith,
): Difference<GroupDiff> => {
  const wanted = wantedGroups(spec, ledger);
  if (typeof wanted === 'string') return { state: 'unfixable', message: wanted, drift: [] };
  const counts = new Map((remote.node_groups ?? []).map((group) => [group.name, group.count]));
  const diff = compare(wanted, counts, ledger);
  const closed = diff.add.filter((group) => !addable(group, dialect));
  const drift = driftOf(diff, closed, counts);
  if (closed[0]) return { state: 'unfixable', message: notAddable(closed[0]), drift };
  if (drift.length === 0) return { state: 'none' };
  const target = Object.fromEntries([...diff.resize, ...diff.add].map((group) => [group.name, group.count]));
  const uses = diff.add.flatMap((group) => (group.entry ? (groupReference(group.entry) ?? []) : []));
  return {
    state: 'change',
    diff,
    target,
    uses,
    drift,
    summary: summary(diff, counts, remote.accepts_scale ? ledger.change?.target : undefined),
  };
};

const compare = (
  wanted: ReadonlyMap<string, WantedGroup>,
  counts: ReadonlyMap<string, number>,
  ledger: Ledger,
): GroupDiff => {
  const resize: { name: string; count: number }[] = [];
  const add: WantedGroup[] = [];
  for (const group of wanted.values()) {
    const count = counts.get(group.name);
    const replaced = originOf(group, ledger) !== group.source;
    // A group of another origin is removed first, and added again in a later request.
    if (count === undefined || (replaced && count === 0 && isTakenAway(group, ledger))) {
      if (group.count > 0) add.push(group);
    } else if (replaced) resize.push({ name: group.name, count: 0 });
    else if (count !== group.count) resize.push({ name: group.name, count: group.count });
  }
  for (const [name, count] of counts) if (!wanted.has(name) && count > 0) resize.push({ name, count: 0 });
  return { resize, add };
};

/**
 * A group without nodes counts as gone once it was removed: some services go on listing it. Where its name is taken
 * nevertheless, because a change failed halfway, the service refuses to add it, and it is removed once more.
 */
const isTakenAway = ({ name, count }: WantedGroup, { change }: Ledger): boolean =>
  count === 0 || change?.target[name] === 0;

/** What the existing group was made from. If that is not known, the group counts as matching. */
const originOf = ({ name, source }: WantedGroup, { madeFrom: made, baseline }: Ledger): string =>
  made?.[name] ?? (baseline?.some((group) => group.name === name) ? fromTemplate : source);

/** Of the template's groups only the reference to their own template is known. */
const addable = ({ entry, source, templateGroup }: WantedGroup, dialect: Dialect): boolean => {
  if (!entry) return templateGroup?.nodeGroupTemplateId !== undefined;
  return source !== 'inline' || capabilities(dialect).scaleInlineGroup;
};

/** An entry with a flavor keeps it as long as it exists. */
const notAddable = ({ name, entry }: WantedGroup): string => {
  const why = `spec.nodeGroups[${name}]: the cluster has no such group, and a group with its own flavor cannot be added to a running cluster of this service`;
  const remedy = entry
    ? 'remove the entry, and add one with a nodeGroupTemplateRef in its place: under another name at once, under this name in a second edit'
    : 'set count 0 in an entry of this name to do without the group, and add one under another name with a nodeGroupTemplateRef if you need it';
  return `${why}: ${remedy}`;
};

/** `replaced`: the counts of the scale under way, if a newer one replaces it. */
const summary = (
  diff: GroupDiff,
  counts: ReadonlyMap<string, number>,
  replaced: Readonly<Record<string, number>> = {},
): string => {
  const formerCounts = new Map(Object.entries(replaced));
  const words = ({ name, count }: { readonly name: string; readonly count: number }): string => {
    const former = formerCounts.get(name);
    if (former === undefined || former === count) return `${name} from ${counts.get(name) ?? 0} to ${count}`;
    return `${name}: count ${count} replaces the count ${former} that was being carried out`;
  };
  return [...diff.resize, ...diff.add].map(words).join(', ');
};

const driftOf = (
  diff: GroupDiff,
  closed: readonly WantedGroup[],
  counts: ReadonlyMap<string, number>,
): readonly Drift[] =>
  [...diff.resize, ...diff.add].map(({ name, count }) => ({
    path: `spec.nodeGroups[${name}].count`,
    want: String(count),
    have: String(counts.get(name) ?? 0),
    fixable: !closed.some((group) => group.name === name),
  }));

/** What the groups are made from once the change is carried out. */
export const madeFrom = (_spec: ClusterSpec, diff: GroupDiff, ledger: Ledger): Readonly<Record<string, string>> => ({
  ...ledger.madeFrom,
  ...Object.fromEntries(diff.add.map((group) => [group.name, group.source])),
});
