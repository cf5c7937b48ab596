// Finds the Java that runs the engines.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Variables } from '../../../lib/fetch/cache.ts';

const leastJava = 17;

export interface Java {
  readonly file: string;
  /** For example `17.0.15`. */
  readonly version: string;
}

interface JavaSearch {
  /** What the flag names: a file, or the name of a program. */
  readonly given?: string | undefined;
  readonly environment: Variables;
}

/** Looks at the flag, at JAVA_HOME and at PATH. Throws an Error with all that was tried, and the remedy. */
export function findJava({ given, environment }: JavaSearch): Java {
  const home = environment['JAVA_HOME'] ?? '';
  const places =
    given === undefined
      ? [
          { from: 'JAVA_HOME', file: home === '' ? undefined : join(home, 'bin', 'java'), missing: 'it is not set' },
          { from: 'PATH', file: onPath('java', environment), missing: 'it has no java' },
        ]
      : [{ from: '--java', file: given.includes('/') ? resolve(given) : onPath(given, environment), missing: given }];
  const tried: string[] = [];
  for (const { from, file, missing } of places) {
    const version = file === undefined ? undefined : versionOf(file);
    if (file !== undefined && version !== undefined && releaseOfJava({ version }) >= leastJava)
      return { file, version };
    tried.push(
      `${from}: ${file === undefined ? missing : `${file} ${version === undefined ? 'does not run' : `is Java ${version}`}`}`,
    );
  }
  throw new Error(
    `Java ${leastJava} or newer is needed to run engines: install it, or name it with --java or in JAVA_HOME (tried ${tried.join('; ')})`,
  );
}

/** For example 17. */
export const releaseOfJava = ({ version }: Pick<Java, 'version'>): number => Number(version.split('.')[0]);

/** The folder of Java that the file belongs to. */
export const javaHomeOf = (file: string): string => dirname(dirname(file));

export const onPath = (name: string, environment: Variables): string | undefined =>
  (environment['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** Undefined if it cannot be started. */
function versionOf(file: string): string | undefined {
  try {
    // It writes to the standard error.
    const text = execFileSync('/bin/sh', ['-c', '"$0" -version 2>&1', file], { encoding: 'utf8' });
    const [, version] = /version "([^"]+)"/.exec(text) ?? [];
    // Java 8 calls itself 1.8.
    return version?.replace(/^1\./, '');
  } catch {
    return undefined;
  }
}
