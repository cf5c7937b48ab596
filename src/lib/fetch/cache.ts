// Where downloads are kept between runs.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Variables = Readonly<Record<string, string | undefined>>;

/** `$XDG_CACHE_HOME/dataprocessing-operator`, or the same below `~/.cache`. */
export const cacheRoot = (environment: Variables): string =>
  join(xdgFolder(environment, 'XDG_CACHE_HOME', '.cache'), 'dataprocessing-operator');

/** Throws an Error with the remedy if the user has no home. */
function homeOf(variable: string): string {
  try {
    return homedir();
  } catch (cause) {
    throw new Error(`the user has no home, and HOME is not set: set HOME or ${variable}`, { cause });
  }
}

/** The folder in the variable, else the one below the home of the user. The XDG specification ignores relative paths. */
export function xdgFolder(environment: Variables, variable: string, below: string): string {
  const configured = environment[variable] ?? '';
  return isAbsolute(configured) ? configured : join(environment['HOME'] ?? homeOf(variable), below);
}
