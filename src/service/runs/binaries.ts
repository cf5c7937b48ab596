// Brings the files of a job into the folder of a run.
import { createWriteStream, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import { splitUrl } from '../../wire/jobs.ts';
import type { Binary } from '../executions/job-engine.ts';

/** What binaries can be read from besides the service itself. */
export const readableSchemes: readonly string[] = ['file', 'http', 'https'];

const mostBytes = 1024 ** 3;
const fetchMs = 4 * 60_000;

/** See `systemDownload`. */
export type Download = (
  url: string,
  how: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
) => Promise<{ readonly status: number; readonly bytes: AsyncIterable<Uint8Array> }>;

interface Reading {
  /** The folder below which files of this computer can be used. Undefined if none can. */
  readonly jobFiles: string | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly get: Download;
}

/** Where the files of binaries will be, by their names. Throws if two have the same one. */
export function placesOf(folder: string, binaries: readonly Binary[]): ReadonlyMap<string, Binary> {
  const places = new Map<string, Binary>();
  for (const binary of binaries) {
    const place = join(folder, binary.name);
    const other = places.get(place);
    if (other !== undefined && other.id !== binary.id)
      throw new Error(`two binaries of the job are called ${binary.name}: rename one`);
    places.set(place, binary);
  }
  return places;
}

/** Throws an Error with the remedy if a binary cannot be read. A file appears when it is complete. */
export async function bring(place: string, binary: Binary, reading: Reading): Promise<void> {
  mkdirSync(join(place, '..'), { recursive: true, mode: 0o700 });
  const unfinished = `${place}.new`;
  try {
    await copy(unfinished, binary, reading);
  } catch (cause) {
    reading.signal.throwIfAborted();
    throw new Error(`cannot read job binary ${binary.name}: ${messageOf(cause)}`, { cause });
  }
  renameSync(unfinished, place);
}

async function copy(to: string, binary: Binary, reading: Reading): Promise<void> {
  const { jobFiles, signal } = reading;
  const { scheme } = splitUrl(binary.url);
  switch (scheme.toLowerCase()) {
    case 'internal-db': {
      const bytes = binary.read();
      if (bytes === undefined) throw new Error('its bytes were deleted: upload them again');
      return await writeFile(to, bytes, { mode: 0o600, signal });
    }
    case 'file':
      return await copyFile(allowedPath(binary.url, jobFiles), to);
    case 'http':
    case 'https':
      return await download(to, binary, reading);
    default:
      throw new Error(`${scheme}: is not supported here: upload it, or use a URL with file:, http: or https:`);
  }
}

/** The real path of a file below the folder. Throws an Error with the remedy for any other one. */
export function allowedPath(url: string, jobFiles: string | undefined): string {
  if (jobFiles === undefined)
    throw new Error('files of this computer are not allowed: start the service with --job-files FOLDER');
  const path = fileURLToPath(url);
  const root = realpathSync(jobFiles);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new Error(`there is no file ${path}`);
  }
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error(`${path} is not below ${root}, the folder of --job-files: move it there`);
  return real;
}

async function download(to: string, { url, extra }: Binary, reading: Reading): Promise<void> {
  const { clock, get } = reading;
  const { user, password } = extra;
  const login = Buffer.from(`${user}:${password}`).toString('base64');
  const headers: Record<string, string> = user === undefined ? {} : { authorization: `Basic ${login}` };
  const late = new AbortController();
  const cancel = clock.after(fetchMs, () => late.abort(new Error(`it takes longer than ${fetchMs / 1000} s`)));
  const signal = AbortSignal.any([reading.signal, late.signal]);
  try {
    const { status, bytes } = await get(url, { signal, headers });
    if (status < 200 || status > 299) throw new Error(`${url} answers with ${status}`);
    await pipeline(bounded(bytes), createWriteStream(to, { mode: 0o600 }), { signal });
  } catch (cause) {
    throw late.signal.aborted ? late.signal.reason : cause;
  } finally {
    cancel();
  }
}

async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = mostBytes;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new Error(`it is larger than ${mostBytes} bytes`);
    yield chunk;
  }
}
