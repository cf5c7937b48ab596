// Which groups a Cluster wants, and how that differs from those it has. PURE.
import type { Cluster } from '../../../wire/cluster.ts';
import { capabilities, type Dialect } from '../../../wire/dialect.ts';
import type { Baseline, ComparedWith, Difference, Drift, Ledger } from '../../reconcile/kind.ts';
import { type GroupSpec, groupReference } from '../node-groups.ts';
import type { ClusterSpec } from './schema.ts';

/** A group of the template that no entry of the spec describes. */
const fromTemplate = 'template';

export interface WantedGroup {
  readonly name: string;
  readonly count: number;
  /** What it is made from: a reference as text; compared with `madeFrom` of the ledger. */
  readonly source: string;
  /** How to add it: the entry that describes it, or the template's group. */
  readonly entry?: GroupSpec;
  readonly templateGroup?: Baseline[number];
}

export interface GroupDiff {
  readonly resize: readonly { readonly name: string; readonly count: number }[];
  readonly add: readonly WantedGroup[];
}

/** An entry that describes its nodes; one with only name and count sets the count of the template's group. */
export function isDescribed(entry: GroupSpec): boolean {
  return (
    entry.nodeGroupTemplateRef !== undefined || entry.nodeGroupTemplateID !== undefined || entry.flavorID !== undefined
  );
}

export function sourceOf(entry: GroupSpec): string {
  const reference = groupReference(entry);
  if (reference) return `ref:${reference.name}`;
  if (entry.nodeGroupTemplateID !== undefined) return `id:${entry.nodeGroupTemplateID}`;
  return isDescribed(entry) ? 'inline' : fromTemplate;
}

/** What the cluster was made from, as far as it exists. */
export type MadeGroups = Pick<Ledger, 'baseline' | 'madeFrom'>;

/** The template's groups at creation, overlaid with the entries of the spec. A string: why the first entry that does not fit is refused. */
export function wantedGroups(
  spec: ClusterSpec,
  { baseline, madeFrom: made }: MadeGroups,
): ReadonlyMap<string, WantedGroup> | string {
  const wanted = new Map<string, WantedGroup>();
  for (const group of baseline ?? []) {
    wanted.set(group.name, { name: group.name, count: group.count, source: fromTemplate, templateGroup: group });
  }
  for (const entry of spec.nodeGroups ?? []) {
    const { name, count } = entry;
    const known = wanted.get(name);
    // Earlier versions made such a group from its entry; then it is not the template's.
    const isTemplates = known !== undefined && (made?.[name] ?? fromTemplate) === fromTemplate;
    if (isDescribed(entry) && isTemplates) return templatesGroup(name);
    if (isDescribed(entry)) wanted.set(name, { name, count, source: sourceOf(entry), entry });
    else if (known) wanted.set(name, { ...known, count });
    else return unknownGroup(name, baseline ?? []);
  }
  return wanted;
}

function templatesGroup(name: string): string {
  return `spec.nodeGroups[${name}]: group ${name} belongs to the template: only its count can be set. Remove the other fields of the entry, or give a group of your own another name`;
}

const namesShown = 20;

function unknownGroup(name: string, baseline: Baseline): string {
  const names = baseline.slice(0, namesShown).map((group) => group.name);
  const known = `the template has no group of this name (its groups: ${names.join(', ') || 'none'})`;
  return `spec.nodeGroups[${name}]: ${known}: correct the name, or describe its nodes: set nodeGroupTemplateRef, or flavorID with nodeProcesses`;
}

export function difference(
  spec: ClusterSpec,
  remote: Cluster,
  { ledger, dialect }: ComparedWith,
): Difference<GroupDiff> {
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
  return { state: 'change', diff, target, uses, drift, summary: summary(diff, counts) };
}

function compare(
  wanted: ReadonlyMap<string, WantedGroup>,
  counts: ReadonlyMap<string, number>,
  ledger: Ledger,
): GroupDiff {
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
}

/**
 * A group without nodes counts as gone once it was removed: some services go on listing it. Where its name is taken
 * nevertheless, because a change failed halfway, the service refuses to add it, and it is removed once more.
 */
function isTakenAway({ name, count }: WantedGroup, { change }: Ledger): boolean {
  return count === 0 || change?.target[name] === 0;
}

/** What the existing group was made from; one of which nothing is known counts as what is wanted. */
function originOf({ name, source }: WantedGroup, { madeFrom: made, baseline }: Ledger): string {
  return made?.[name] ?? (baseline?.some((group) => group.name === name) ? fromTemplate : source);
}

/** Of the template's groups only the reference to their own template is known. */
function addable({ entry, source, templateGroup }: WantedGroup, dialect: Dialect): boolean {
  if (!entry) return templateGroup?.nodeGroupTemplateId !== undefined;
  return source !== 'inline' || capabilities(dialect).scaleInlineGroup;
}

/** An entry with a flavor keeps it as long as it exists. */
function notAddable({ name, entry }: WantedGroup): string {
  const why = `spec.nodeGroups[${name}]: the cluster has no such group, and a group with its own flavor cannot be added to a running cluster of this service`;
  const remedy = entry
    ? 'remove the entry, and add one with a nodeGroupTemplateRef in its place: under another name at once, under this name in a second edit'
    : 'set count 0 in an entry of this name to do without the group, and add one under another name with a nodeGroupTemplateRef if you need it';
  return `${why}: ${remedy}`;
}

function summary(diff: GroupDiff, counts: ReadonlyMap<string, number>): string {
  const resized = diff.resize.map(({ name, count }) => `${name} from ${counts.get(name) ?? 0} to ${count}`);
  const added = diff.add.map(({ name, count }) => `new group ${name} with ${count}`);
  return [...resized, ...added].join(', ');
}

function driftOf(
  diff: GroupDiff,
  closed: readonly WantedGroup[],
  counts: ReadonlyMap<string, number>,
): readonly Drift[] {
  return [...diff.resize, ...diff.add].map(({ name, count }) => ({
    path: `spec.nodeGroups[${name}].count`,
    want: String(count),
    have: String(counts.get(name) ?? 0),
    fixable: !closed.some((group) => group.name === name),
  }));
}

/** What the groups are made from once the change is carried out. */
export function madeFrom(_spec: ClusterSpec, diff: GroupDiff, ledger: Ledger): Readonly<Record<string, string>> {
  return { ...ledger.madeFrom, ...Object.fromEntries(diff.add.map((group) => [group.name, group.source])) };
}
