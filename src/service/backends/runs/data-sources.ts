// What a program can read and write: the data sources of a run, as far as they mean something on this computer.
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../../lib/errors.ts';
import { splitUrl } from '../../../wire/jobs.ts';
import type { Hdfs } from '../../engines/engine.ts';
import { bucketIn } from '../../engines/s3/object.ts';
import { settingsIn } from '../../engines/s3/settings.ts';
import { Transient } from '../../model/disk/transient.ts';
import { checkNul } from '../../model/texts.ts';
import type { Source } from '../job-engine.ts';
import { existsIn, pathIn, urlIn } from './hdfs.ts';
import { allowedPath, outputPlace, rootOf } from './job-files.ts';
import { s3Url } from './s3-plan.ts';
import type { Transfer } from './transfer.ts';

/** A reference in the configuration of a run can be either. */
type Role = 'input' | 'output' | 'reference';

export interface DataPlace {
  /** For the program. */
  readonly url: string;
  /** Undefined if the service cannot know. Rejects with `Transient` if that may pass. */
  exists(transfer: Transfer): Promise<boolean | undefined>;
}

export interface DataSettings {
  /** The folder below which files of this computer can be used. Undefined if none can. */
  readonly jobFiles: string | undefined;
  /** That of the cluster, if it has one. */
  readonly hdfs: Hdfs | undefined;
}

const refusal = ({ id }: Source, role: Role, why: string) =>
  new Error(`cannot use ${role === 'reference' ? 'data source' : `${role}_id`} ${id}: ${why}`);

/** Throws an Error with the remedy if jobs cannot use such data sources. */
export function checkKind(
  {
    type,
    url,
    credentials,
  }: Pick<Source, 'type' | 'url'> & { readonly credentials?: Source['credentials'] | undefined },
  { jobFiles }: Pick<DataSettings, 'jobFiles'>,
): void {
  checkNul('url', url);
  const scheme = splitUrl(url).scheme.toLowerCase();
  if (scheme === 'file') rootOf(jobFiles);
  else if (type === 's3') checkS3(url, credentials);
  else if (type !== 'hdfs') throw new Error(`${scheme || type}: is not supported here: use hdfs:, s3a: or file:`);
}

/** Throws an Error with the remedy if the data source cannot be used. */
export function placeOf(source: Source | undefined, role: Role, settings: DataSettings): DataPlace | undefined {
  if (source === undefined) return undefined;
  const { url } = source;
  try {
    checkKind(source, settings);
    if (source.type === 's3') return { url: s3Url(url), exists: async () => undefined };
    const isFile = splitUrl(url).scheme.toLowerCase() === 'file';
    return isFile ? placeOfFile(url, role, settings) : placeInHdfs(url, settings);
  } catch (cause) {
    throw refusal(source, role, messageOf(cause));
  }
}

function checkS3(url: string, credentials: Source['credentials'] = {}): void {
  bucketIn(url);
  settingsIn(credentials);
}

function placeOfFile(url: string, role: Role, { jobFiles }: DataSettings): DataPlace {
  const place =
    role === 'input'
      ? { url: pathToFileURL(allowedPath(url, jobFiles)).href, exists: true }
      : outputPlace(url, jobFiles);
  return { url: place.url, exists: async () => place.exists };
}

function placeInHdfs(url: string, { hdfs }: DataSettings): DataPlace {
  const namesHost = splitUrl(url).host !== '';
  if (hdfs === undefined && !namesHost)
    throw new Error(`${url} is in the HDFS of its cluster, which has none: use another cluster, or a URL with file:`);
  const path = hdfs && pathIn(hdfs, url);
  // Another file system is the business of the program.
  if (hdfs === undefined || path === undefined) return { url, exists: async () => undefined };
  return { url: urlIn(hdfs, path), exists: (transfer) => existsIn(hdfs, path, transfer) };
}

/** Rejects with the remedy unless an input exists, and unless an output does not, if the program makes it. */
export async function checkPlace(
  source: Source | undefined,
  place: DataPlace | undefined,
  { role, transfer }: { readonly role: Role; readonly transfer: Transfer },
): Promise<void> {
  if (source === undefined || place === undefined) return;
  let exists: boolean | undefined;
  try {
    exists = await place.exists(transfer);
  } catch (cause) {
    transfer.signal.throwIfAborted();
    if (cause instanceof Transient) throw cause;
    throw refusal(source, role, messageOf(cause));
  }
  if (exists === undefined || exists === (role === 'input')) return;
  throw refusal(source, role, role === 'input' ? `there is nothing at ${place.url}: write it first` : inTheWay(place));
}

const inTheWay = ({ url }: DataPlace): string =>
  `there is something at ${url} already: delete it, or end the url with %JOB_EXEC_ID%, which differs for each run`;
