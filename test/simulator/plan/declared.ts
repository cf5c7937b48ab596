// Draws jobs that users declare: a program with a file of its own, data, and the job of both, with runs of it.
import type { Dice } from './chance.ts';
import { type Draw, someTime } from './feature.ts';
import { named } from './objects.ts';
import type { Deed, Step } from './plan.ts';

const names = { DataSource: 'books', JobBinary: 'program', Job: 'count' } as const;
type Kind = keyof typeof names;
const kinds: readonly [Kind, ...Kind[]] = ['Job', 'JobBinary', 'DataSource'];

const lastRunMs = 80_000;

const apply = (kind: Kind, spec: object): Deed => ({ does: 'apply', kind, name: names[kind], spec });
const edit = (kind: Kind, spec: object): Deed => ({ does: 'edit', kind, name: names[kind], spec });

const program = (dice: Dice): object => ({
  content: { fileName: 'count.jar', inline: dice.pick(['one', 'two', 'three']) },
});
const data = (dice: Dice): object => ({ type: 'hdfs', url: dice.pick(['hdfs://names/books', 'hdfs://names/more']) });

const drawChange = (dice: Dice): Deed =>
  dice.pick<Deed>([
    edit('JobBinary', program(dice)),
    edit('JobBinary', program(dice)),
    edit('JobBinary', { description: 'for tests' }),
    edit('Job', { description: dice.pick(['for tests', 'for people']) }),
    edit('DataSource', data(dice)),
    { does: 'poke', kind: 'Job', name: names.Job },
  ]);

/** All of them go, in any order. What is still used waits for its user. */
const drawEnd = (dice: Dice, runs: readonly string[]): readonly Step[] => {
  const at = someTime(dice, lastRunMs);
  const all = [
    ...runs.map((name) => ['JobExecution', name] as const),
    ...kinds.map((kind) => [kind, names[kind]] as const),
  ];
  return all.map(([kind, name]): Step => ({ at: at + dice.number(0, 20_000), deed: { does: 'delete', kind, name } }));
};

/** They are edited, and go or stay. */
export const declaredJobs: Draw = (dice) => {
  const cluster = 'declaring';
  const made: readonly Deed[] = [
    apply('DataSource', data(dice)),
    apply('JobBinary', program(dice)),
    apply('Job', { type: 'Java', libs: [{ jobBinaryRef: { name: names.JobBinary } }] }),
  ];
  const runs = ['first', 'second'].slice(0, dice.number(0, 2));
  const spec = {
    jobRef: { name: names.Job },
    clusterRef: { name: cluster },
    configs: { 'edp.java.main_class': 'Count' },
  };
  return [
    ...(runs.length === 0 ? [] : [{ at: dice.number(0, 20_000), deed: named(cluster) }]),
    ...made.map((deed): Step => ({ at: dice.number(0, 20_000), deed })),
    ...runs.map(
      (name): Step => ({
        at: dice.number(1_000, lastRunMs),
        deed: { does: 'apply', kind: 'JobExecution', name, spec },
      }),
    ),
    ...dice.times(dice.number(0, 4), (): Step => ({ at: someTime(dice, 20_001), deed: drawChange(dice) })),
    ...(dice.toss(0.4) ? drawEnd(dice, runs) : []),
  ];
};
