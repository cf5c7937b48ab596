// The grid: every write point with every fault in every workload; which cells are void and why; and the pairwise selection.
import { type Fault, familyOf, faults, kills, voidReason } from './faults.ts';
import { type Point, points } from './points.ts';
import type { Workload } from './steps.ts';
import { workloads } from './workloads.ts';

export interface Cell {
  /** For people and for `--cell`: `create-cluster/f3/scale-up`. */
  readonly id: string;
  readonly point: Point;
  readonly fault: Fault;
  readonly workload: Workload;
}

export interface VoidCell extends Cell {
  readonly reason: string;
}

export interface Grid {
  readonly cells: readonly Cell[];
  readonly voids: readonly VoidCell[];
}

export function grid(): Grid {
  const all = points.flatMap((point) =>
    faults.flatMap((fault) =>
      workloads.map((workload) => ({ id: idOf(point, fault, workload), point, fault, workload })),
    ),
  );
  const voids = all.flatMap((cell) => {
    const { point, fault, workload } = cell;
    const reason = workload.passes.includes(point.id) ? voidReason(point, fault) : 'the workload makes no such write';
    return reason === undefined ? [] : [{ ...cell, reason }];
  });
  const dead = new Set(voids.map(({ id }) => id));
  return { cells: all.filter(({ id }) => !dead.has(id)), voids };
}

const idOf = (point: Point, fault: Fault, workload: Workload): string =>
  [point.id, fault.id, workload.name].map((part) => part.replaceAll(' ', '-')).join('/');

export type Pairs = (cell: Cell) => readonly string[];

/** Every write, every deed with each family of faults, and each fault somewhere: for every run of the tests. */
export const deedsAndFaults: Pairs = ({ point, fault }) => [
  point.id,
  `${point.deed} with ${familyOf(fault)}`,
  fault.id,
];

/** Every write in each workload, every deed with each family of faults, and each fault somewhere: for a real API server, where cells take time. */
export const writesAndDeeds: Pairs = ({ point, fault, workload }) => [
  `${point.id} in ${workload.name}`,
  `${point.deed} with ${familyOf(fault)}`,
  fault.id,
];

/** Those, and every family of faults in each workload. */
export const allPairs: Pairs = (cell) => [...writesAndDeeds(cell), `${familyOf(cell.fault)} in ${cell.workload.name}`];

/**
 * Has an operator of its own: it is killed, it holds a lease, or an event must come again: with those of other cells before it, the
 * first one would wait until it takes the second along.
 */
export const isAlone = ({ point, fault, workload }: Omit<Cell, 'id'>): boolean =>
  kills(fault) || workload.elects === true || point.id === 'event again';

/** Every pair of the cells is in one of them at least; the same cells give the same selection. */
export function pairwise(cells: readonly Cell[], pairsOf: Pairs): readonly Cell[] {
  // Those with processes of their own cost most, so that others go first that are as good.
  const candidates = cells.map((cell) => ({ cell, pairs: pairsOf(cell), cost: isAlone(cell) ? 0.5 : 0 }));
  const open = new Set(candidates.flatMap(({ pairs }) => pairs));
  const chosen: Cell[] = [];
  while (open.size > 0) {
    let best: (typeof candidates)[number] | undefined;
    let most = 0;
    for (const candidate of candidates) {
      const worth = candidate.pairs.filter((pair) => open.has(pair)).length - candidate.cost;
      if (worth > most) [best, most] = [candidate, worth];
    }
    if (best === undefined) break;
    for (const pair of best.pairs) open.delete(pair);
    chosen.push(best.cell);
  }
  return chosen;
}
