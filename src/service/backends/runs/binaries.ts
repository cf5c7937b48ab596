// Brings the files of a job into the folder of a run.
import { mkdirSync, renameSync } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { fileDigest } from '../../../lib/fetch/file-digest.ts';
import { fileName, isFileName, splitUrl } from '../../../wire/jobs.ts';
import type { Hdfs } from '../../engines/engine.ts';
import { checkObject, signedGet } from '../../engines/s3/object.ts';
import { type S3Settings, settingsIn } from '../../engines/s3/settings.ts';
import { syncFile } from '../../model/disk/atomic-files.ts';
import { Transient } from '../../model/disk/transient.ts';
import type { PreparedBinary } from '../../model/records/records.ts';
import { checkNul } from '../../model/texts.ts';
import type { Binary } from '../job-engine.ts';
import { ownPath, saveFrom } from './hdfs.ts';
import { allowedFile, rootOf } from './job-files.ts';
import { type Download, mostBytes, save, type Transfer } from './transfer.ts';

/** What binaries can be read from besides the service itself. */
export const readableSchemes: readonly string[] = ['file', 'hdfs', 'http', 'https', 's3', 's3a'];

/** Where binaries are read from. */
interface BinaryPlaces {
  /** The folder below which files of this computer can be used. Undefined if none can. */
  readonly jobFiles: string | undefined;
  /** That of the cluster, if it has one. */
  readonly hdfs: Hdfs | undefined;
}
export interface BringOptions extends Transfer, BinaryPlaces {
  /** When absent: HDFS is reached like everything else. */
  readonly getFromHdfs?: Download;
  /** Where the file is until it is complete, on the same volume. When absent: beside its place. */
  readonly incoming?: string;
  /** Moves the complete file, which has this SHA-256, to its place. When absent: it is renamed. */
  readonly keep?: ((unfinished: string, digest: string, place: string) => void) | undefined;
}

const schemeOf = ({ url }: Pick<Binary, 'url'>): string => splitUrl(url).scheme.toLowerCase();

