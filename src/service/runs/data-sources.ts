// What a program can read and write: the URLs of data sources that mean something on this computer.
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from '../../lib/errors.ts';
import { splitUrl } from '../../wire/jobs.ts';
import type { Source } from '../executions/job-engine.ts';
import { allowedPath } from './binaries.ts';

/** The URL for the program. Throws an Error with the remedy if there is nothing behind it. */
export function usableUrl(source: Source | undefined, what: 'input' | 'output', jobFiles: string | undefined) {
  if (source === undefined) return undefined;
  const { url, type, id } = source;
  const scheme = splitUrl(url).scheme.toLowerCase();
  if (scheme === 'hdfs' || (scheme === '' && type === 'hdfs')) return url;
  const refuse = (why: string) => new Error(`cannot use ${what}_id ${id}: ${why}`);
  if (scheme !== 'file') throw refuse(`${scheme || type}: is not supported here: use hdfs: or file:`);
  try {
    return what === 'input' ? pathToFileURL(allowedPath(url, jobFiles)).href : outputUrl(url, jobFiles);
  } catch (cause) {
    throw refuse(messageOf(cause));
  }
}

/** An output that does not exist yet goes by the folder that it will be in. That can be the folder of job files itself. */
function outputUrl(url: string, jobFiles: string | undefined): string {
  const path = fileURLToPath(url);
  if (existsSync(path)) return pathToFileURL(allowedPath(url, jobFiles)).href;
  const parent = dirname(path);
  const isRoot = jobFiles !== undefined && existsSync(parent) && realpathSync(parent) === realpathSync(jobFiles);
  if (!isRoot) allowedPath(pathToFileURL(parent).href, jobFiles);
  return url;
}
