// Runs cells side by side on one stand: each workload without a fault first, then the cells, which are judged by that.
import { type Cell, isAlone } from './cells.ts';
import { differences } from './picture.ts';
import { points } from './points.ts';
import type { Stand } from './stand.ts';
import { type Result, Trial } from './trial.ts';
import { problemsOf } from './verdict.ts';
import type { Workload } from './workloads.ts';

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

export type References = ReadonlyMap<string, Result>;

/** Each workload as often as it takes to see what two runs have in common. Throws when they end differently, or the table of workloads is wrong. */
export async function refer(stand: Stand, workloads: readonly Workload[], lanes: Lanes): Promise<References> {
  const runs = workloads.flatMap((workload) => [workload, workload]);
  const results = await inLanes(runs, lanes.shared, async (workload) => new Trial(stand, workload).run());
  return new Map(
    workloads.map((workload, index) => {
      const [one, other] = results.slice(2 * index, 2 * index + 2);
      if (one === undefined || other === undefined) throw new Error(`cannot run ${workload.name}`);
      const problems = [...differences(one.picture, other.picture), ...passesProblems(workload, one)];
      if (problems.length > 0) throw new Error(`cannot rely on ${workload.name}:\n${problems.join('\n')}`);
      return [workload.name, one] as const;
    }),
  );
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

/** In any order; `ended` hears of each cell. */
export async function runCells(
  stand: Stand,
  cells: readonly Cell[],
  {
    references,
    lanes,
    ended,
  }: { readonly references: References; readonly lanes: Lanes; readonly ended?: (outcome: Outcome) => void },
): Promise<readonly Outcome[]> {
  const run = async (cell: Cell): Promise<Outcome> => {
    const outcome = await runCell(stand, cell, references);
    ended?.(outcome);
    return outcome;
  };
  const [alone, shared] = await Promise.all([
    inLanes(cells.filter(isAlone), lanes.alone, run),
    inLanes(
      cells.filter((cell) => !isAlone(cell)),
      lanes.shared,
      run,
    ),
  ]);
  return [...alone, ...shared];
}

async function runCell(stand: Stand, cell: Cell, references: References): Promise<Outcome> {
  const reference = references.get(cell.workload.name);
  if (reference === undefined) throw new Error(`cannot judge ${cell.id}: there is no run without a fault`);
  try {
    const { counts, recoverySeconds } = await new Trial(stand, cell.workload, cell).run(reference);
    const problems = problemsOf(cell, reference.counts, counts);
    return { cell, failure: problems.length === 0 ? undefined : problems.join('\n'), recoverySeconds };
  } catch (error) {
    return { cell, failure: error instanceof Error ? error.message : String(error), recoverySeconds: 0 };
  }
}

/** What is wrong with the run as a whole. */
export const strayed = ({ strays, crashes }: Stand): readonly string[] => [
  ...strays.map(
    ({ side, method, path, body }) => `a write to ${side} is in no table: ${method} ${path} ${JSON.stringify(body)}`,
  ),
  ...crashes,
];

export interface Figures {
  readonly passed: number;
  readonly cells: number;
  /** Of those that passed, by fault: in seconds of the operator's clock, and where. */
  readonly recoveries: Readonly<Record<string, { readonly seconds: number; readonly cell: string }>>;
  /** The longest of them. */
  readonly longestSeconds: number;
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const passed = outcomes.filter(({ failure }) => failure === undefined);
  const longest: Record<string, { readonly seconds: number; readonly cell: string }> = {};
  for (const { cell, recoverySeconds } of passed.toSorted((one, other) => one.recoverySeconds - other.recoverySeconds))
    longest[cell.fault.id] = { seconds: Math.round(recoverySeconds), cell: cell.id };
  const longestSeconds = Math.max(0, ...Object.values(longest).map(({ seconds }) => seconds));
  return { passed: passed.length, cells: outcomes.length, recoveries: longest, longestSeconds };
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
