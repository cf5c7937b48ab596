// Job executions on the wire, and the request that starts one: section 4.6 of the interface, with the bodies of real services.
import { z } from 'zod';
import { access, answer, flatConfigs, type Immutable, recordId } from '../common.ts';

/** An execution as answered. `info` has only the status at first, and later anything that the engine reports. */
export const jobExecution = answer({
  id: z.string(),
  job_id: z.string().optional(),
  cluster_id: z.string().optional(),
  input_id: z.string().optional(),
  output_id: z.string().optional(),
  info: z.looseObject({ status: z.string().optional() }).optional(),
  job_configs: z.record(z.string(), z.unknown()).optional(),
  data_source_urls: z.record(z.string(), z.unknown()).optional(),
  engine_job_id: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});

/** The configuration of a run. Early releases require the arguments by name. */
const jobConfigs = z.strictObject({
  configs: flatConfigs.optional(),
  params: flatConfigs.optional(),
  args: z.union([z.array(z.string()), flatConfigs], { error: 'is no list of strings' }).optional(),
  job_execution_info: flatConfigs.optional(),
});
export type JobConfigs = Immutable<z.infer<typeof jobConfigs>>;

/** Body of POST to `execute`. Every request starts a new run, because executions have no names. */
export const jobExecute = z.strictObject({
  cluster_id: recordId,
  input_id: recordId.optional(),
  output_id: recordId.optional(),
  job_configs: jobConfigs.optional(),
  interface: flatConfigs.optional(),
  ...access,
});
export type JobExecute = Immutable<z.infer<typeof jobExecute>>;
