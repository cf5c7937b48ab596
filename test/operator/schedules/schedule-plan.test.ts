// What a JobSchedule does, case by case, as the documentation of CronJob has it.
import { describe, expect, test } from 'vitest';
import {
  type OwnExecution,
  planSchedule,
  type RecordedTimes,
  type SchedulePlan,
  type ScheduleRules,
} from '../../../src/operator/schedules/schedule-plan.ts';
import { at, execution, timesOf, usual } from './support.ts';

interface Case {
  readonly now: string;
  readonly schedule?: string;
  readonly created?: string;
  readonly rules?: Partial<ScheduleRules>;
  readonly last?: string;
  readonly recorded?: Partial<RecordedTimes>;
  readonly executions?: readonly OwnExecution[];
}

function planOf({
  now,
  schedule = '0 * * * *',
  created = '00:10',
  rules,
  last,
  recorded,
  executions = [],
}: Case): SchedulePlan {
  const known = last === undefined ? undefined : at(last);
  return planSchedule({
    rules: { ...usual, ...rules },
    times: timesOf(schedule),
    now: at(now),
    createdAt: at(created),
    recorded: { annotation: known, status: known, known: undefined, ...recorded },
    executions,
  });
}

const clock = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(8, 16).replace('T', ' ');

describe('due', () => {
  test.each<readonly [string, Case, string | undefined]>([
    ['nothing before the first time', { now: '00:59:59' }, undefined],
    ['at the first time', { now: '01:00' }, '01 01:00'],
    ['a little later', { now: '01:00:20' }, '01 01:00'],
    ['not for a time before the schedule was created', { now: '01:05', created: '01:02' }, undefined],
    ['not at the time of the creation itself', { now: '01:00', created: '01:00' }, undefined],
    ['not twice', { now: '01:00:20', last: '01:00' }, undefined],
    ['the next one', { now: '02:00', last: '01:00' }, '01 02:00'],
    ['once for many missed times, for the last of them', { now: '09:30', last: '01:00' }, '01 09:00'],
    ['also after more than 100 missed times', { now: '20 09:30', last: '01:00' }, '20 09:00'],
    ['nothing while it is suspended', { now: '09:30', last: '01:00', rules: { suspend: true } }, undefined],
    ['within the deadline', { now: '09:30', last: '01:00', rules: { startingDeadlineSeconds: 1801 } }, '01 09:00'],
    ['not beyond the deadline', { now: '09:30', last: '01:00', rules: { startingDeadlineSeconds: 1799 } }, undefined],
    [
      'without a last time and within the deadline',
      { now: '09:30', rules: { startingDeadlineSeconds: 3600 } },
      '01 09:00',
    ],
    [
      'if the new schedule has a time since the last one',
      { now: '02:45', schedule: '30 * * * *', last: '02:00' },
      '01 02:30',
    ],
    [
      'with an active execution and Allow',
      { now: '02:00', last: '01:00', executions: [execution('01:00')] },
      '01 02:00',
    ],
    [
      'not with one and Forbid',
      { now: '02:00', last: '01:00', rules: { concurrencyPolicy: 'Forbid' }, executions: [execution('01:00')] },
      undefined,
    ],
    [
      'not with one that is being deleted and Forbid',
      {
        now: '02:00',
        last: '01:00',
        rules: { concurrencyPolicy: 'Forbid' },
        executions: [execution('01:00', 'active', { deleting: true })],
      },
      undefined,
    ],
    [
      'late, once the active one ends, with Forbid',
      {
        now: '02:40',
        last: '01:00',
        rules: { concurrencyPolicy: 'Forbid' },
        executions: [execution('01:00', 'failed')],
      },
      '01 02:00',
    ],
    [
      'not late beyond the deadline, with Forbid',
      {
        now: '02:40',
        last: '01:00',
        rules: { concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 60 },
        executions: [execution('01:00', 'failed')],
      },
      undefined,
    ],
    [
      'with one and Replace',
      { now: '02:00', last: '01:00', rules: { concurrencyPolicy: 'Replace' }, executions: [execution('01:00')] },
      '01 02:00',
    ],
  ])('%s', (_, given, due) => {
    expect(clock(planOf(given).due)).toBe(due);
  });

  test('Forbid names the executions that it waits for', () => {
    const { blocked } = planOf({
      now: '02:10',
      last: '01:00',
      rules: { concurrencyPolicy: 'Forbid' },
      executions: [execution('01:00')],
    });
    expect([clock(blocked?.at), blocked?.by.map(({ name }) => name)]).toEqual(['01 02:00', ['e-01:00']]);
  });

  test('Replace deletes what is active and not being deleted yet', () => {
    const executions = [
      execution('00:00'),
      execution('01:00', 'active', { deleting: true }),
      execution('00:30', 'failed'),
    ];
    const plan = planOf({ now: '02:00', last: '01:00', rules: { concurrencyPolicy: 'Replace' }, executions });
    expect(plan.replaced.map(({ name }) => name)).toEqual(['e-00:00']);
  });
});

