// Requests for the data of jobs, bounded in time and size.
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { failureOfFetch } from '../../../lib/errors.ts';
import { bounded, readText } from '../../../lib/http/bounded.ts';
import type { Clock } from '../../../lib/ports.ts';
import { shownUrl } from '../../../wire/jobs.ts';

/** The most that is written between two calls of `admit`, in bytes. */
const admittedBytes = 1024 ** 2;
/** The most bytes that a file of a job can have. */
export const mostBytes = 1024 ** 3;
const saveMs = 4 * 60_000;
const askMs = 10_000;
/** More than any answer that is not a file has. */
const mostText = 64 * 1024;

/** See `systemDownload`, and `createGuardedDownload` for addresses that users name. */
export type Download = (
  url: string,
  how: {
    readonly signal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
    readonly redirect: 'follow' | 'manual';
  },
) => Promise<{ readonly status: number; readonly bytes: AsyncIterable<Uint8Array> }>;

export interface Transfer {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly get: Download;
  /** Called before `bytes` more are written, and at least once for each MiB. Rejects to end the transfer. When absent: there is always room. */
  readonly admit?: ((bytes: number) => Promise<void>) | undefined;
}

/** One GET. A redirect is an answer of its own unless it is followed. */
export interface GetRequest {
  readonly url: string;
  /** The name of the URL for messages. When absent: the URL, without a user, a password and what follows `?`, which can be a signature. */
  readonly shown?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirect?: 'follow' | 'manual';
  /** What to do about an answer, by its status. */
  readonly remedies?: Readonly<Record<number, string>>;
}

/** Writes the file, for the user of the service only. Rejects unless the answer is a success, and if the file is too large or late. */
export async function save(to: string, request: GetRequest, transfer: Transfer): Promise<void> {
  await during(saveMs, { ...transfer, request }, async (signal) => {
    const { status, bytes } = await get(request, transfer, signal);
    if (status < 200 || status > 299) throw refused(request, status);
    const tooLarge = `it is larger than ${mostBytes} bytes`;
    const chunks = admitted(bounded(bytes, mostBytes, tooLarge), transfer);
    // Opened before anything can fail: a stream that opens it by itself may do so when the failed file was removed already.
    const file = await open(to, 'w', 0o600);
    await pipeline(chunks, file.createWriteStream(), { signal });
  });
}

function refused({ url, shown = shownUrl(url), remedies = {} }: GetRequest, status: number): Error {
  const remedy = remedies[status];
  return new Error(`${shown} answers with ${status}${remedy === undefined ? '' : `: ${remedy}`}`);
}

export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** Rejects if there is no answer, or if it is too long. */
export async function ask(request: GetRequest, transfer: Transfer): Promise<TextAnswer> {
  return await during(askMs, { ...transfer, request }, async (signal) => {
    const { status, bytes } = await get(request, transfer, signal);
    return { status, text: await readText(bounded(bytes, mostText, 'its answer is too long')) };
  });
}

const get = ({ url, headers = {}, redirect = 'manual' }: GetRequest, transfer: Transfer, signal: AbortSignal) =>
  transfer.get(url, { signal, headers, redirect });

async function during<T>(
  ms: number,
  { clock, signal, request: { url, shown = shownUrl(url) } }: Transfer & { readonly request: GetRequest },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const late = new Error(`it takes longer than ${ms / 1000} s`);
  const cancel = clock.after(ms, () => over.abort(late));
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } catch (cause) {
    throw over.signal.aborted ? late : failureOfFetch(cause, shown);
  } finally {
    cancel();
    // What nobody reads any more must not go on arriving.
    over.abort();
  }
}

async function* admitted(chunks: AsyncIterable<Uint8Array>, { admit }: Transfer): AsyncGenerator<Uint8Array> {
  let unchecked = admittedBytes;
  for await (const chunk of chunks) {
    unchecked += chunk.length;
    if (unchecked > admittedBytes) {
      await admit?.(chunk.length);
      unchecked = chunk.length;
    }
    yield chunk;
  }
}
