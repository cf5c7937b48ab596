// Runs cells side by side on one stand: each workload without a fault first, then its cells, which are judged by that.

import type { Stand } from './plane/stand.ts';
import { Trial } from './plane/trial.ts';
import { type Cell, isAlone } from './tables/cells.ts';
import { families, familyOf, kills } from './tables/faults.ts';
import { points } from './tables/points.ts';
import type { Workload } from './tables/steps.ts';
import type { Trouble } from './trial/ambush.ts';
import type { Result } from './trial/course.ts';
import { problemsOf } from './trial/verdict.ts';

export interface Outcome {
  readonly cell: Cell;
  /** What is wrong; undefined: nothing. */
  readonly failure: string | undefined;
  /** From the fault to the end, in seconds of the operator's clock. */
  readonly recoverySeconds: number;
}

/** How many run side by side. */
export interface Lanes {
  /** Of cells that share an operator: they wait most of the time. */
  readonly shared: number;
  /** Of cells with processes of their own. */
  readonly alone: number;
}

export type References = ReadonlyMap<string, Promise<Result>>;

/** Runs a workload to its end, on a stand or in a simulated world. */
export type Run = (workload: Workload, trouble?: Trouble, reference?: Result) => Promise<Result>;

export const onStand =
  (stand: Stand): Run =>
  (workload, trouble, reference) =>
    new Trial(stand, workload, trouble).run(reference);

/** Each workload without a fault; rejected where the table of workloads is wrong. That two runs have all in common each cell shows. */
export function refer(run: Run, workloads: readonly Workload[], lanes: number): References {
  const begun = workloads.map((workload) => ({ workload, ...Promise.withResolvers<Result>() }));
  // Whoever runs cells waits for all of them; until then nobody may listen.
  for (const { promise } of begun) promise.catch(() => undefined);
  void inLanes(begun, lanes, async ({ workload, resolve, reject }) =>
    run(workload)
      .then((result) => relied(workload, result))
      .then(resolve, reject),
  );
  return new Map(begun.map(({ workload, promise }) => [workload.name, promise]));
}

function relied(workload: Workload, result: Result): Result {
  const problems = passesProblems(workload, result).map((problem) => `cannot rely on ${workload.name}: ${problem}`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return result;
}

/** What is said of something may still come of what was there before; and of an intent that took too long is recorded that nothing came of it. */
const mayCome = (id: string): boolean => ['tell', 'event', 'record'].includes(deedOf(id) ?? '');
const deedOf = (id: string) => points.find((point) => point.id === id)?.deed;

function passesProblems({ passes, elects }: Workload, { counts }: Result): readonly string[] {
  const counted = Object.keys(counts).filter((id) => elects === undefined || deedOf(id) === 'lease');
  return [
    ...passes.filter((id) => !counted.includes(id)).map((id) => `${id} is in its table, and was not passed`),
    ...counted
      .filter((id) => !passes.includes(id) && !mayCome(id))
      .map((id) => `${id} was passed, and is not in its table`),
  ];
}

export interface Judging {
  /** Real time passes. */
  readonly busy: boolean;
  readonly references: References;
  /** Hears of each cell. */
  readonly ended?: (outcome: Outcome) => void;
}

/** Side by side, in any order, each as soon as its workload has run without a fault. Rejects when one of these runs cannot be relied on. */
export async function runCells(
  run: Run,
  cells: readonly Cell[],
  { lanes, ...ask }: Omit<Judging, 'busy'> & { readonly lanes: Lanes },
): Promise<readonly Outcome[]> {
  const judging = { ...ask, busy: true };
  const [alone, shared] = [cells.filter(isAlone), cells.filter((cell) => !isAlone(cell))];
  const outcomes = await Promise.all([
    inLanes(alone, lanes.alone, async (cell) => runCell(run, cell, judging)),
    inLanes(shared, lanes.shared, async (cell) => runCell(run, cell, judging)),
  ]);
  await Promise.all(ask.references.values());
  return outcomes.flat();
}

export async function runCell(run: Run, cell: Cell, judging: Judging): Promise<Outcome> {
  const outcome = await judge(run, cell, judging);
  judging.ended?.(outcome);
  return outcome;
}

async function judge(run: Run, cell: Cell, { references, busy }: Judging): Promise<Outcome> {
  const reference = references.get(cell.workload.name);
  if (reference === undefined) throw new Error(`cannot judge ${cell.id}: there is no run without a fault`);
  try {
    const without = await reference;
    const { counts, recoverySeconds } = await run(cell.workload, cell, without);
    const problems = problemsOf(cell, without.counts, counts, busy);
    return { cell, failure: problems.length === 0 ? undefined : problems.join('\n'), recoverySeconds };
  } catch (error) {
    return { cell, failure: error instanceof Error ? error.message : String(error), recoverySeconds: 0 };
  }
}

export interface Recovery {
  readonly fault: string;
  readonly seconds: number;
  readonly cell: string;
}

export interface Figures {
  readonly passed: number;
  readonly cells: number;
  /** Of the whole grid. */
  readonly all: number;
  /** Places at which the operator was killed, and all that is there went on. */
  readonly kills: number;
  /** The longest of those that passed, of each family of faults: in seconds of the operator's clock, and where. */
  readonly recoveries: readonly Recovery[];
  /** The longest of them. */
  readonly longestSeconds: number;
}

export function figuresOf(outcomes: readonly Outcome[], all: number): Figures {
  const passed = outcomes.filter(({ failure }) => failure === undefined);
  const recoveries = Object.entries(families).flatMap(([family, fault]): readonly Recovery[] => {
    const [longest] = passed
      .filter(({ cell }) => familyOf(cell.fault) === family)
      .toSorted((one, other) => other.recoverySeconds - one.recoverySeconds);
    return longest === undefined
      ? []
      : [{ fault, seconds: Math.round(longest.recoverySeconds), cell: longest.cell.id }];
  });
  return {
    passed: passed.length,
    cells: outcomes.length,
    all,
    kills: passed.filter(({ cell }) => kills(cell.fault)).length,
    recoveries,
    longestSeconds: Math.max(0, ...recoveries.map(({ seconds }) => seconds)),
  };
}

async function inLanes<Item, Answer>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const left = items.map((item, index) => ({ item, index })).values();
  const lane = async (): Promise<void> => {
    for (const { item, index } of left) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answers;
}
