// The system clock and random numbers. Nothing else uses them directly.
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { failureOfFetch } from './errors.ts';
import { type OnLine, parseAnswer, readAnswer, refuseCompressed, uncompressed } from './http/bounded.ts';
import type { Clock, Random } from './ports.ts';

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Its timers keep the process alive, for programs that have nothing else to wait for. */
export const awakeClock: Clock = {
  ...systemClock,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Keeps the process alive until the work has ended. The timers of `systemClock` do not: with nothing else to wait for, the process would end in the middle of it. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Measures the event loop of this thread from now on. The returned function returns its longest delay since the last call, in seconds. */
export function measureLoopDelay(): () => number {
  const delays = monitorEventLoopDelay();
  delays.enable();
  return () => {
    const longest = delays.max / 1e9;
    delays.reset();
    return longest;
  };
}

export const systemRandom: Random = { next: () => Math.random() };

/** A secret with so many random bytes, as a text that is valid in headers, URLs and file names. */
export const drawSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

/**
 * The text of an answer to a GET, or nothing if `onLine` gets its lines, and whether its status is a success. Follows no redirect. Rejects if there is no
 * answer, or one that is too long or compressed.
 */
export async function systemGet(
  url: string,
  signal: AbortSignal,
  onLine?: OnLine,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  try {
    const answer = await fetch(url, { signal, redirect: 'error', headers: uncompressed });
    return { ok: answer.ok, text: await readAnswer(answer, onLine) };
  } catch (cause) {
    throw failureOfFetch(cause);
  }
}

const answerMs = 5000;

/**
 * The JSON of an answer to a GET, or to a PUT of this body. Follows no redirect. Rejects unless the status is a success, and if the answer takes longer
 * than 5 s, is too long or compressed.
 */
export async function systemAskJson(url: string, put?: unknown): Promise<unknown> {
  const sent =
    put === undefined
      ? { headers: uncompressed }
      : { method: 'PUT', body: JSON.stringify(put), headers: { ...uncompressed, 'content-type': 'application/json' } };
  try {
    const answer = await fetch(url, { ...sent, signal: AbortSignal.timeout(answerMs), redirect: 'error' });
    if (answer.ok) return parseAnswer(await readAnswer(answer));
    await answer.body?.cancel();
    throw new Error(`${url} answers with ${answer.status}`);
  } catch (cause) {
    throw failureOfFetch(cause, url);
  }
}

/**
 * The status of an answer to a GET, and its bytes as they arrive. A redirect that is not followed is such an answer. One that leads to another host does
 * not get the login. Rejects if the answer is compressed.
 */
export async function systemDownload(
  url: string,
  how: {
    readonly signal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
    readonly redirect: 'follow' | 'manual';
  },
): Promise<{ readonly status: number; readonly bytes: AsyncIterable<Uint8Array> }> {
  const answer = await fetch(url, { ...how, headers: { ...how.headers, ...uncompressed } });
  await refuseCompressed(answer);
  return { status: answer.status, bytes: answer.body ?? (async function* () {})() };
}
