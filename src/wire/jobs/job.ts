// Jobs on the wire: section 4.6 of the interface, with the bodies of real services.
import { z } from 'zod';
import { access, answer, type Immutable, jobResourceName } from '../common.ts';
import type { Dialect } from '../dialect.ts';
import { jobBinaryFields } from './job-binary.ts';

const lateTypes = [
  'Hive',
  'Java',
  'MapReduce',
  'MapReduce.Streaming',
  'Pig',
  'Shell',
  'Spark',
  'Storm',
  'Storm.Pyleus',
] as const;
const earlyTypes = ['Pig', 'Hive', 'Jar'] as const;
export type JobType = (typeof lateTypes)[number] | (typeof earlyTypes)[number];

export const jobTypes: Readonly<Record<Dialect, readonly JobType[]>> = {
  neutral: lateTypes,
  sahara: lateTypes,
  savanna: earlyTypes,
};

/** A job as answered, with its binaries in full. Type, mains and libs never change. */
export const job = answer({
  id: z.string(),
  name: z.string(),
  type: z.string().optional(),
  description: z.string().optional(),
  mains: z.array(z.object(jobBinaryFields)).optional(),
  libs: z.array(z.object(jobBinaryFields)).optional(),
  interface: z.array(z.unknown()).optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});

/** Identifiers of job binaries, without duplicates. */
const binaries = z.array(z.string().min(1)).refine((ids) => new Set(ids).size === ids.length, {
  error: 'names a binary twice',
});

/** One named argument of executions of the job. */
const argument = z.strictObject({
  name: z.string().min(1),
  mapping_type: z.enum(['args', 'configs', 'params']),
  location: z.string().min(1),
  required: z.boolean(),
  value_type: z.enum(['string', 'number', 'data_source']).optional(),
  default: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
});
export type Argument = Immutable<z.infer<typeof argument>>;

/** Body of POST, with the types of all releases. `streaming` is accepted and ignored. */
export const jobCreate = z.strictObject({
  name: jobResourceName,
  type: z.enum([...lateTypes, ...earlyTypes]),
  mains: binaries.optional(),
  libs: binaries.optional(),
  description: z.string().optional(),
  streaming: z.boolean().optional(),
  interface: z.array(argument).nullable().optional(),
  ...access,
});
export type JobCreate = Immutable<z.infer<typeof jobCreate>>;
