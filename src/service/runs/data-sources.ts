// What a program can read and write: the URLs of data sources that mean something on this computer.
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../lib/errors.ts';
import { splitUrl } from '../../wire/jobs.ts';
import type { Source } from '../executions/job-engine.ts';
import { allowedPath, outputPlace } from './job-files.ts';

/** The URL for the program. Throws an Error with the remedy if there is nothing behind it. */
export function usableUrl(source: Source | undefined, what: 'input' | 'output', jobFiles: string | undefined) {
  if (source === undefined) return undefined;
  const { url, type, id } = source;
  const scheme = splitUrl(url).scheme.toLowerCase();
  if (scheme === 'hdfs' || (scheme === '' && type === 'hdfs')) return url;
  const refuse = (why: string) => new Error(`cannot use ${what}_id ${id}: ${why}`);
  if (scheme !== 'file') throw refuse(`${scheme || type}: is not supported here: use hdfs: or file:`);
  try {
    return what === 'input' ? pathToFileURL(allowedPath(url, jobFiles)).href : outputPlace(url, jobFiles).url;
  } catch (cause) {
    throw refuse(messageOf(cause));
  }
}
