// A Hadoop cluster of an installation: the pods of operator and service, with their own permissions, make it and change its size.
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readFile, writeFile } from '../engines/hdfs/hdfs.ts';
import { leftInPods } from './support/engine-pods.ts';
import { forwardUrl } from './support/forward.ts';
import {
  cannotInstall,
  importImages,
  inDemo,
  installByHelm,
  readClusters,
  readPods,
  run,
  scale,
  uninstall,
} from './support/installation.ts';

/** The name node, at a forwarded port. */
async function openHdfs(): Promise<string> {
  const page = await readClusters('status.endpoints[?(@.target=="HDFS")].url');
  const web = page.split(' ').find((url) => url.startsWith('http:'));
  return (await forwardUrl(web ?? '')).replace(/\/$/, '');
}

const names = [0, 1, 2, 3, 4, 5].map((index) => `/kept/${index}.txt`);
const text = (name: string): string => `${name}\n`.repeat(1000);

describe.skipIf(cannotInstall)('an installation by the chart', () => {
  beforeAll(importImages);

  test('has a Hadoop cluster, which keeps its files from one worker to three and back', async () => {
    onTestFinished(uninstall);
    await installByHelm('--set service.enabled=true --set service.token.value=change-me');
    const before = await leftInPods('dataprocessing-demo');
    const began = performance.now();
    await run(`${inDemo} apply --server-side -f examples/hadoop/`);
    await run(`${inDemo} wait --for=condition=Ready clusters.dataprocessing.dev/hadoop --timeout=10m`);
    console.info(`Hadoop was Ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);

    const page = await openHdfs();
    await scale('hadoop', 1, 3, '4/4');
    for (const name of names) await writeFile(page, name, text(name), forwardUrl);
    await scale('hadoop', 1, 1, '2/2');
    for (const name of names) expect(await readFile(page, name, forwardUrl)).toBe(text(name));
    expect(await readPods()).toHaveLength(2);

    await run(`${inDemo} delete -f examples/hadoop/ --timeout=10m`);
    expect((await leftInPods('dataprocessing-demo')).toSorted()).toEqual(before.toSorted());
  });
});
