// Reads the load of node groups in the `info` of a cluster: how many machines its work would fill.
import { isRecord } from './common.ts';

/** What the engine of a cluster told about one node group. */
export interface ReportedLoad {
  /** Machines that all work that runs and waits would fill. */
  readonly wantedNodes: number;
  /** Machines that run something. */
  readonly busyNodes: number;
  /** When the engine was asked, ISO 8601. */
  readonly observedAt: string;
}

export type ReportedLoads = Readonly<Record<string, ReportedLoad>>;

const mostGroups = 50;
const longestName = 128;
const mostNodes = 10_000;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** The first groups that can be read: what is malformed counts as not reported, never as 0. Undefined: there is none. */
export const readLoad = (load: unknown): ReportedLoads | undefined => {
  const groups = isRecord(load) ? Object.entries(load).slice(0, mostGroups) : [];
  const read = groups.flatMap(([name, value]) => {
    const group = name.length <= longestName ? readGroup(value) : undefined;
    return group ? [[name, group] as const] : [];
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
};

const readGroup = (value: unknown): ReportedLoad | undefined => {
  if (!isRecord(value)) return undefined;
  const { wantedNodes, busyNodes, observedAt } = value;
  if (!isCount(wantedNodes) || !isCount(busyNodes)) return undefined;
  if (typeof observedAt !== 'string' || !time.test(observedAt) || Number.isNaN(Date.parse(observedAt)))
    return undefined;
  return { wantedNodes, busyNodes, observedAt };
};

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostNodes;
