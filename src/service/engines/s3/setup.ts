// What programs of Hadoop need to use S3: settings, which anybody may see, and a file with the keys, which only the user of the service can read. PURE.
import { bareName, meantInHadoop } from '../hadoop/known.ts';
import { checked, complete, keysOf, type S3Settings } from './settings.ts';

/** Where settings come from. Those of the job win, as in upstream, and those of the cluster are for what nothing else says. */
export interface S3Sources {
  readonly cluster: S3Settings;
  readonly job: S3Settings;
  /** Those of the data sources, by bucket. */
  readonly buckets: ReadonlyMap<string, S3Settings>;
}

export interface S3Setup {
  /** By their whole names, without keys. */
  readonly settings: S3Settings;
  /** The text of the file with the keys, in the form of a credentials file of AWS. */
  readonly credentials: string;
}

export const prefix = 'fs.s3a.';
/** The name of a setting of S3 as Hadoop takes it, without its beginning. Undefined for other settings. Spark has a beginning of its own for settings of Hadoop. */
export const s3aName = (setting: string): string | undefined =>
  /^(?:spark\.hadoop\.)?fs\.s3a\.(.+)$/.exec(bareName(setting))?.[1];

/** Whether nobody must see the value of the setting of a job. */
export const isSecretConfig = (setting: string): boolean =>
  keys.test(s3aName(setting) ?? '') ||
  /^(spark\.hadoop\.)?fs\.swift\.service\.[^.]+\.(username|password)$/.test(bareName(setting));

const provider = 'aws.credentials.provider';
const profileProvider = 'org.apache.hadoop.fs.s3a.auth.ProfileAWSCredentialsProvider';

/** The names that a job can also set for one bucket, and that this module understands. */
const ofBucket =
  /^bucket\.(.+)\.((access|secret)\.key|session\.token|endpoint|endpoint\.region|path\.style\.access|connection\.ssl\.enabled|aws\.credentials\.provider)$/;

/** Settings that the service makes itself, and those with secrets that it cannot keep. */
const reserved = /(^|\.)(auth\.profile\.\w+|security\.credential\.provider\.path)$/;
const secret = /(key|password|secret|token)$/i;
const keys = /^(bucket\..+\.)?((access|secret)\.key|session\.token)$/;

function checkName(name: string): void {
  if (reserved.test(name)) throw new Error(`configs have ${prefix}${name}, which the service sets: leave it out`);
  if (secret.test(name) && !keys.test(name))
    throw new Error(`configs have ${prefix}${name}, a secret that others could read: leave it out`);
  const meant = meantInHadoop(prefix + name);
  if (meant !== undefined)
    throw new Error(`configs have ${prefix}${name}, which Hadoop does not know: did you mean ${meant}?`);
}

/** A bucket, or undefined for all others. */
type Scope = string | undefined;

/** The settings of a job by what they are for. Throws an Error that names the field and the remedy. */
function byScope(job: S3Settings): ReadonlyMap<Scope, S3Settings> {
  const scopes = new Map<Scope, S3Settings>([[undefined, {}]]);
  for (const [name, value] of Object.entries(job)) {
    checkName(name);
    const [, bucket, own = name] = ofBucket.exec(name) ?? [];
    scopes.set(bucket, { ...scopes.get(bucket), [own]: checked(own, `${prefix}${name} in configs`, value) });
  }
  return scopes;
}

/** Throws an Error that names the field and the remedy if a bucket cannot be reached with them. */
export function setUpS3({ cluster, job, buckets }: S3Sources): S3Setup {
  const scopes = byScope(job);
  const general = scopes.get(undefined) ?? {};
  const names = new Set<Scope>([undefined, ...buckets.keys(), ...scopes.keys()]);
  const parts = [...names].map((scope, number) => {
    const own = scope === undefined ? {} : { ...buckets.get(scope), ...general, ...scopes.get(scope) };
    const settings = scope === undefined ? { ...cluster, ...general } : { ...cluster, ...own };
    return setUpScope(scope, complete(settings), `profile-${number}`);
  });
  return {
    settings: Object.assign({}, ...parts.map((part) => part.settings)),
    credentials: parts.map((part) => part.credentials).join(''),
  };
}

const profileNames: Readonly<Record<string, string>> = {
  'access.key': 'aws_access_key_id',
  'secret.key': 'aws_secret_access_key',
  'session.token': 'aws_session_token',
};

function setUpScope(bucket: Scope, settings: S3Settings, profile: string): S3Setup {
  const beginning = bucket === undefined ? prefix : `${prefix}bucket.${bucket}.`;
  const found = keysOf(settings, (name) => prefix + name);
  if (found === undefined && bucket !== undefined && settings[provider] === undefined)
    throw new Error(`there are no keys for bucket ${bucket}: ${remedy}`);
  if (found !== undefined && settings[provider] !== undefined)
    throw new Error(`there are both keys and ${prefix}${provider} for S3: leave one of them out`);
  const others = Object.entries(settings).filter(([name]) => found?.[name] === undefined);
  const reading = found && { [provider]: profileProvider, 'auth.profile.name': profile };
  const lines = Object.entries(found ?? {}).map(([name, value]) => `${profileNames[name]} = ${value}\n`);
  return {
    settings: Object.fromEntries(
      [...others, ...Object.entries(reading ?? {})].map(([name, value]) => [beginning + name, value]),
    ),
    credentials: found === undefined ? '' : [`[${profile}]\n`, ...lines].join(''),
  };
}

const remedy =
  'set accesskey and secretkey in the credentials of its data source, or fs.s3a.access.key and fs.s3a.secret.key in the configs of the job';
