// The jars that programs of Hadoop need to use S3. An installation can have them. Else they are a part that is installed beside it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface S3aPlaces {
  /** Folders with jars on the class path of the installation. */
  readonly jars: readonly string[];
  /** A folder with jars that only some programs need. */
  readonly tools?: string;
  /** Where parts are installed. Undefined if there is no such place. */
  readonly cache: string | undefined;
}

/** Where `npm run engines -- s3a` puts the part for this version of Hadoop, and the folder of its jars in there. */
export const s3aHome = (cache: string, version: string): string => join(cache, `s3a-${version}`);
export const s3aJars = 'jars';

/** The folder of the jars for this version of Hadoop. */
export const s3aFolder = (cache: string, version: string): string => join(s3aHome(cache, version), s3aJars);

const filesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

const has = (folder: string, pattern: RegExp): boolean => filesIn(folder).some((name) => pattern.test(name));

/** The version of Hadoop among the jars. Undefined if there is none. */
export function hadoopVersionIn(folders: readonly string[]): string | undefined {
  const names = folders.flatMap(filesIn);
  return names.flatMap((name) => /^hadoop-(?:client-api|common)-(\d+\.\d+\.\d+)\.jar$/.exec(name)?.[1] ?? [])[0];
}

const connector = /^hadoop-aws-[\d.]+\.jar$/;
/** The SDK of AWS, as a whole or in parts. */
const sdk = /^(bundle|s3)-2[\d.]+\.jar$/;

/** What has to follow the class path of the installation. Throws an Error with the remedy if there are no jars of the same version. */
export function s3aPath({ jars, tools, cache }: S3aPlaces): readonly string[] {
  const isComplete = (folder: string) => has(folder, connector) && has(folder, sdk);
  if (jars.some(isComplete)) return [];
  if (tools !== undefined && isComplete(tools)) return [join(tools, '*')];
  const version = hadoopVersionIn(jars);
  const part = version === undefined || cache === undefined ? undefined : s3aFolder(cache, version);
  if (part !== undefined && isComplete(part)) return [join(part, '*')];
  throw new Error(
    `s3a needs the jars of hadoop-aws ${version ?? ''}, which are not installed: run npm run engines -- s3a, or add them to ${jars[0] ?? 'the installation'}`,
  );
}
