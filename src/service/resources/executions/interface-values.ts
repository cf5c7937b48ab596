// Where the values of the interface of a job go in the configuration of a run. PURE.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { Argument, JobConfigs, JobExecute } from '../../../wire/jobs.ts';
import type { JobRecord } from '../../model/records/records.ts';

/** The value of an argument. A value that is given at its location takes precedence over the default. */
function valueOf(argument: Argument, values: FlatConfigs, placed: FlatConfigs): FlatConfigs[string] | undefined {
  const given = Object.getOwnPropertyDescriptor(values, argument.name)?.value as FlatConfigs[string] | undefined;
  const other = Object.getOwnPropertyDescriptor(placed, argument.location)?.value as FlatConfigs[string] | undefined;
  return given ?? other ?? argument.default ?? undefined;
}

/** The configurations of a run with the values of the interface at their locations, as late upstream stores them. */
export function placeValues(
  job: JobRecord,
  { interface: values = {}, job_configs = {} }: Pick<JobExecute, 'interface' | 'job_configs'>,
): JobConfigs {
  const places = { configs: { ...job_configs.configs }, params: { ...job_configs.params } };
  const positional: string[] = [];
  for (const argument of job.interface) {
    const { mapping_type, location } = argument;
    const value = valueOf(argument, values, mapping_type === 'args' ? {} : places[mapping_type]);
    if (value === undefined) continue;
    if (mapping_type === 'args') positional[Number(location)] = String(value);
    else places[mapping_type][location] = value;
  }
  const used = new Set(job.interface.map(({ mapping_type }) => mapping_type));
  const args = Array.isArray(job_configs.args) ? job_configs.args : [];
  return {
    ...job_configs,
    ...(used.has('configs') && { configs: places.configs }),
    ...(used.has('params') && { params: places.params }),
    ...(used.has('args') && { args: [...positional, ...args] }),
    // Always empty, because only a later version of the interface reads this field.
    job_execution_info: {},
  };
}
