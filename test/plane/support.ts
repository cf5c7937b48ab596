// What the tests of the plane share: raw calls to the API server, and looks at processes.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { processExists } from '../../src/lib/fetch/lock.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;

/** Calls the API server as the user of a kubeconfig, until the end of the test. */
export async function connect(kubeconfig: string): Promise<Call> {
  const config = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const [{ cluster }, { user }] = [config.clusters[0], config.users[0]];
  const plain = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  const tls = {
    ca: plain(cluster['certificate-authority-data']),
    cert: plain(user['client-certificate-data']),
    key: plain(user['client-key-data']),
  };
  const dispatcher = new Agent({ allowH2: false, connect: tls });
  onTestFinished(async () => dispatcher.destroy());
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const options = { dispatcher, method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await request(`${cluster.server}${path}`, options);
    const text = await response.body.text();
    return { status: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: readonly [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plane-test-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether the process has ended; one that nobody has waited for counts, because it holds nothing any more. */
export function isGone(pid: number): boolean {
  if (!processExists(pid)) return true;
  // Where there is no /proc, orphans are waited for by the first process of the system, as they should be.
  const stat = existsSync('/proc/self/stat') ? readIfThere(`/proc/${pid}/stat`) : 'R';
  return stat === '' || stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
}

/** The content of a file, or '' if it cannot be read. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The environment without the test runner's own settings for Node. */
export function cleanEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: '', ...more };
}
