// What the resource manager knows of the work of a cluster.
import { parseAnswer } from '../../../lib/http/bounded.ts';
import { type Engine, type EngineNode, nodesWith, type ReadText } from '../engine.ts';
import type { Flavor } from '../flavors.ts';
import { countIn, type LoadedNode, loadOf, noRoom, type Waiting } from '../load.ts';
import { ports } from './launch.ts';
import { memoryOf } from './memory.ts';

interface YarnNode {
  readonly nodeHostName?: string;
  readonly state?: string;
  readonly numContainers?: unknown;
  readonly availMemoryMB?: unknown;
}
export interface YarnNodes {
  readonly nodes?: { readonly node?: readonly YarnNode[] } | null;
}
interface YarnMetrics {
  readonly clusterMetrics?: Readonly<
    Partial<Record<'containersAllocated' | 'containersReserved' | 'containersPending' | 'pendingMB', unknown>>
  >;
}

const cluster = ({ address }: EngineNode) => `http://${address}:${ports.resourcemanagerPage}/ws/v1/cluster`;
export const yarnNodes = (manager: EngineNode): string => `${cluster(manager)}/nodes`;

/** The scheduler counts memory alone. All containers that wait count as equally large. */
function waitingIn({ clusterMetrics: { containersPending, pendingMB } = {} }: YarnMetrics): readonly Waiting[] {
  const count = countIn(containersPending);
  return count === 0 ? [] : [{ cores: 0, memory: Math.ceil(countIn(pendingMB) / count), count }];
}

const hasContainers = ({ clusterMetrics = {} }: YarnMetrics): boolean =>
  countIn(clusterMetrics.containersAllocated) + countIn(clusterMetrics.containersReserved) > 0;

/** Holds nothing of the answer. */
async function workOf(manager: EngineNode, read: ReadText) {
  const metrics = parseAnswer(await read(`${cluster(manager)}/metrics`)) as YarnMetrics;
  const waiting = waitingIn(metrics);
  return { waiting, isIdle: waiting.length === 0 && !hasContainers(metrics) };
}

function loadedNode(node: EngineNode, flavors: readonly Flavor[], { nodes }: YarnNodes): LoadedNode {
  const known = (nodes?.node ?? []).filter(({ nodeHostName }) => nodeHostName === node.address);
  const { state, numContainers, availMemoryMB } = known.find((each) => each.state === 'RUNNING') ?? known[0] ?? {};
  const size = { cores: 0, memory: memoryOf(node, flavors) };
  const free = { cores: 0, memory: Math.min(countIn(availMemoryMB), size.memory) };
  return { node, size, free: state === 'RUNNING' ? free : noRoom, isBusy: countIn(numContainers) > 0 };
}

/** Machines with these are the only ones of their kind. */
const single = ['namenode', 'resourcemanager', 'historyserver'];

export const hadoopLoad =
  (flavors: readonly Flavor[]): NonNullable<Engine['load']> =>
  async (nodes, read) => {
    const [manager] = nodesWith(nodes, 'resourcemanager');
    if (manager === undefined) return {};
    const workers = nodesWith(nodes, 'nodemanager').filter(
      ({ processes }) => !processes.some((name) => single.includes(name)),
    );
    const { waiting, isIdle } = await workOf(manager, read);
    // Most of the time there is nothing, and one question is enough.
    const known = isIdle ? {} : (parseAnswer(await read(yarnNodes(manager))) as YarnNodes);
    const loaded = workers.map((node) => loadedNode(node, flavors, known));
    return loadOf(loaded, waiting);
  };
