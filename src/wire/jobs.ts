// Data sources, both kinds of job binaries, jobs and their executions on the wire: section 4.6 of the interface, with the bodies of real services.
import { z } from 'zod';
import { boundedList, boundedMap, boundedUrl } from './bounds.ts';
import {
  access,
  answer,
  flatConfigs,
  type Immutable,
  isUuid,
  jobResourceName,
  lenientInteger,
  recordId,
  resourceFields,
  stamps,
} from './common.ts';
import type { Dialect } from './dialect.ts';

const lateSources = ['hdfs', 's3', 'swift', 'manila', 'maprfs'] as const;
const earlySources = ['swift'] as const;
export type DataSourceType = (typeof lateSources)[number];

export const dataSourceTypes = {
  neutral: lateSources,
  sahara: lateSources,
  savanna: earlySources,
} as const satisfies Readonly<Record<Dialect, readonly DataSourceType[]>>;

/** In late releases, the name of a container in a URL has no dots, or ends with this. */
export const swiftContainerEnd = '.sahara';

/** A data source as answered. Its credentials, which early releases return, are not read. */
export const dataSource = answer({
  ...resourceFields,
  type: z.string().optional(),
  url: z.string().optional(),
});
export type DataSource = Immutable<z.infer<typeof dataSource>>;

/** Body of POST. The service checks the URL and the credentials, whose form depends on the type. */
export const dataSourceCreate = z.strictObject({
  name: jobResourceName,
  type: z.enum(lateSources),
  url: boundedUrl,
  description: z.string().optional(),
  credentials: boundedMap(z.unknown()).optional(),
  ...access,
});
export type DataSourceCreate = Immutable<z.infer<typeof dataSourceCreate>>;

/** How many bytes of an internal job binary services store, unless they are configured otherwise. */
export const internalLimit = 5120 * 1024;

/** An internal job binary as answered, without its bytes and without a checksum. */
export const jobBinaryInternal = answer({
  id: z.string(),
  name: z.string(),
  datasize: lenientInteger.optional(),
  ...stamps,
});
export type JobBinaryInternal = Immutable<z.infer<typeof jobBinaryInternal>>;

/** The fields of an answered job binary, alone and inside a job. Its `extra`, which early releases return, is not read. */
const jobBinaryFields = { ...resourceFields, url: z.string().optional() };
export const jobBinary = answer(jobBinaryFields);
export type JobBinary = Immutable<z.infer<typeof jobBinary>>;

/** What a file of a job can be called. A name that begins with a dot could lead to another folder, or hide a file of the service. */
export const fileName = {
  pattern: /^[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/,
  maximum: 253,
  message: 'must consist of letters, digits, hyphens, dots and underscores, and not begin with a dot',
} as const;
export const isFileName = (name: string): boolean => fileName.pattern.test(name) && name.length <= fileName.maximum;

/** Splits a URL as plain text, so that the host keeps its case. */
export const splitUrl = (url: string): { readonly scheme: string; readonly host: string; readonly path: string } => {
  const [, scheme = '', host = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is.exec(url) ?? [];
  return { scheme, host, path };
};

/** A URL for messages: without a user, a password, and what follows `?` or `#`, which can be a signature. */
export const shownUrl = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1').replace(/[?#].*$/s, '');

/** What has to follow the scheme, by scheme in neutral words. */
export const jobBinaryLocations: Readonly<Record<string, (host: string, path: string) => boolean>> = {
  'internal-db': (host, path) => isUuid(host) && path === '',
  swift: (host) => host !== '',
  s3: (host) => host !== '',
  manila: (host, path) => isUuid(host) && path !== '',
};

const isWellFormed = (url: string): boolean => {
  const { scheme, host, path } = splitUrl(url);
  return !Object.hasOwn(jobBinaryLocations, scheme) || jobBinaryLocations[scheme]?.(host, path) === true;
};

/** Body of POST. The service checks whether the scheme exists. */
export const jobBinaryCreate = z.strictObject({
  name: jobResourceName,
  url: boundedUrl.refine(isWellFormed, { error: 'is not a location of this scheme' }),
  description: z.string().optional(),
  extra: flatConfigs.optional(),
  ...access,
});
export type JobBinaryCreate = Immutable<z.infer<typeof jobBinaryCreate>>;

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
  ...resourceFields,
  type: z.string().optional(),
  mains: z.array(z.object(jobBinaryFields)).optional(),
  libs: z.array(z.object(jobBinaryFields)).optional(),
  interface: z.array(z.unknown()).optional(),
});

