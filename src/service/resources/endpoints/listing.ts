// Filters of lists in late upstream releases, as their client sends them. PURE.

import type { Kind, Records } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import type { Parameter } from './about.ts';
import type { Call } from './endpoint.ts';

export type ListedKind = Exclude<Kind, 'images'>;

const installed = ['name', 'plugin_name', 'hadoop_version'];
const typed = ['name', 'type'];
/** The fields that a list can be filtered by, in the words of late releases. */
const filters: Readonly<Record<ListedKind, readonly string[]>> = {
  clusters: installed,
  clusterTemplates: installed,
  nodeGroupTemplates: installed,
  dataSources: typed,
  jobBinaries: ['name'],
  jobBinaryInternals: ['name'],
  jobs: typed,
  jobExecutions: [],
};

/** The query parameters of a list. */
export const listParameters = (kind: ListedKind): readonly Parameter[] =>
  filters[kind].map((name) => ({ name, description: `Only those with this ${name}` }));

const unknownFilter = (kind: ListedKind, name: string): Refusal => {
  const known = filters[kind].length === 0 ? 'there are none' : `known are ${filters[kind].join(', ')}`;
  return Refusal.by('badParameter', `cannot list: unknown filter ${name}; ${known}`);
};

/** The rows with the values of the query. Throws for a parameter that is no filter. */
export function filtered<K extends ListedKind>(
  kind: K,
  rows: readonly Records[K][],
  query: Call['query'],
): readonly Records[K][] {
  const wanted = Object.entries(query).map(([name, value]) => {
    if (!filters[kind].includes(name)) throw unknownFilter(kind, name);
    return [name === 'hadoop_version' ? 'bigdata_version' : name, [value].flat()[0]] as const;
  });
  return rows.filter((row) => wanted.every(([name, value]) => Reflect.get(row, name) === value));
}