describe('the last time', () => {
  test.each<readonly [string, Case, string | undefined]>([
    ['none', { now: '00:30' }, undefined],
    [
      'the later one of annotation and status',
      { now: '03:30', recorded: { annotation: at('02:00'), status: at('01:00') } },
      '01 02:00',
    ],
    ['the other way round', { now: '03:30', recorded: { annotation: at('01:00'), status: at('02:00') } }, '01 02:00'],
    [
      'that of the newest execution',
      { now: '03:30', last: '01:00', executions: [execution('03:00'), execution('02:00')] },
      '01 03:00',
    ],
    ['what this process knows', { now: '03:30', recorded: { known: at('03:00') } }, '01 03:00'],
    ['one that is a little in the future, as clocks differ', { now: '03:30', last: '04:00' }, '01 04:00'],
  ])('%s', (_, given, last) => {
    const plan = planOf(given);
    expect(clock(plan.last)).toBe(last);
    expect(plan.disbelieved).toEqual([]);
    if (last !== undefined && plan.due !== undefined) expect(plan.due).toBeGreaterThan(at(last.slice(3)));
  });

  test('one in the far future does not count beside a believable one', () => {
    const plan = planOf({ now: '03:00', recorded: { annotation: at('25 00:00'), status: at('02:00') } });
    expect({ ...plan, last: clock(plan.last), due: clock(plan.due) }).toMatchObject({
      last: '01 02:00',
      due: '01 03:00',
      disbelieved: ['annotation'],
      record: true,
    });
  });

  test('is now if there are none but in the far future, so that nothing is repeated and the schedule goes on', () => {
    const far = at('25 00:00');
    const plan = planOf({ now: '03:00:30', recorded: { annotation: far, status: far } });
    expect([plan.last, plan.due, plan.record, clock(plan.next)]).toEqual([at('03:00:30'), undefined, true, '01 04:00']);
  });

  test.each<readonly [string, Case, boolean]>([
    ['nothing happened yet', { now: '00:30' }, false],
    ['it is there', { now: '02:30', last: '02:00' }, false],
    ['it was removed', { now: '02:30', recorded: { status: at('02:00') } }, true],
    ['it is older than the newest execution', { now: '02:30', last: '01:00', executions: [execution('02:00')] }, true],
  ])('is to be written to the annotation: %s', (_, given, record) => {
    expect(planOf(given).record).toBe(record);
  });
});

describe('history', () => {
  const names = (plan: SchedulePlan) => plan.pruned.map(({ name }) => name.slice(2));
  const ended = ['01:00', '02:00', '03:00', '04:00'];

  test('the newest three that succeeded and the newest that failed stay', () => {
    const executions = [
      ...ended.map((time) => execution(time, 'succeeded')),
      ...ended.map((time) => execution(time, 'failed')),
      execution('00:00'),
    ];
    expect(names(planOf({ now: '04:30', last: '04:00', executions }))).toEqual(['01:00', '03:00', '02:00', '01:00']);
  });

  test('with 0 none stays, also while the schedule is suspended', () => {
    const executions = [execution('01:00', 'succeeded'), execution('02:00', 'failed')];
    const rules = { successfulHistoryLimit: 0, failedHistoryLimit: 0, suspend: true };
    expect(names(planOf({ now: '02:30', last: '02:00', rules, executions }))).toEqual(['01:00', '02:00']);
  });

  const limits = { successfulHistoryLimit: 0 };
  test.each<readonly [string, Case]>([
    [
      'its time is not in the annotation yet',
      { now: '02:30', last: '01:00', executions: [execution('02:00', 'succeeded')] },
    ],
    [
      'the annotation is not believed',
      {
        now: '02:30',
        recorded: { annotation: at('25 00:00'), status: at('02:00') },
        executions: [execution('02:00', 'succeeded')],
      },
    ],
    [
      'it is being deleted',
      { now: '02:30', last: '02:00', executions: [execution('02:00', 'succeeded', { deleting: true })] },
    ],
    [
      'the operator did not name it',
      { now: '02:30', last: '02:00', executions: [execution('02:00', 'succeeded', { scheduledAt: undefined })] },
    ],
    ['it is active', { now: '02:30', last: '02:00', executions: [execution('02:00')] }],
  ])('an execution stays if %s', (_, given) => {
    expect(planOf({ ...given, rules: limits }).pruned).toEqual([]);
  });
});

describe('missed', () => {
  test.each<readonly [string, Case, readonly [number, string] | undefined]>([
    ['none if the last one ran', { now: '02:10', last: '01:00' }, undefined],
    ['those before the one that catches up', { now: '04:10', last: '01:00' }, [2, '01 03:00']],
    [
      'all if none catches up',
      { now: '04:10', last: '01:00', rules: { startingDeadlineSeconds: 60 } },
      [3, '01 04:00'],
    ],
    ['not more than 101 are counted', { now: '20 04:10', last: '01:00' }, [101, '20 03:00']],
    ['none while it is suspended', { now: '04:10', last: '01:00', rules: { suspend: true } }, undefined],
    ['none since the creation', { now: '01:10' }, undefined],
    [
      'those that Forbid skipped',
      { now: '03:10', last: '01:00', rules: { concurrencyPolicy: 'Forbid' }, executions: [execution('01:00')] },
      [1, '01 02:00'],
    ],
  ])('%s', (_, given, missed) => {
    const plan = planOf(given);
    expect(plan.missed && [plan.missed.count, clock(plan.missed.newest)]).toEqual(missed);
  });
});

test.each<readonly [string, Case, string | undefined]>([
  ['the next time', { now: '02:10', last: '02:00' }, '01 03:00'],
  ['not one before the last time', { now: '02:10', last: '04:00' }, '01 05:00'],
  ['none while it is suspended', { now: '02:10', rules: { suspend: true } }, undefined],
])('the time of the next run is %s', (_, given, next) => {
  expect(clock(planOf(given).next)).toBe(next);
});
