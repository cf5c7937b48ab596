// The spec and status of a JobSchedule.
import { z } from 'zod';
import { age, message, ready, reason } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { keywords, mapOf, ruled, text, totalLength } from '../../api/keywords.ts';
import { optionalBoolean, optionalInteger, reportedText } from '../../api/optional-fields.ts';
import { commonStatus, group } from '../../api/shared-api.ts';
import { executionFields, executionRules, longestField } from '../job-execution/schema.ts';

/** Room for `-` and the minutes since 1970, as in CronJob. */
export const longestName = 52;

/** In a template every field can be edited: the next execution has the new value. */
const editable = <Fields extends Readonly<Record<string, z.ZodType>>>(fields: Fields): Fields => {
  const entries = Object.entries(fields).map(([name, field]) => {
    const description = field.description?.replace(/ Immutable\.$/, '');
    return [name, description === undefined ? field : field.describe(description)];
  });
  return Object.fromEntries(entries) as Fields;
};

const schedule = text(100, {
  pattern: /^(@[a-z]+|[0-9A-Za-z*?/,-]+([ \t]+[0-9A-Za-z*?/,-]+){4})$/,
  message:
    'must be five fields for minute, hour, day of the month, month and day of the week, or a name such as @daily',
});

const timeZone = text(64, {
  pattern: /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/,
  message: 'must be a name of the IANA time zone database, such as Europe/Berlin',
});

const values = () => totalLength(mapOf(z.string().max(4_096), 50), longestField, 'shorten them');

const reservedMessage = `annotations of ${group} belong to the operator: remove them`;

/** An annotation such as the ledger would be believed to be the operator's own. */
const texts = values();
const annotations = texts.refine((map) => !Object.keys(map).some((name) => name.startsWith(`${group}/`)), {
  error: reservedMessage,
});
keywords.add(annotations, {
  ...keywords.get(texts),
  'x-kubernetes-validations': [
    ...(keywords.get(texts)?.['x-kubernetes-validations'] ?? []),
    {
      rule: `self.all(name, !name.startsWith('${group}/'))`,
      message: reservedMessage,
      reason: 'FieldValueForbidden',
    },
  ],
});

const template = z.object({
  metadata: z
    .object({
      labels: values()
        .optional()
        .describe('Labels of each JobExecution.')
        .meta({ example: { team: 'analytics' } }),
      annotations: annotations
        .optional()
        .describe(`Annotations of each JobExecution. Those of ${group} belong to the operator.`)
        .meta({ example: { 'example.com/owner': 'analytics' } }),
    })
    .optional()
    .describe('Metadata of each JobExecution.'),
  spec: ruled(z.object(editable(executionFields)), executionRules).describe('The spec of each JobExecution.'),
});

/** How many ended JobExecutions are kept of a JobSchedule that does not say it. */
export const defaultHistoryLimits = { successfulHistoryLimit: 3, failedHistoryLimit: 1 } as const;

const historyLimit = (which: string, unset: number) =>
  optionalInteger(0, 1_000)
    .describe(`How many JobExecutions that ${which} are kept. Older ones are deleted. Defaults to ${unset}.`)
    .meta({ example: 10 });

const spec = z.object({
  schedule: schedule
    .describe(
      'When JobExecutions are created: minute, hour, day of the month, month and day of the week, as in a CronJob of Kubernetes, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly. Each field is *, a number, a range such as 1-5, a step such as */15, 5/15 (from 5 on: 5, 20, 35 and 50) or 10-40/15, or a list of these. Months and days of the week can be names such as JAN and MON. Where clocks change, a time with * or a step in the minute or the hour is an interval, which skips missing times and comes in both hours of a repeated one; any other time comes once a day, right after the gap if it is missing.',
    )
    .meta({ example: '30 6 * * MON-FRI' }),
  timeZone: timeZone
    .optional()
    .describe('Time zone of the schedule, by its name in the IANA database. Defaults to UTC.')
    .meta({ example: 'Europe/Berlin' }),
  concurrencyPolicy: z
    .enum(['Allow', 'Forbid', 'Replace'])
    .optional()
    .describe(
      'What happens if an earlier JobExecution of the schedule has not ended. Allow: both run. Forbid: the new one waits for it, and is skipped if the next time comes first. Replace: the earlier one is deleted, which cancels its run. One whose outcome is unknown has not ended. Defaults to Allow.',
    )
    .meta({ example: 'Forbid' }),
  startingDeadlineSeconds: optionalInteger(0)
    .describe(
      'Seconds after the scheduled time during which a JobExecution may still be created, for example after the operator was down. With less than 10, times may be missed; with 0, all are. Without it, the last missed time is made up for however late it is.',
    )
    .meta({ example: 600 }),
  suspend: optionalBoolean
    .describe(
      'Creates no JobExecutions while true. Those that exist go on. Afterwards the times in between count as missed. Defaults to false.',
    )
    .meta({ example: true }),
  successfulHistoryLimit: historyLimit('succeeded', defaultHistoryLimits.successfulHistoryLimit),
  failedHistoryLimit: historyLimit('failed or were cancelled', defaultHistoryLimits.failedHistoryLimit),
  template: template.describe('The JobExecutions to create. An edit applies to the next one.'),
});

const time = (what: string) => reportedText(32, what);

const status = z.object({
  ...commonStatus,
  lastScheduleTime: time('Last scheduled time for which a JobExecution was created.'),
  lastSuccessfulTime: time('Time when a JobExecution of the schedule last succeeded.'),
  nextScheduleTime: time('Next scheduled time. Unset while the schedule is suspended.'),
  activeCount: z.int().optional().describe('Number of JobExecutions of the schedule that have not ended.'),
  active: z
    .array(
      z.object({
        name: z.string().max(253).describe('Name of the JobExecution.'),
        uid: z.string().max(64).describe('Identifier of the JobExecution in Kubernetes.'),
      }),
    )
    .max(100)
    .optional()
    .describe('JobExecutions of the schedule that have not ended, the first 100 by name.'),
});

export const jobSchedule = {
  kind: 'JobSchedule',
  plural: 'jobschedules',
  shortName: 'dpjs',
  description: `Creates JobExecutions at scheduled times, as a CronJob of Kubernetes creates Jobs, and deletes old ones. It stands for nothing in the service. Its name has at most ${longestName} characters, because those of the executions are derived from it.`,
  spec,
  status,
  columns: [
    ready,
    reason,
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Suspend', type: 'string', jsonPath: '.spec.suspend' },
    { name: 'Active', type: 'integer', jsonPath: '.status.activeCount' },
    { name: 'Last Schedule', type: 'date', jsonPath: '.status.lastScheduleTime' },
    message,
    age,
  ],
  rules: [
    {
      rule: `self.metadata.name.size() <= ${longestName}`,
      message: `metadata.name: must have at most ${longestName} characters, because the names of the executions are derived from it: choose a shorter one`,
    },
  ],
} as const satisfies Definition;
