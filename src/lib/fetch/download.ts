// Downloads files that can be resumed, and keeps none whose digest is not the published one.
import { createWriteStream, existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { reasonOf } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { sleep } from '../timing/wait.ts';
import { fileDigest } from './file-digest.ts';

export interface Digest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

export interface RemoteFile {
  /** All serve the same content. They are tried in this order. */
  readonly urls: readonly string[];
  readonly digest: Digest;
}

export interface DownloadOptions {
  readonly clock: Clock;
  /** Bytes that are there. `total` is undefined if the server does not report it. */
  readonly onProgress: (received: number, total: number | undefined) => void;
}

/** How long a server may keep silent. */
const silenceMs = 20_000;
/** How often a transfer that was cut goes on without having received anything in between. */
const idleAttempts = 3;
const firstPauseMs = 500;

/** An answer that another attempt would not change. */
class FinalAnswer extends Error {}

/**
 * Puts the file in place, complete and verified. While it arrives it is `FILE.part`, where the next call goes on after an
 * interruption. A file that is there and has the digest is not downloaded again.
 */
export async function download(remote: RemoteFile, file: string, options: DownloadOptions): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  if (existsSync(file) && (await fileDigest(file, remote.digest.algorithm)) === remote.digest.hex) return;
  const part = `${file}.part`;
  const failures: unknown[] = [];
  for (const url of remote.urls) {
    try {
      await transfer(url, part, options);
      await verify(url, part, remote.digest);
      return await rename(part, file);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures.length === 1 ? failures[0] : new Error(failures.map(reasonOf).join('; '));
}

/** The text of a small file. */
export async function downloadText(url: string): Promise<string> {
  return withDispatcher(url, async (dispatcher) => {
    const { statusCode, statusText, body } = await request(url, { dispatcher });
    const text = await body.text();
    if (statusCode !== 200) throw new FinalAnswer(`the server answered ${statusCode} ${statusText}`);
    return text;
  });
}

async function withDispatcher<T>(url: string, work: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
  // Honors HTTPS_PROXY and NO_PROXY. Without them no download leaves many company networks.
  const agent = new EnvHttpProxyAgent({ headersTimeout: silenceMs, bodyTimeout: silenceMs });
  try {
    return await work(agent.compose(interceptors.redirect({ maxRedirections: 5 })));
  } catch (error) {
    throw new Error(`cannot download ${url}`, { cause: error });
  } finally {
    await agent.destroy();
  }
}

/** Goes on where the part ends until everything is there. */
async function transfer(url: string, part: string, options: DownloadOptions): Promise<void> {
  await withDispatcher(url, async (dispatcher) => {
    const first = sizeOf(part);
    for (let idle = 0; ; ) {
      const before = sizeOf(part);
      try {
        return await receive(url, { part, dispatcher, ...options });
      } catch (error) {
        const now = sizeOf(part);
        idle = now > before ? 1 : idle + 1;
        // A server that has sent nothing in this run is not worth waiting for.
        if (error instanceof FinalAnswer || now === first || idle > idleAttempts) throw error;
        await sleep(options.clock, firstPauseMs * 2 ** idle, new AbortController().signal);
      }
    }
  });
}

interface ReceiveInput extends DownloadOptions {
  readonly part: string;
  readonly dispatcher: Dispatcher;
}

/** One request for what is missing. */
async function receive(url: string, { part, dispatcher, onProgress }: ReceiveInput): Promise<void> {
  const have = sizeOf(part);
  // A compressed file must arrive as it is.
  const headers = { 'accept-encoding': 'identity', ...(have > 0 && { range: `bytes=${have}-` }) };
  const { statusCode, statusText, headers: answered, body } = await request(url, { dispatcher, headers });
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(String(answered['content-range'] ?? ''));
  if (statusCode === 416) {
    await body.dump();
    if (Number(range?.[2]) === have) return;
    // It is no part of this file.
    await rm(part, { force: true });
    throw new Error('the part of an earlier download is longer than the file');
  }
  if (statusCode !== 200 && statusCode !== 206) {
    await body.dump();
    throw new FinalAnswer(`the server answered ${statusCode} ${statusText}`);
  }
  if (statusCode === 206 && Number(range?.[1]) !== have)
    throw new FinalAnswer('the server answered with another range');
  const begin = statusCode === 206 ? have : 0;
  const length = answered['content-length'];
  const total = length === undefined ? undefined : begin + Number(length);
  let received = begin;
  onProgress(received, total);
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      onProgress(received, total);
      done(undefined, chunk);
    },
  });
  await pipeline(body, counting, createWriteStream(part, { flags: begin === 0 ? 'w' : 'a' }));
}

async function verify(url: string, part: string, { algorithm, hex }: Digest): Promise<void> {
  const digest = await fileDigest(part, algorithm);
  if (digest === hex) return;
  await rm(part, { force: true });
  throw new Error(`cannot use ${url}: its ${algorithm} is ${digest}, published is ${hex}`);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
