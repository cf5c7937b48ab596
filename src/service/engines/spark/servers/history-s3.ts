// Event logs in S3, which outlive their cluster: how its programs reach the bucket. Settings contain no keys.
import { createHash } from 'node:crypto';
import { messageOf } from '../../../../lib/errors.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { RunS3 } from '../../engine.ts';
import { type EngineGroup, entriesOf } from '../../engine-options.ts';
import { bucketIn } from '../../s3/object.ts';
import { complete } from '../../s3/settings.ts';
import { prefix } from '../../s3/setup.ts';
import { s3aFile, s3aOptions } from '../../s3a/s3a-options.ts';
import type { SparkHome } from '../launch.ts';
import { settingsOf } from '../options.ts';
import { s3aOf } from '../s3a.ts';

const setting = 'spark.eventLog.dir';

/** The URL of the folder. Undefined if the event logs of the cluster are not in S3. */
export const logsInS3 = (group: EngineGroup): string | undefined => settingsOf(group)[setting];

/** The keys are in a file of this computer, or else in the environment of a pod. */
const keysFrom = ({ historyKeys }: SparkHome): Readonly<Record<string, string>> =>
  historyKeys === undefined
    ? { 'aws.credentials.provider': 'software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider' }
    : {
        'aws.credentials.provider': 'org.apache.hadoop.fs.s3a.auth.ProfileAWSCredentialsProvider',
        'auth.profile.file': historyKeys,
        'auth.profile.name': 'default',
      };

const beginningOf = (logs: string): string => `${prefix}bucket.${bucketIn(logs)}.`;

/** The settings of Hadoop for the bucket of the event logs. Empty if they are not in S3. */
export function bucketSettings(home: SparkHome, group: EngineGroup): Readonly<Record<string, string>> {
  const logs = logsInS3(group);
  if (logs === undefined) return {};
  const entries = entriesOf(group, s3aOptions, s3aFile);
  const given = Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
  const settings = Object.entries({ ...complete(given), ...keysFrom(home) });
  return Object.fromEntries(settings.map(([name, value]) => [beginningOf(logs) + name, value]));
}

/** Settings of Hadoop as Spark takes them. */
export const inSpark = (settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`spark.hadoop.${name}`, value]));

/** The same for a job, unless it has keys of its own for the bucket. */
export function jobBucketSettings(home: SparkHome, group: EngineGroup, s3: RunS3 | undefined) {
  const logs = logsInS3(group);
  const isOwn =
    logs !== undefined && Object.keys(s3?.settings ?? {}).some((name) => name.startsWith(beginningOf(logs)));
  return isOwn ? {} : inSpark(bucketSettings(home, group));
}

/** What has to follow the class path of programs that write or read the event logs. Throws an Error with the remedy if they cannot reach S3. */
export function historyPath(home: SparkHome, group: EngineGroup): readonly string[] {
  if (logsInS3(group) === undefined) return [];
  if (home.isImage !== true && home.historyKeys === undefined)
    throw new Error('there are no keys for event logs in S3: start the service with --history-credentials FILE');
  return s3aOf(home);
}

/** Masters of other clusters would give applications the same identifiers, after which their logs are named. */
export const applicationIds = (group: EngineGroup): Readonly<Record<string, string>> => {
  const digest = createHash('sha256').update(group.cluster.id).digest('hex').slice(0, 8);
  return logsInS3(group) === undefined ? {} : { 'spark.deploy.appIdPattern': `app-%s-%04d-${digest}` };
};

/** Throws an Error that names the field and the remedy if programs of the cluster cannot reach its event logs. */
export function checkHistory(cluster: ClusterRecord, home: SparkHome): void {
  for (const group of cluster.node_groups)
    try {
      historyPath(home, { cluster, group });
    } catch (cause) {
      throw new Error(`cluster_configs have ${setting}: ${messageOf(cause)}, or leave it out`, { cause });
    }
}