/** Throws an Error with the remedy if jobs cannot read such URLs, or if `extra` is malformed. */
export function checkUrl(binary: Pick<Binary, 'url' | 'extra'>, { jobFiles }: Pick<BinaryPlaces, 'jobFiles'>): void {
  checkNul('url', binary.url);
  const scheme = schemeOf(binary);
  if (scheme !== 'internal-db' && !readableSchemes.includes(scheme))
    throw new Error(
      `${scheme}: is not supported here: upload it, or use a URL with file:, hdfs:, http:, https: or s3a:`,
    );
  if (scheme !== 'hdfs' && /^[^:]*:\/\/[^/?#]*@/.test(binary.url))
    throw new Error('url has a user or a password, which everybody can read there: set them in extra');
  if (scheme === 'file') rootOf(jobFiles);
  if (isS3(binary)) checkObject(binary.url, accessOf(binary));
  digestOf(binary);
  if (binary.extra['file_name'] !== undefined) checkFileName(String(binary.extra['file_name']));
}

function checkFileName(name: string): void {
  if (!isFileName(name)) throw new Error(`file_name in its extra ${fileName.message}`);
}

/** Where the file of the binary is, in the folder of a run. Throws an Error with the field and the remedy if that is outside of the folder. */
export function pathOf(folder: string, { name, file_name = name }: PreparedBinary): string {
  checkFileName(file_name);
  return join(folder, file_name);
}

const isS3 = (binary: Pick<Binary, 'url'>): boolean => ['s3', 's3a'].includes(schemeOf(binary));

/** How its bucket is reached. */
const accessOf = ({ extra }: Pick<Binary, 'extra'>): S3Settings =>
  settingsIn(Object.fromEntries(Object.entries(extra).filter(([name]) => !['sha256', 'file_name'].includes(name))));

/** Throws an Error with the remedy if the binary cannot be read, as far as that is certain before it is. */
export function checkBinary(binary: Binary, { jobFiles, hdfs }: BinaryPlaces): void {
  try {
    checkUrl(binary, { jobFiles });
    if (schemeOf(binary) === 'file') allowedFile(binary.url, jobFiles, mostBytes);
    if (schemeOf(binary) === 'hdfs') ownPath(hdfs, binary.url);
    if (schemeOf(binary) === 'internal-db' && binary.size === undefined) throw lost();
  } catch (cause) {
    throw unreadable(binary, cause);
  }
}

const unreadable = ({ name }: Binary, cause: unknown) =>
  new Error(`cannot read job binary ${name}: ${messageOf(cause)}`, { cause });

const lost = () => new Error('its bytes were deleted: upload them again');

function storedBytes(binary: Binary): Uint8Array {
  const bytes = binary.read();
  if (bytes === undefined) throw lost();
  return bytes;
}

/** Undefined if the service does not store the bytes. */
export const storedText = (binary: Binary): string | undefined =>
  schemeOf(binary) === 'internal-db' ? Buffer.from(storedBytes(binary)).toString() : undefined;

/** The most bytes of a file that the service itself reads as a text: it is in memory several times, and others wait meanwhile. */
const mostTextBytes = 5 * 1024 ** 2;

/** Rejects with the remedy if the file is too large to be read. */
export async function textIn(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > mostTextBytes)
    throw new Error(
      `${basename(file)} has ${size} bytes, and the service reads it, which it does up to ${mostTextBytes} bytes: make it smaller, or divide it into several files`,
    );
  return readFile(file, 'utf8');
}

/** The binaries by the paths of their files. Throws an Error with the field and the remedy if two have the same one. */
export function placesOf<B extends PreparedBinary>(folder: string, binaries: readonly B[]): ReadonlyMap<string, B> {
  const places = new Map<string, B>();
  for (const binary of binaries) {
    const place = pathOf(folder, binary);
    const other = places.get(place);
    if (other !== undefined && other.id !== binary.id)
      throw new Error(
        `two files of the job are called ${basename(place)}: change the name of one, or file_name in its extra (content.fileName of a JobBinary)`,
      );
    places.set(place, binary);
  }
  return places;
}

/**
 * Throws an Error with the remedy if a binary cannot be read, or is not the one that its digest names. A file appears when it is complete, and leaves nothing
 * if it does not become so.
 */
export async function bring(place: string, binary: Binary, options: BringOptions): Promise<void> {
  const { incoming = `${place}.new`, keep = (unfinished) => renameSync(unfinished, place) } = options;
  for (const folder of [dirname(place), dirname(incoming)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const wanted = digestOf(binary);
    await copy(incoming, binary, options);
    await options.admit?.(0);
    const digest = await digestIn(incoming);
    checkDigest(digest, wanted);
    keep(incoming, digest, place);
  } catch (cause) {
    await rm(incoming, { force: true });
    options.signal.throwIfAborted();
    if (cause instanceof Transient) throw cause;
    throw unreadable(binary, cause);
  }
}

async function copy(to: string, binary: Binary, options: BringOptions): Promise<void> {
  const { jobFiles, hdfs, signal } = options;
  checkUrl(binary, { jobFiles });
  switch (schemeOf(binary)) {
    case 'internal-db': {
      // Its bytes are in memory only while they are written: it can take a while until they are admitted.
      await options.admit?.(binary.size ?? storedBytes(binary).length);
      return await writeFile(to, storedBytes(binary), { mode: 0o600, signal });
    }
    case 'file': {
      const file = allowedFile(binary.url, jobFiles, mostBytes);
      await options.admit?.((await stat(file)).size);
      return await copyFile(file, to);
    }
    case 'hdfs':
      return await saveFrom(hdfs, binary.url, to, { ...options, get: options.getFromHdfs ?? options.get });
    case 's3':
    case 's3a': {
      const request = await signedGet(binary.url, accessOf(binary), options.clock.wall());
      return await save(to, { ...request, shown: binary.url, remedies: s3Remedies }, options);
    }
    default:
      return await save(to, { url: binary.url, headers: logInOf(binary), redirect: 'follow' }, options);
  }
}

const s3Remedies = {
  301: 'set endpoint and region in its extra to those of its bucket',
  403: 'check accesskey, secretkey and region in its extra',
  404: 'correct its url',
};

function logInOf({ extra: { user, password } }: Binary): Readonly<Record<string, string>> {
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The SHA-256 that the file must have, if `extra` names one. */
function digestOf({ extra: { sha256 } }: Pick<Binary, 'extra'>): string | undefined {
  if (sha256 === undefined) return undefined;
  const digest = String(sha256).toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error('sha256 in its extra is no SHA-256: give 64 hexadecimal digits, as a text');
}

/** The SHA-256 of the file, which no power loss changes afterwards. */
export async function digestIn(path: string): Promise<string> {
  const digest = await fileDigest(path);
  await syncFile(path);
  return digest;
}

function checkDigest(found: string, wanted: string | undefined): void {
  if (wanted === undefined || found === wanted) return;
  throw new Error(
    `its SHA-256 is ${found}, and sha256 in its extra is ${wanted}: use the right file, or correct extra`,
  );
}
