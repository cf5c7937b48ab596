// The request bodies of section 4.6 by dialect: the schemas of late upstream releases, narrowed to what other dialects accept.
import type { Dialect } from '../../../wire/dialect.ts';
import {
  dataSourceCreate,
  dataSourceTypes,
  jobBinaryCreate,
  jobCreate,
  jobExecute,
  jobTypes,
} from '../../../wire/jobs.ts';
import { narrowed, unless } from './narrowing.ts';
import { accessFields } from './null-fields.ts';

const typed = (dialect: Dialect) => narrowed(jobCreate, { choices: { type: jobTypes[dialect] } });

const late = {
  dataSourceCreate,
  jobBinaryCreate,
  jobCreate: typed('sahara'),
  jobExecute: narrowed(jobExecute, {}, ({ job_configs: { args } = {} }) =>
    unless(args === undefined || Array.isArray(args), ['job_configs', 'args'], 'must be a list of strings'),
  ),
};

/** Without the access fields of late releases. */
const neutral: typeof late = {
  dataSourceCreate: narrowed(dataSourceCreate, { without: accessFields }),
  jobBinaryCreate: narrowed(jobBinaryCreate, { without: accessFields }),
  jobCreate: narrowed(typed('neutral'), { without: accessFields }),
  jobExecute: narrowed(late.jobExecute, { without: accessFields }),
};

const early: typeof late = {
  dataSourceCreate: narrowed(neutral.dataSourceCreate, { choices: { type: dataSourceTypes.savanna } }),
  jobBinaryCreate: neutral.jobBinaryCreate,
  jobCreate: narrowed(typed('savanna'), { without: ['interface', 'streaming', ...accessFields] }),
  jobExecute: narrowed(
    jobExecute,
    {
      without: ['interface', 'job_configs.job_execution_info', ...accessFields],
      needs: ['input_id', 'output_id'],
    },
    ({ job_configs: { args } = {} }) => unless(!Array.isArray(args), ['job_configs', 'args'], 'must be an object'),
  ),
};

const schemas = { neutral, sahara: late, savanna: early };

export const jobSchemas = (dialect: Dialect): typeof late => schemas[dialect];
