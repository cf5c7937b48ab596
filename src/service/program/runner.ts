// What runs in the pod of a job before its program: it gets the files of the run, and then the permit to start.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOfFetch, messageOf } from '../../lib/errors.ts';
import { backoffMs } from '../../lib/timing/backoff.ts';
import { anyAddress, type RunFile } from '../backends/pods/jobs/pod-runs.ts';
import { runnerHeader } from '../backends/runs/start-permit.ts';

interface Environment {
  /** The address of the run at the service. */
  readonly url: string;
  readonly tokenFile: string;
  readonly folder: string;
  /** The address of this pod. */
  readonly address: string;
}

/** A service that is restarted, or whose disk is full, is of use again soon. Whoever does not want to wait cancels the run, which removes this pod. */
const patienceMs = 30 * 60_000;
const mostWaitMs = 5_000;
const answerMs = 10 * 60_000;

function read(environment: NodeJS.ProcessEnv): Environment {
  const get = (name: string): string => {
    const value = environment[name];
    if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
    return value;
  };
  return { url: get('RUN_URL'), tokenFile: get('RUN_TOKEN_FILE'), folder: get('RUN_FOLDER'), address: get('POD_IP') };
}

/** The answer to the last request may be lost: by this, the service knows whom it gave the permit. */
const runner = randomUUID();

interface Question<T> {
  readonly token: string;
  readonly method?: 'GET' | 'POST';
  /** What is done with the answer. If it breaks off, it is asked for again. */
  readonly use: (answer: Response) => Promise<T>;
}

/** Refusals are final. What may pass is tried again. */
async function ask<T>(url: string, { token, method = 'GET', use }: Question<T>): Promise<T> {
  const begin = performance.now();
  for (let failures = 1; ; failures += 1) {
    try {
      const headers = { authorization: `Bearer ${token}`, [runnerHeader]: runner };
      const init = { method, headers, signal: AbortSignal.timeout(answerMs) };
      const answer = await naming(url, fetch(url, init));
      if (answer.ok) return await naming(url, use(answer));
      const text = (await answer.text()).slice(0, 300);
      if (answer.status < 500) throw new RunnerRefusal(`${url} answers ${answer.status}: ${text}`);
      throw new Error(`${url} answers ${answer.status}`);
    } catch (cause) {
      if (cause instanceof RunnerRefusal || performance.now() - begin > patienceMs) throw cause;
      process.stderr.write(`${messageOf(cause)}; trying again\n`);
      await sleep(backoffMs({ failures, maxMs: mostWaitMs }, 0.5 + Math.random() / 2));
    }
  }
}

/** A failure names the address and the cause. */
const naming = <T>(url: string, work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => Promise.reject(failureOfFetch(cause, url)));

class RunnerRefusal extends Error {}

/** The path stays in the folder, whatever the answer says. */
function placeOf(folder: string, path: string): string {
  const clean = normalize(path);
  if (isAbsolute(clean) || clean.startsWith('..'))
    throw new Error(`the file ${path} is not below the folder of the run`);
  return join(folder, clean);
}

async function main(): Promise<void> {
  const { url, tokenFile, folder, address } = read(process.env);
  const token = readFileSync(tokenFile, 'utf8').trim();
  const use = async (answer: Response) => (await answer.json()) as { readonly files: readonly RunFile[] };
  const { files } = await ask(`${url}/files`, { token, use });
  for (const [index, { path, isTemplate, placeholder = anyAddress }] of files.entries()) {
    const place = placeOf(folder, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    await ask(`${url}/files/${index}`, { token, use: ({ body }) => save(body, place) });
    if (isTemplate) writeFileSync(place, readFileSync(place, 'utf8').replaceAll(placeholder, address), { mode: 0o600 });
  }
  // Last of all: whatever fails before can be tried again, and the program begins at once.
  await ask(`${url}/start`, { token, method: 'POST', use: async () => {} });
}

async function save(body: Response['body'], place: string): Promise<void> {
  if (body === null) writeFileSync(place, '', { mode: 0o600 });
  else {
    // A stream that opens it by itself may do so, and empty it, when the next try has begun.
    const file = await open(place, 'w', 0o600).catch(refuse);
    await pipeline(Readable.fromWeb(body as ReadableStream), file.createWriteStream()).catch(refuse);
  }
}

/** What the disk of the pod does not take now, it does not take later. */
function refuse(cause: unknown): never {
  const code = String((cause as NodeJS.ErrnoException).code);
  throw /^E(ACCES|DQUOT|FBIG|IO|ISDIR|NOSPC|NOTDIR|ROFS)$/.test(code)
    ? new RunnerRefusal(`the disk of the pod does not take a file: ${messageOf(cause)}`, { cause })
    : cause;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`cannot start the run: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
