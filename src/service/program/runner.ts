// What runs in the pod of a job before its program: it gets the files of the run, and then the permit to start.
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { failureOfFetch } from '../../lib/errors.ts';
import { anyAddress, type RunFile } from '../backends/pods/jobs/pod-runs.ts';

interface Environment {
  /** The address of the run at the service. */
  readonly url: string;
  readonly tokenFile: string;
  readonly folder: string;
  /** The address of this pod. */
  readonly address: string;
}

/** A service that is restarted at this moment is there again soon. */
const tries = 30;
const waitMs = 1000;
const answerMs = 10 * 60_000;

function read(environment: NodeJS.ProcessEnv): Environment {
  const get = (name: string): string => {
    const value = environment[name];
    if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
    return value;
  };
  return { url: get('RUN_URL'), tokenFile: get('RUN_TOKEN_FILE'), folder: get('RUN_FOLDER'), address: get('POD_IP') };
}

/** Refusals are final. What may pass is tried again. */
async function ask(url: string, token: string, method = 'GET'): Promise<Response> {
  for (let time = 1; ; time += 1) {
    try {
      const headers = { authorization: `Bearer ${token}` };
      const init = { method, headers, signal: AbortSignal.timeout(answerMs) };
      const answer = await naming(url, fetch(url, init));
      if (answer.ok) return answer;
      const text = (await answer.text()).slice(0, 300);
      if (answer.status < 500) throw new RunnerRefusal(`${url} answers ${answer.status}: ${text}`);
      throw new Error(`${url} answers ${answer.status}`);
    } catch (cause) {
      if (cause instanceof RunnerRefusal || time >= tries) throw cause;
      await new Promise((resolve) => void setTimeout(resolve, waitMs));
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
  const { files } = (await (await ask(`${url}/files`, token)).json()) as { readonly files: readonly RunFile[] };
  for (const [index, { path, isTemplate, placeholder = anyAddress }] of files.entries()) {
    const place = placeOf(folder, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    const { body } = await ask(`${url}/files/${index}`, token);
    if (body === null) writeFileSync(place, '', { mode: 0o600 });
    else {
      const file = createWriteStream(place, { mode: 0o600 });
      await naming(`${url}/files/${index}`, pipeline(Readable.fromWeb(body as ReadableStream), file));
    }
    if (isTemplate) writeFileSync(place, readFileSync(place, 'utf8').replaceAll(placeholder, address), { mode: 0o600 });
  }
  // Last of all: whatever fails before can be tried again, and the program begins at once.
  await ask(`${url}/start`, token, 'POST');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`cannot start the run: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
