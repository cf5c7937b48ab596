// Where an engine comes from, as data.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RemoteFile } from '../../../lib/fetch/download.ts';
import { wordList } from '../../../lib/word-list.ts';
import { isOfLine } from '../release-line.ts';

export interface EngineSource {
  /** Of the plugin; also of its folder in the cache, and of the flag of the service that names installations. Sources of several versions share it. */
  readonly name: string;
  /** For messages, for example `Apache Spark`. */
  readonly title: string;
  /** What is installed. */
  readonly version: string;
  /** The release lines, such as `4.1`, of what can be named by flag and variable instead. */
  readonly lines: readonly string[];
  /** The newest release of Java that it runs on. When absent: none is known to be too new. */
  readonly newestJava?: number | undefined;
  /** When it is installed: by the service as it starts, by `npm run engines`, or only if its name is given to that. */
  readonly installed: 'at start' | 'by default' | 'by name';
  /** What the flag means. */
  readonly help: string;
  /** The variable of the environment that names an installation. */
  readonly variable: string;
  /** A gzipped tar archive with a single folder. Absent if none is installed. */
  readonly archive?: RemoteFile;
  /** Absent if the Python package index does not have the engine. */
  readonly pip?: PipPackage;
  readonly maven: MavenSet;
  /** The folders with the jars of Hadoop, for which the part for S3 can be installed. When absent: it has none. */
  readonly hadoopJars?: (folder: string) => readonly string[];
  /** The version in the folder, whichever it is. Throws an Error that says why the folder cannot be used. */
  readVersion(folder: string): string;
  /** The parts that a complete installation has and this one does not, for messages. */
  lacks(folder: string): readonly string[];
}

/** A source distribution that contains the whole engine. pip asks it for its metadata, and builds nothing. */
export interface PipPackage {
  readonly name: string;
  readonly version: string;
  /** Of the source distribution, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** Its folders, and where they belong in the folder of the engine. */
  readonly places: Readonly<Record<string, string>>;
  /** What of them nobody needs. */
  readonly without: readonly string[];
  /** Texts that the engine needs beside them, by relative path. */
  readonly files: Readonly<Record<string, string>>;
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

/** Without the name of the foundation. */
export const shortTitle = ({ title }: Pick<EngineSource, 'title'>): string => title.replace(/^Apache /, '');

/** What `npm run engines` calls it. */
export const wordOf = ({ name, version }: Pick<EngineSource, 'name' | 'version'>): string => `${name}@${version}`;

/** Finds the source that the version in the folder belongs to. Throws an Error that says why the folder cannot be used. */
export function sourceIn<Source extends EngineSource>(sources: readonly Source[], folder: string): [Source, string] {
  const [first] = sources;
  if (first === undefined) throw new Error('there is no such engine');
  const version = first.readVersion(folder);
  const source = sources.find(({ lines }) => lines.some((line) => isOfLine(version, line)));
  if (source !== undefined) return [source, version];
  const wanted = wordList(
    sources.flatMap(({ lines }) => lines),
    'or',
  );
  throw new Error(`it is version ${version}, and ${shortTitle(first)} ${wanted} is needed`);
}

export const titleOf = ({ title, version }: Pick<EngineSource, 'title' | 'version'>): string => `${title} ${version}`;

/** Writes texts by relative path. */
export async function writeTexts(folder: string, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
