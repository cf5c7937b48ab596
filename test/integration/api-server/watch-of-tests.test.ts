// The watch by which the tests see every version of an object has no gap where the API server ends it, as it does when it is busy.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { ApiProxy } from '../../support/kubernetes/api-proxy.ts';
import { connect, createNamespace, type WatchEvent } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';

const kubeconfig = inject('kubeconfig');
const patience = { timeout: limitMs, interval: 50 };

interface Versioned {
  readonly data?: { readonly count: string };
}

describe.skipIf(kubeconfig === '')('the watch of the tests', () => {
  test('tells each version once, also where the server ends it in between', async () => {
    await using proxy = await ApiProxy.start({ kubeconfig });
    const folder = await mkdtemp(join(tmpdir(), 'watch-'));
    onTestFinished(async () => rm(folder, { recursive: true }));
    const text = await readFile(kubeconfig, 'utf8');
    await writeFile(join(folder, 'config'), text.replace(/server: [^,}\s]+/, `server: ${proxy.url}`));
    await using direct = await connect(kubeconfig);
    await using watching = await connect(join(folder, 'config'));
    const namespace = await createNamespace(direct, 'watch-of-tests');
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const write = async (name: string, count: number) =>
      direct.apply(`${path}/${name}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { count: String(count) },
      });
    await write('before', 0);

    const seen: string[] = [];
    const tell = ({ type, object }: WatchEvent) => void seen.push(`${type} ${(object as Versioned).data?.count}`);
    const end = new AbortController();
    const watched = watching.watch(path, tell, end.signal);
    const watches = { path: new RegExp(`/${namespace}/`), watch: true };
    await expect.poll(() => proxy.watches(watches).length, patience).toBe(1);
    proxy.endWatches(watches);
    for (let count = 1; count <= 3; count += 1) await write('later', count);
    await direct.send({ method: 'DELETE', path: `${path}/later` });
    await expect.poll(() => seen.at(-1), patience).toBe('DELETED 3');
    expect(seen.filter((event) => !event.endsWith('undefined'))).toEqual([
      'ADDED 0',
      'ADDED 1',
      'MODIFIED 2',
      'MODIFIED 3',
      'DELETED 3',
    ]);
    expect(proxy.seen(watches)).toHaveLength(2);
    end.abort();
    await watched;
  });
});
