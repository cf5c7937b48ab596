// What a run needs to use S3: settings and keys of its data sources, its configs and its cluster.
import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import type { FlatConfigs } from '../../../wire/common.ts';
import type { Engine, EngineJob, RunS3 } from '../../engines/engine.ts';
import { entriesOf } from '../../engines/engine-options.ts';
import { bucketIn } from '../../engines/s3/object.ts';
import { keysIn, type S3Settings, settingsIn } from '../../engines/s3/settings.ts';
import { prefix, s3aName, setUpS3 } from '../../engines/s3/setup.ts';
import { s3aFile, s3aKeysFile } from '../../engines/s3a/s3a-options.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import type { RunPlan, Source } from '../job-engine.ts';

/** In the folder of the run, and not below: executors in pods get it under this name. */
const credentialsFile = '.s3-credentials';

interface PlannedS3 {
  /** For the program. */
  readonly s3: RunS3;
  /** Files with keys, by relative path. Only the user of the service can read them. */
  readonly files: Readonly<Record<string, string>>;
}

const isS3 = ({ type }: Pick<Source, 'type'>): boolean => type === 's3';

/** What programs of Hadoop call it. */
export const s3Url = (url: string): string => url.replace(/^s3:/i, 's3a:');

/** The settings of S3 in configs, without their beginning. */
const settingsOf = (configs: FlatConfigs): S3Settings =>
  Object.fromEntries(
    Object.entries(configs).flatMap(([key, value]) => {
      const name = s3aName(key);
      return name === undefined ? [] : [[name, String(value)] as const];
    }),
  );

/** The configs of a run that uses S3, without the settings that go to a file of their own. */
export const withoutS3 = (configs: FlatConfigs): FlatConfigs =>
  Object.fromEntries(Object.entries(configs).filter(([key]) => s3aName(key) === undefined));

const configsOf = ({ job_configs }: Pick<RunPlan, 'job_configs'>): FlatConfigs => job_configs.configs ?? {};

/** Undefined if the run does not use S3. Throws an Error with the field and the remedy if it cannot. */
export function planS3(plan: RunPlan, folder: string, engine: Engine, type: EngineJob): PlannedS3 | undefined {
  const buckets = bucketsOf(plan);
  const job = settingsOf(configsOf(plan));
  const isUsed = buckets.size > 0 || (type.s3Path !== undefined && Object.keys(job).length > 0);
  if (!isUsed) return undefined;
  try {
    if (type.s3Path === undefined) throw new Error('its programs cannot use data sources of the type s3: use hdfs');
    const { settings, credentials } = setUpS3({ cluster: clusterSettings(plan.cluster, engine), job, buckets });
    const reading = { [s3aKeysFile]: join(folder, credentialsFile) };
    const files = { [credentialsFile]: credentials };
    return { s3: { settings: { ...settings, ...reading }, classPath: type.s3Path() }, files };
  } catch (cause) {
    throw new Error(`cannot run ${type.type} job: ${messageOf(cause)}`, { cause });
  }
}

/** The settings of data sources by their buckets. Throws if two data sources reach one bucket in different ways. */
function bucketsOf(plan: RunPlan): ReadonlyMap<string, S3Settings> {
  const buckets = new Map<string, S3Settings>();
  for (const source of sourcesOf(plan).filter(isS3)) {
    const bucket = bucketIn(source.url);
    const settings = settingsIn(source.credentials);
    const other = buckets.get(bucket);
    if (other !== undefined && !isEqual(other, settings))
      throw new Error(`the data sources of bucket ${bucket} have different credentials: use the same ones`);
    buckets.set(bucket, settings);
  }
  return buckets;
}

const isEqual = (one: S3Settings, other: S3Settings): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => one[name] === other[name]);

const sourcesOf = ({ input, output, references }: RunPlan): readonly Source[] =>
  [input, output, ...references.values()].filter((source) => source !== undefined);

/** What the cluster says about S3, without the beginning of names. */
function clusterSettings(cluster: ClusterRecord, { options }: Engine): S3Settings {
  const [group] = cluster.node_groups;
  const entries = group === undefined ? [] : entriesOf({ cluster, group }, options, s3aFile);
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** All keys of the run, which nobody must see. Never throws. */
export const secretsOf = (plan: RunPlan): readonly string[] =>
  [...sourcesOf(plan).map(({ credentials }) => credentials), settingsOf(configsOf(plan))].flatMap(keysIn);
