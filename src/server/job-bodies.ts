// Request bodies of section 4.6, by dialect: the schemas of late upstream releases, narrowed to what early ones know.
import { dataSourceCreate } from '../wire/data-source.ts';
import type { Dialect } from '../wire/dialect.ts';
import { jobCreate, jobTypes } from '../wire/job.ts';
import { jobBinaryCreate } from '../wire/job-binary.ts';
import { jobExecute } from '../wire/job-execution.ts';
import { accessFields, narrowed, unknownAmong, unless } from './bodies.ts';

const typed = (dialect: Dialect) =>
  narrowed(jobCreate, ({ type }) =>
    unless(jobTypes[dialect].includes(type), ['type'], `is none of ${jobTypes[dialect].join(', ')}`),
  );

const late = {
  dataSourceCreate,
  jobBinaryCreate,
  jobCreate: typed('sahara'),
  jobExecute: narrowed(jobExecute, ({ job_configs: { args } = {} }) =>
    unless(args === undefined || Array.isArray(args), ['job_configs', 'args'], 'is no list of strings'),
  ),
};

/** Without what late releases note on everything. */
const neutral: typeof late = {
  dataSourceCreate: narrowed(dataSourceCreate, (body) => unknownAmong(body, accessFields)),
  jobBinaryCreate: narrowed(jobBinaryCreate, (body) => unknownAmong(body, accessFields)),
  jobCreate: narrowed(typed('neutral'), (body) => unknownAmong(body, accessFields)),
  jobExecute: narrowed(late.jobExecute, (body) => unknownAmong(body, accessFields)),
};

const early: typeof late = {
  dataSourceCreate: narrowed(neutral.dataSourceCreate, ({ type }) =>
    unless(type === 'swift', ['type'], 'is not swift'),
  ),
  jobBinaryCreate: neutral.jobBinaryCreate,
  jobCreate: narrowed(typed('savanna'), (body) => unknownAmong(body, ['interface', 'streaming', ...accessFields])),
  jobExecute: narrowed(jobExecute, (body) => [
    ...unknownAmong(body, ['interface', ...accessFields]),
    ...unless(body.input_id !== undefined, ['input_id'], 'is required'),
    ...unless(body.output_id !== undefined, ['output_id'], 'is required'),
    ...unless(!Array.isArray(body.job_configs?.args), ['job_configs', 'args'], 'is no object'),
    ...unless(
      body.job_configs?.job_execution_info === undefined,
      ['job_configs', 'job_execution_info'],
      'unknown field',
    ),
  ]),
};

const schemas = { neutral, sahara: late, savanna: early };

/** The request schemas of a dialect. */
export const jobSchemas = (dialect: Dialect): typeof late => schemas[dialect];
