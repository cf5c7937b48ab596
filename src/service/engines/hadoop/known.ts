// Which settings Hadoop has.
import { createMeant } from '../known-settings.ts';
import { s3aJobOptions } from '../s3a/s3a-options.ts';
import { hadoopNames } from './jobs/hadoop-names.ts';

/** Hadoop asks for these names by the schemes of URLs, whatever scheme that is. */
const ofScheme = /^fs\.(AbstractFileSystem\.)?[\w+-]+\.impl(\.disable\.cache)?$/;
/** Those of other file systems than S3A, and those for one bucket, whose name can be anything. */
const open = ['fs.s3.', 'fs.s3n.', 'fs.s3a.bucket.'];

/** The recorded names do not have all that jars beside Hadoop itself bring. */
const meant = createMeant(hadoopNames + s3aJobOptions.map(({ name }) => `${name}: -\n`).join(''));

/** The name that was probably meant, for one that Hadoop does not know although it is like a known one. */
export const meantInHadoop = (name: string): string | undefined =>
  ofScheme.test(name) || open.some((beginning) => name.startsWith(beginning)) ? undefined : meant(name);

/** Hadoop removes blanks at both ends of the name of a setting. */
export const bareName = (name: string): string => name.replaceAll(/^[\0-\x20]+|[\0-\x20]+$/g, '');

/** Former names of settings that the service makes itself: of all that Hadoop 3.4 and 3.5 still understand, those that mean one of `reserved` in jobs.ts. */
const formerNames: Readonly<Record<string, string>> = {
  'fs.default.name': 'fs.defaultFS',
  'mapred.jar': 'mapreduce.job.jar',
};

/** The name that Hadoop takes this one for. */
export function nameInHadoop(name: string): string {
  const bare = bareName(name);
  return Object.hasOwn(formerNames, bare) ? (formerNames[bare] ?? bare) : bare;
}
