// How many machines the work on a cluster needs, from what its engine knows of the machines and of what waits. PURE.
import type { GroupLoad } from '../model/records/records.ts';
import type { EngineNode } from './engine.ts';

/** What a machine offers, or a piece of work takes. Memory is in MiB. */
export interface Capacity {
  readonly cores: number;
  readonly memory: number;
}

/** Pieces of the same size of work that waits, such as executors or containers. Each has to be on one machine. */
export interface Waiting extends Capacity {
  readonly count: number;
}

/** A machine on which work can run. */
export interface LoadedNode {
  readonly node: EngineNode;
  /** What it offers when nothing runs on it. */
  readonly size: Capacity;
  /** What is left of that for more work. Nothing if it gets no more. */
  readonly free: Capacity;
  readonly isBusy: boolean;
}

/** No number of machines is larger. */
export const mostNodes = 10_000;
/** Pieces of more different sizes would take the time of the service. The others do not count. */
const mostSizes = 100;
export const noRoom: Capacity = { cores: 0, memory: 0 };

/** So many machines that have the same room. */
interface Rooms extends Capacity {
  readonly count: number;
}

/** A size of nothing takes nothing. */
const timesIn = (room: number, size: number): number =>
  size > 0 ? Math.max(Math.floor(room / size), 0) : Number.POSITIVE_INFINITY;

/** How many pieces of the size have a place in the room. */
const fitting = (room: Capacity, size: Capacity): number =>
  Math.min(timesIn(room.cores, size.cores), timesIn(room.memory, size.memory));

/** Puts pieces on machines with the same room, one machine after the other. */
function fill(rooms: Rooms, pieces: Waiting) {
  const each = fitting(rooms, pieces);
  const placed = Math.min(pieces.count, each * rooms.count);
  if (placed === 0) return { placed, used: 0, rooms: [rooms] };
  const without = (times: number): Capacity => ({
    cores: rooms.cores - times * pieces.cores,
    memory: rooms.memory - times * pieces.memory,
  });
  const [full, rest] = [Math.floor(placed / each), placed % each];
  const used = full + (rest > 0 ? 1 : 0);
  const left = [
    { ...without(each), count: full },
    { ...without(rest), count: used - full },
    { ...rooms, count: rooms.count - used },
  ];
  return { placed, used, rooms: left.filter(({ count }) => count > 0) };
}

/** Equal sizes together. */
function merged(waiting: readonly Waiting[]): readonly Waiting[] {
  const sizes = new Map<string, Waiting>();
  for (const { cores, memory, count } of waiting) {
    const key = `${cores} ${memory}`;
    sizes.set(key, { cores, memory, count: count + (sizes.get(key)?.count ?? 0) });
  }
  return [...sizes.values()];
}

/** All that counts of what waits. */
export const sizesOf = (waiting: readonly Waiting[]): readonly Waiting[] => merged(waiting).slice(0, mostSizes);

/** How many empty machines of the size it takes beside the rooms. Pieces that no empty machine has a place for do not count. */
function emptyNodesFor(size: Capacity, beside: readonly Capacity[], waiting: readonly Waiting[]): number {
  let rooms: readonly Rooms[] = beside.map((room) => ({ ...room, count: 1 }));
  let empty = mostNodes;
  for (const pieces of waiting) {
    let { count } = pieces;
    const put = (on: Rooms) => {
      const filled = fill(on, { ...pieces, count });
      count -= filled.placed;
      return filled;
    };
    rooms = rooms.flatMap((each) => put(each).rooms);
    const { used, rooms: left } = put({ ...size, count: empty });
    empty -= used;
    rooms = [...rooms, ...(used > 0 ? left.slice(0, empty > 0 ? -1 : undefined) : [])];
  }
  return mostNodes - empty;
}

/**
 * The load of each node group. What runs stays where it is, and what waits fills the machines that run something before it takes empty ones. Each group counts
 * all of what waits that has a place on its machines.
 */
export function loadOf(nodes: readonly LoadedNode[], waiting: readonly Waiting[]): Readonly<Record<string, GroupLoad>> {
  const groups = Map.groupBy(nodes, ({ node }) => node.group.name);
  const sizes = sizesOf(waiting);
  const loads = [...groups].map(([name, all]) => {
    const busy = all.filter(({ isBusy }) => isBusy);
    const [first] = all;
    const free = busy.map((each) => each.free);
    const more = first === undefined ? 0 : emptyNodesFor(first.size, free, sizes);
    return [name, { wantedNodes: Math.min(busy.length + more, mostNodes), busyNodes: busy.length }] as const;
  });
  return Object.fromEntries(loads);
}

/** A number of something in the answer of an engine. Anything else is none, as is one so large that a sum of them would be infinite. */
export const countIn = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : 0;

/** A number in the answer of an engine. Undefined if it is anything else: texts would be added up to longer ones. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
