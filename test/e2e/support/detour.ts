// A kubeconfig of the operator's account by which the API server is reached through a proxy of the test.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from './bench.ts';

/** Answers with its path. */
export async function writeDetour({ folder, account }: Bench, url: string): Promise<string> {
  const path = join(folder, `detour-${new URL(url).port}.kubeconfig`);
  const config = JSON.parse(await readFile(account, 'utf8')) as object;
  // A token over plain HTTP is refused otherwise; this one never leaves the machine.
  const clusters = [{ name: 'demo', cluster: { server: url, 'insecure-skip-tls-verify': true } }];
  await writeFile(path, JSON.stringify({ ...config, clusters }), { mode: 0o600 });
  return path;
}
