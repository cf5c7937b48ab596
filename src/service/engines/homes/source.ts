// Where an engine comes from, as data.
import type { RemoteFile } from '../../../lib/fetch/download.ts';

export interface EngineSource {
  /** Of the plugin; also the name of its folder in the cache. */
  readonly name: string;
  /** For messages, for example `Apache Spark`. */
  readonly title: string;
  /** What is installed. Other versions can be named by flag and variable if `readVersion` accepts them. */
  readonly version: string;
  /** What names an installation: a flag of the service, and a variable of the environment. */
  readonly flag: string;
  readonly variable: string;
  /** A gzipped tar archive with a single folder. */
  readonly archive: RemoteFile;
  readonly maven: MavenSet;
  /** The version in the folder. Throws an Error that says why the folder cannot be used. */
  readVersion(folder: string): string;
}

/** Jars with everything that they need at run time. */
export interface MavenSet {
  /** GROUP:ARTIFACT:VERSION. */
  readonly dependencies: readonly string[];
  /** GROUP:ARTIFACT of what the dependencies bring along and nobody needs. */
  readonly exclusions: readonly string[];
  /** The folder for the jars, in that of the engine. */
  readonly jars: string;
  /** Texts that the engine needs beside them, by relative path. */
  readonly files: Readonly<Record<string, string>>;
}

export const apacheUrls = (path: string): readonly string[] => [
  // It is fast, and has only the newest patch of each release.
  `https://dlcdn.apache.org/${path}`,
  `https://archive.apache.org/dist/${path}`,
];
