// Which groups a Cluster wants. PURE.
import type { Baseline, Ledger } from '../../reconcile/kind/kind.ts';
import { type GroupSpec, groupReference } from '../node-groups.ts';
import type { ClusterSpec } from './schema.ts';

/** A group of the template that no entry of the spec describes. */
export const fromTemplate = 'template';

export interface WantedGroup {
  readonly name: string;
  readonly count: number;
  /** What it is made from: a reference as text; compared with `madeFrom` of the ledger. */
  readonly source: string;
  /** How to add it: the entry that describes it, or the template's group. */
  readonly entry?: GroupSpec;
  readonly templateGroup?: Baseline[number];
}

/** An entry that describes its nodes; one with only name and count sets the count of the template's group. */
export const isDescribed = (entry: GroupSpec): boolean =>
  entry.nodeGroupTemplateRef !== undefined || entry.nodeGroupTemplateID !== undefined || entry.flavorID !== undefined;

export const sourceOf = (entry: GroupSpec): string => {
  const reference = groupReference(entry);
  if (reference) return `ref:${reference.name}`;
  if (entry.nodeGroupTemplateID !== undefined) return `id:${entry.nodeGroupTemplateID}`;
  return isDescribed(entry) ? 'inline' : fromTemplate;
};

/** What the cluster was made from, as far as it exists. */
export type MadeGroups = Pick<Ledger, 'baseline' | 'madeFrom'>;

/** The template's groups at creation, overlaid with the entries of the spec. A string: why the first entry that does not fit is refused. */
export const wantedGroups = (
  spec: ClusterSpec,
  { baseline, madeFrom: made }: MadeGroups,
): ReadonlyMap<string, WantedGroup> | string => {
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
};

const templatesGroup = (name: string): string =>
  `spec.nodeGroups[${name}]: group ${name} belongs to the template: only its count can be set. Remove the other fields of the entry, or give a group of your own another name`;

const namesShown = 20;

const unknownGroup = (name: string, baseline: Baseline): string => {
  const names = baseline.slice(0, namesShown).map((group) => group.name);
  const known = `the template has no group of this name (its groups: ${names.join(', ') || 'none'})`;
  return `spec.nodeGroups[${name}]: ${known}: correct the name, or describe its nodes: set nodeGroupTemplateRef, or flavorID with nodeProcesses`;
};
