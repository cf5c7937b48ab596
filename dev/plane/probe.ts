// Waits until a server of the plane is ready.
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_LIMIT_MS = 5_000;
const PAUSE_MS = 50;

export interface Target {
  readonly url: string;
  /** PEM; without an authority any certificate will do. */
  readonly authority?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** Whether a GET is answered with 200; any failure counts as no. */
export async function answers(target: Target): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const call = request(target.url, {
    agent: false,
    timeout: ANSWER_LIMIT_MS,
    rejectUnauthorized: target.authority !== undefined,
    ...(target.authority === undefined ? {} : { ca: target.authority }),
    ...(target.certificate === undefined ? {} : { cert: target.certificate, key: target.key }),
  });
  call.once('response', (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  call.once('timeout', () => call.destroy());
  call.once('error', () => resolve(false));
  call.once('close', () => resolve(false));
  call.end();
  return promise;
}

/** Waits until all targets answer; throws when `check` does, or after `limitMs`. */
export async function waitUntilReady(targets: readonly Target[], check: () => void, limitMs: number): Promise<void> {
  const begun = performance.now();
  for (const target of targets) {
    while (!(await answers(target))) {
      check();
      if (performance.now() - begun > limitMs) throw new Error(`it is not ready after ${limitMs / 1000} s`);
      await sleep(PAUSE_MS);
    }
  }
  check();
}
