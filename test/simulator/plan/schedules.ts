// Draws JobSchedules: all their times are in the first minutes of a world, so that it comes to rest.
import { lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import { everyYear, runOfForeignJob } from '../../support/service/runs.ts';
import type { Stored } from '../api/fields.ts';
import type { Dice } from './chance.ts';
import type { Draw } from './feature.ts';
import { named, ofTemplate } from './objects.ts';
import { type Deed, type Step, startWall } from './plan.ts';

const minuteMs = 60_000;
/** Minutes of the world in which a schedule comes, by how it is written. */
const rhythms = { '1-4 0 1 1 *': [1, 2, 3, 4], '2-4/2 0 1 1 *': [2, 4], '1,3,4 0 1 1 *': [1, 3, 4] } as const;
type Rhythm = keyof typeof rhythms;

const minutesOf = { ...rhythms, [everyYear]: [0] } as const;

/** When a schedule comes, in Unix ms. That of every year comes as the world begins. */
export const timesOf = ({ spec }: Stored): readonly number[] =>
  minutesOf[(spec as { readonly schedule: keyof typeof minutesOf }).schedule].map(
    (minute) => startWall + minute * minuteMs,
  );

/** When every clock has passed the last time, in ms of the world. */
export const allPassedMs = 4 * minuteMs + 25_000;

/** Of the execution that a schedule makes in this minute of the world. */
export const executionAt = (schedule: string, minute: number): string => `${schedule}-${startWall / minuteMs + minute}`;

export const schedule = (name: string, run: object, more: object = {}): Deed => ({
  does: 'apply',
  kind: 'JobSchedule',
  name,
  spec: { schedule: '1-4 0 1 1 *' satisfies Rhythm, template: { spec: { ...runOfForeignJob, ...run } }, ...more },
});

const scheduleChanges = (name: string, minute: number): readonly [Deed, ...Deed[]] => {
  const edit = (spec: object): Deed => ({ does: 'edit', kind: 'JobSchedule', name, spec });
  const execution = executionAt(name, minute);
  return [
    edit({ suspend: true }),
    edit({ suspend: false }),
    edit({ suspend: false }),
    { does: 'annotate', kind: 'JobSchedule', name, annotation: lastScheduleAnnotation, value: null },
    { does: 'poke', kind: 'JobSchedule', name },
    { does: 'delete', kind: 'JobSchedule', name },
    { does: 'delete', kind: 'JobExecution', name: execution },
    { does: 'vanish run', name: execution },
    { does: 'stop run', name: execution },
  ];
};

function drawRules(dice: Dice): object {
  return {
    schedule: dice.pick(Object.keys(rhythms) as [Rhythm, ...Rhythm[]]),
    concurrencyPolicy: dice.pick(['Allow', 'Forbid', 'Forbid', 'Replace']),
    ...(dice.toss(0.3) && { startingDeadlineSeconds: dice.number(10, 90) }),
    ...(dice.toss(0.4) && { successfulHistoryLimit: dice.number(0, 1) }),
    ...(dice.toss(0.4) && { failedHistoryLimit: dice.number(0, 2) }),
    ...(dice.toss(0.2) && { suspend: true }),
  };
}

/** A schedule whose runs are on one cluster, or each on one of its own: it is suspended, deleted, made anew, and loses its record. */
export const schedules: Draw = (dice) => {
  const [name, cluster] = ['regular', 'timed'];
  const isAlone = dice.toss(0.2);
  const run = isAlone ? { cluster: ofTemplate } : { clusterRef: { name: cluster } };
  const apply = schedule(name, { ...run, retries: dice.number(0, 1) }, drawRules(dice));
  const at = dice.number(0, 90_000);
  const changes = dice.times(dice.number(0, 3), (): Step => {
    const when = dice.number(at + 1, allPassedMs - 30_000);
    return { at: when, deed: dice.pick([...scheduleChanges(name, Math.max(1, Math.floor(when / minuteMs))), apply]) };
  });
  return [
    { at: 0, deed: { does: 'bring job' } },
    ...(isAlone ? [] : [{ at: dice.number(0, 20_000), deed: named(cluster) }]),
    { at, deed: apply },
    ...changes,
    { at: allPassedMs, deed: { does: 'poke', kind: 'JobSchedule', name } },
  ];
};
