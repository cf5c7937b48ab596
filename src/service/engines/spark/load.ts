// What the master knows of the work of a cluster.
import { parseAnswer } from '../../../lib/http/bounded.ts';
import { type Engine, type EngineNode, nodesWith, type ReadText } from '../engine.ts';
import type { Flavor } from '../flavors.ts';
import { countIn, type LoadedNode, loadOf, noRoom, sizesOf, type Waiting } from '../load.ts';
import { masterPage } from './jobs/observe.ts';
import { ports, worker } from './launch.ts';
import { coresOf, memoryOf } from './memory.ts';
import { historyServer } from './servers/history.ts';
import { servers } from './servers/servers.ts';

interface WorkerState {
  readonly host?: unknown;
  readonly state?: unknown;
  readonly coresused?: unknown;
  readonly coresfree?: unknown;
  readonly memoryfree?: unknown;
}

interface Application {
  readonly id?: unknown;
  /** Cores that it has. */
  readonly cores?: unknown;
  readonly memoryperexecutor?: unknown;
}

interface Master {
  readonly workers?: readonly WorkerState[];
  readonly activeapps?: readonly Application[];
}

/** The pages of so many applications are read. The others count as if they had no limits. */
const mostPages = 50;
const none = Number.POSITIVE_INFINITY;

/** What an application may have, and what it has. */
interface Limits {
  /** spark.cores.max */
  readonly cores: number;
  /** What dynamic allocation asks for at the moment. */
  readonly executors: number;
  readonly granted: number;
}

/** `Unlimited`, or a number. */
const limitIn = (text: string | undefined): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : none;

/** JSON has no limits, so they are read from the page, in which names of users cannot contain tags. */
export function limitsIn(page: string): Limits {
  const [, cores] = /<strong>\s*Cores:\s*<\/strong>\s*(Unlimited|\d+)\s*\(/.exec(page) ?? [];
  const [, executors, granted] =
    /<strong>\s*Executor Limit:\s*<\/strong>\s*(Unlimited|\d+)\s*\(\s*(\d+)\s*granted/.exec(page) ?? [];
  return { cores: limitIn(cores), executors: limitIn(executors), granted: Number(granted ?? 0) };
}

/**
 * The executors that an application waits for. Without any limit, it would take everything: then it waits only until it has something. The cores of an executor
 * are those of the others that it has, or all of a machine as long as it has none.
 */
export function waitingOf({ cores, memoryperexecutor }: Application, limits: Limits, machineCores: number): Waiting {
  const has = countIn(cores);
  const memory = countIn(memoryperexecutor);
  const isEven = limits.granted > 0 && has > 0 && has % limits.granted === 0;
  const size = isEven ? has / limits.granted : Math.max(machineCores, 1);
  if (limits.cores === none && limits.executors === none) return { cores: size, memory, count: has === 0 ? 1 : 0 };
  const left = Math.max(limits.cores - has, 0);
  const byCores = left === none ? none : isEven ? Math.floor(left / size) : Math.ceil(left / size);
  const count = Math.min(byCores, Math.max(limits.executors - limits.granted, 0));
  return { cores: Math.min(size, left), memory, count };
}

/** A worker that was started again is listed twice. */
function loadedNode(node: EngineNode, flavors: readonly Flavor[], workers: readonly WorkerState[]): LoadedNode {
  const known = workers.filter(({ host }) => host === node.address);
  const { state, ...found } = known.find((each) => each.state === 'ALIVE') ?? {};
  const leaving = known.find((each) => each.state === 'DECOMMISSIONED');
  const size = { cores: coresOf(node, flavors), memory: memoryOf(node, flavors) };
  const free = {
    cores: Math.min(countIn(found.coresfree), size.cores),
    memory: Math.min(countIn(found.memoryfree), size.memory),
  };
  const isBusy = countIn(found.coresused ?? leaving?.coresused) > 0;
  return { node, size, free: state === undefined ? noRoom : free, isBusy };
}

async function limitsOf(master: EngineNode, id: string | undefined, read: ReadText): Promise<Limits> {
  return limitsIn(id === undefined ? '' : await read(`http://${master.address}:${ports.masterPage}/app/?appId=${id}`));
}

/** All that is kept of one whose page is read. */
const keptOf = ({ id, cores, memoryperexecutor }: Application) => ({
  id: typeof id === 'string' && /^[\w-]{1,100}$/.test(id) ? id : undefined,
  cores: countIn(cores),
  memoryperexecutor: countIn(memoryperexecutor),
});

/** What the master says, of which nothing else is held while pages are read. */
async function workOf(master: EngineNode, own: readonly EngineNode[], flavors: readonly Flavor[], read: ReadText) {
  const { workers = [], activeapps = [] } = parseAnswer(await read(masterPage(master))) as Master;
  const loaded = own.map((node) => loadedNode(node, flavors, workers));
  const machineCores = Math.min(...loaded.map(({ size }) => size.cores));
  const others = activeapps.slice(mostPages).map((each) => waitingOf(each, limitsIn(''), machineCores));
  return { loaded, machineCores, first: activeapps.slice(0, mostPages).map(keptOf), others: sizesOf(others) };
}

/** Machines with these are the only ones of their kind. */
const single: readonly string[] = ['master', 'namenode', historyServer, ...servers];

export const sparkLoad =
  (flavors: readonly Flavor[]): NonNullable<Engine['load']> =>
  async (nodes, read) => {
    const [master] = nodesWith(nodes, 'master');
    if (master === undefined) return {};
    const own = nodesWith(nodes, worker).filter(({ processes }) => !processes.some((name) => single.includes(name)));
    const { loaded, machineCores, first, others } = await workOf(master, own, flavors, read);
    const waiting: Waiting[] = [];
    for (const each of first) waiting.push(waitingOf(each, await limitsOf(master, each.id, read), machineCores));
    return loadOf(loaded, [...waiting, ...others]);
  };
