// The releases of Spark that clusters can run, with all that tells them apart. The first one is the default. PURE.
import type { Digest } from '../../../lib/fetch/download.ts';
import { wordList } from '../../../lib/word-list.ts';
import { lineOf } from '../release-line.ts';

export interface SparkRelease {
  /** What is installed. Other versions of its release line can be named. */
  readonly version: string;
  readonly scala: string;
  /** The clients of Hadoop that Maven installs with it. */
  readonly hadoop: string;
  /** The newest release of Java that it runs on. When absent: none is known to be too new. */
  readonly newestJava?: number;
  readonly oldestPython: string;
  /** Its clients of Hadoop find no keys of S3 in a file. Those of Hadoop 3.4.2 do. */
  readonly lacksS3?: true;
  /** Its distribution contains no Spark Connect. */
  readonly lacksConnect?: true;
  /** Settings that this line does not have, of those that the service writes. When absent: it has all. */
  readonly without?: readonly string[];
  /** What follows the version in the tag of the official image with Java 17 or newer. When absent: nothing. */
  readonly imageTag?: string;
  /** Of the official archive. Absent if only pip and Maven install it. */
  readonly archive?: Digest;
  /** The source distribution in the Python package index: its SHA-256, and how many bytes it has. */
  readonly pip: { readonly sha256: string; readonly bytes: number };
}

/** From Java 23 on, clients of Hadoop before 3.5 end with `getSubject is not supported`. */
const newestJava = 22;

export const sparkReleases: readonly [SparkRelease, ...SparkRelease[]] = [
  {
    version: '4.1.2',
    scala: '2.13',
    hadoop: '3.5.0',
    newestJava,
    oldestPython: '3.10',
    archive: { algorithm: 'sha256', hex: 'cf8035f265f9c3307baa2ed863897b5473c812dc1791302ba94798c2aad686f9' },
    pip: { sha256: 'fa5d6159f700d0990a07f4f62df1b7449401dccee9cd7d5d6df8957530841602', bytes: 455_428_043 },
  },
  {
    version: '3.5.9',
    scala: '2.12',
    hadoop: '3.3.4',
    newestJava: 17,
    oldestPython: '3.8',
    lacksS3: true,
    lacksConnect: true,
    without: ['spark.deploy.recoveryTimeout'],
    imageTag: '-java17',
    pip: { sha256: 'ea27adc39ddac9413b8951e45aa748cbed6c785971b81386efc41938f6243d93', bytes: 317_858_593 },
  },
  {
    version: '4.0.5',
    scala: '2.13',
    hadoop: '3.4.1',
    newestJava,
    oldestPython: '3.9',
    lacksS3: true,
    pip: { sha256: 'a0d44b0e7faf0458ad83b7aa664e7ed8b96beed8a55d66ce3b0dfac2309dfca6', bytes: 434_376_598 },
  },
  {
    version: '4.3.0',
    scala: '2.13',
    hadoop: '3.5.0',
    oldestPython: '3.11',
    pip: { sha256: 'e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6', bytes: 455_910_862 },
  },
];

export const [defaultRelease] = sparkReleases;
export const sparkLines = sparkReleases.map((release) => lineOf(release.version));

/** The release that the version is run like. Throws an Error with those that there are if there is none. */
export function releaseOf(version: string): SparkRelease {
  const release = sparkReleases.find((each) => lineOf(each.version) === lineOf(version));
  if (release !== undefined) return release;
  throw new Error(`Spark ${version} cannot be run: use Spark ${wordList(sparkLines, 'or')}`);
}
