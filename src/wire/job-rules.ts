// What jobs of each type consist of: their binaries and the arguments of their interface, as late releases have it; and how runs refer to data sources.
import type { Argument, JobType } from './jobs.ts';

interface BinaryRule {
  readonly mains: 'required' | 'none' | 'optional';
  readonly libs: 'required' | 'optional' | 'unless mains';
}

const script: BinaryRule = { mains: 'required', libs: 'optional' };
const library: BinaryRule = { mains: 'none', libs: 'required' };

export const binaryRules: Readonly<Record<JobType, BinaryRule>> = {
  Pig: script,
  Hive: script,
  Shell: script,
  Spark: script,
  Storm: script,
  'Storm.Pyleus': script,
  Java: library,
  MapReduce: library,
  'MapReduce.Streaming': { mains: 'none', libs: 'optional' },
  Jar: { mains: 'optional', libs: 'unless mains' },
};

/** What an argument of the interface can be mapped to. */
export const argumentMappings: Readonly<Record<JobType, readonly Argument['mapping_type'][]>> = {
  Hive: ['configs', 'params'],
  Pig: ['configs', 'params', 'args'],
  MapReduce: ['configs'],
  'MapReduce.Streaming': ['configs'],
  Java: ['configs', 'args'],
  Shell: ['configs', 'params', 'args'],
  Spark: ['configs', 'args'],
  Storm: ['args'],
  'Storm.Pyleus': [],
  Jar: [],
};

/** The configs of a run with which the service looks for data sources of the tenant in its configs, params and args, if they are true. */
export const sourceSwitches = {
  name: 'edp.substitute_data_source_for_name',
  id: 'edp.substitute_data_source_for_uuid',
} as const;

/** How a text begins that refers to a data source by its name, or by its identifier. An identifier alone can refer to one, too. */
export const sourceBeginning = 'datasource://';
