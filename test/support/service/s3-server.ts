// Starts the S3 server of tests, which Go builds from the folder beside this file.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AwsClient } from 'aws4fetch';
import { expect, onTestFinished } from 'vitest';
import { run } from '../../../src/service/engines/homes/run-program.ts';

const folder = join(import.meta.dirname, 's3-server');
export const keys = { accesskey: 'AKIDEXAMPLE', secretkey: 'SECRETkey/of+the=tests' };

/** The path of the program, in a folder of its own. Undefined if it cannot be built, and the reason is told. */
export async function buildS3Server(): Promise<string | undefined> {
  const file = join(mkdtempSync(join(tmpdir(), 's3-server-')), 's3-server');
  try {
    await run('go', ['build', '-C', folder, '-mod=readonly', '-buildvcs=false', '-o', file, '.']);
    return file;
  } catch (error) {
    rmSync(join(file, '..'), { recursive: true });
    console.warn('The tests of S3 are skipped: their server cannot be built. It needs Go 1.24 or newer.', error);
    return undefined;
  }
}

/** A server with an empty bucket that ends with the test. */
export async function startS3Server(file: string, bucket: string, host = '127.0.0.1') {
  const env = { ACCESS_KEY: keys.accesskey, SECRET_KEY: keys.secretkey, HOST: host };
  const server = spawn(file, [bucket], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const lines: string[] = [];
  const first = Promise.withResolvers<string>();
  createInterface(server.stdout).on('line', (line) => {
    lines.push(line);
    first.resolve(line);
  });
  server.once('error', first.reject);
  const endpoint = await first.promise;
  const client = new AwsClient({
    accessKeyId: keys.accesskey,
    secretAccessKey: keys.secretkey,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  });
  return {
    endpoint,
    /** The requests as it saw them, each with its method and path. */
    requests: lines,
    async put(path: string, bytes: string | Uint8Array<ArrayBuffer>): Promise<void> {
      expect((await client.fetch(`${endpoint}/${path}`, { method: 'PUT', body: bytes })).status).toBe(200);
    },
    read: async (path: string): Promise<string> => (await client.fetch(`${endpoint}/${path}`)).text(),
  };
}
