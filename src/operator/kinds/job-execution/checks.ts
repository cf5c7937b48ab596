// What CEL cannot check of an execution: the dialect of its Connection, and the type of the job. PURE.
import type { Dialect } from '../../../wire/dialect.ts';
import { executionMarker, type JobType } from '../../../wire/jobs.ts';
import type { MappingContext } from '../../reconcile/kind/kind.ts';
import { type ExecutionSpec, referenceTo } from './mapping.ts';

const hasInput = (spec: ExecutionSpec): boolean => (spec.inputRef ?? spec.inputID) !== undefined;
const hasOutput = (spec: ExecutionSpec): boolean => (spec.outputRef ?? spec.outputID) !== undefined;

/** The caller adds how to start again, because nearly every field is fixed from the start. */
export const checkExecution = (spec: ExecutionSpec, dialect: Dialect): string | undefined => {
  if (spec.configs && Object.hasOwn(spec.configs, executionMarker))
    return `spec.configs[${executionMarker}]: the operator sets this option itself: remove it`;
  const input = [spec.inputRef?.name ?? spec.inputID, spec.outputRef?.name ?? spec.outputID];
  if (input[0] !== undefined && input[0] === input[1])
    return 'spec.outputRef: must be another data source than the input: a job cannot write where it reads';
  if (dialect !== 'savanna') return undefined;
  if ((spec.args ?? []).length > 0)
    return 'spec.args: Connections of the dialect Savanna have no arguments: remove them, or use params';
  if (spec.interface !== undefined)
    return 'spec.interface: Connections of the dialect Savanna have no interface: remove it';
  if (!hasInput(spec)) return 'spec.inputRef: Connections of the dialect Savanna need an input: add one';
  return hasOutput(spec) ? undefined : 'spec.outputRef: Connections of the dialect Savanna need an output: add one';
};

/** Types whose programs find their data by the data sources of the run. */
const needsData: readonly string[] = ['Pig', 'Hive', 'MapReduce', 'MapReduce.Streaming'] satisfies JobType[];

const needsOptions: Readonly<Record<string, readonly string[]>> = {
  Java: ['edp.java.main_class'],
  'MapReduce.Streaming': ['edp.streaming.mapper', 'edp.streaming.reducer'],
};

/** Called once the Job exists. What is known of a job by its id only, the service checks. */
export const checkJobOf = (spec: ExecutionSpec, given: MappingContext): string | undefined => {
  const reference = referenceTo('job', spec, given.name);
  if (!reference) return undefined;
  const job = given.resourceOf(reference).spec as { readonly type?: string; readonly interface?: readonly unknown[] };
  const { type = '' } = job;
  if (needsData.includes(type) && !hasInput(spec))
    return `spec.inputRef: a job of type ${type} needs an input: add one`;
  if (needsData.includes(type) && !hasOutput(spec))
    return `spec.outputRef: a job of type ${type} needs an output: add one`;
  const options = Object.hasOwn(needsOptions, type) ? (needsOptions[type] ?? []) : [];
  const missing = options.find((name) => !spec.configs?.[name]);
  if (missing) return `spec.configs[${missing}]: a job of type ${type} needs this option: add it`;
  const isNamed = (job.interface ?? []).length > 0;
  if (isNamed || spec.interface === undefined) return undefined;
  return `spec.interface: Job ${reference.name} has no interface: remove it, or describe its arguments in the Job`;
};