export type Job = Immutable<z.infer<typeof job>>;

/** Identifiers of job binaries, without duplicates. */
const binaries = boundedList(z.string().min(1)).refine((ids) => new Set(ids).size === ids.length, {
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
  interface: boundedList(argument).nullable().optional(),
  ...access,
});
export type JobCreate = Immutable<z.infer<typeof jobCreate>>;

/**
 * The key in `configs` of an execution whose value says who started it. Services return all configs unchanged, and do not hand those that
 * begin with `edp.` to the job.
 */
export const executionMarker = 'edp.dataprocessing.dev/execution';

/** The marker in the `job_configs` of an execution, or an empty text. */
export const markerIn = (jobConfigs: unknown): string => {
  const { configs } = (jobConfigs ?? {}) as { readonly configs?: unknown };
  if (typeof configs !== 'object' || configs === null || !Object.hasOwn(configs, executionMarker)) return '';
  const marker: unknown = Reflect.get(configs, executionMarker);
  return typeof marker === 'string' ? marker : '';
};

/**
 * How the program of a run ended. Completed: with exit code 0. Error: with another one. Signal: by a signal. OOMKilled: it took more memory than it has.
 * Evicted: its pod was evicted, preempted or deleted. Lost: nobody knows, because its process, pod or Job went away. Cancelled: it was cancelled, or its
 * cluster went away.
 */
export const terminationReasons = [
  'Completed',
  'Error',
  'Signal',
  'OOMKilled',
  'Evicted',
  'Lost',
  'Cancelled',
] as const;

/** In `info` of an execution that is over, as `termination`; ours only. */
export const termination = z.object({
  reason: z.enum(terminationReasons),
  /** Its name, such as SIGKILL. */
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9]{2,12}$/)
    .optional(),
});
export type Termination = Immutable<z.infer<typeof termination>>;

/** An execution as answered. `info` has only the status at first, and later anything that the engine reports. */
export const answeredExecution = answer({
  id: z.string(),
  job_id: z.string().optional(),
  cluster_id: z.string().optional(),
  input_id: z.string().optional(),
  output_id: z.string().optional(),
  info: z.looseObject({ status: z.string().optional() }).optional(),
  job_configs: z.record(z.string(), z.unknown()).optional(),
  data_source_urls: z.record(z.string(), z.unknown()).optional(),
  engine_job_id: z.string().optional(),
  /** From 0 to 1; ours only. */
  progress: z.number().min(0).max(1).optional().catch(undefined),
  /** The exit code of its program, if the service knows it. */
  return_code: lenientInteger.optional().catch(undefined),
  /** In the words and the zone of the service: good for a difference only. */
  start_time: z.string().optional(),
  end_time: z.string().optional(),
  ...stamps,
});

/** Executions have no names: the marker takes the place of one. It is empty in those that others started. */
export const jobExecution = answeredExecution.transform((row) => ({ ...row, name: markerIn(row.job_configs) }));
export type JobExecution = Immutable<z.infer<typeof jobExecution>>;

/** The configuration of a run. Early releases require the arguments by name. */
const jobConfigs = z.strictObject({
  configs: flatConfigs.optional(),
  params: flatConfigs.optional(),
  args: z.union([boundedList(z.string()), flatConfigs], { error: 'must be a list of strings' }).optional(),
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
