// The Python of a cluster in pods is that of a container with the image of its programs.
import { expect, test, vi } from 'vitest';
import { pythonIn } from '../../../../src/service/backends/pods/cluster-python.ts';
import { imageOfCluster, parseImages } from '../../../../src/service/backends/pods/manifests/engine-images.ts';
import { nodesOf } from '../../../../src/service/backends/pods/manifests/layout.ts';
import { pythonQuestion } from '../../../../src/service/engines/packages/python-target.ts';
import { clusterOf, groupOf, settingOf } from './clusters/scene.ts';

const cluster = clusterOf('spark', [groupOf('data', ['namenode'], 1), groupOf('head', ['datanode', 'master'], 1)]);
const setting = settingOf(cluster);
const nodes = nodesOf(cluster, setting.place);
const { signal } = new AbortController();
const images = parseImages('spark: {reference: registry.example/s:1, python: /opt/python/bin/python3}');

const open = (answer: string) => {
  const exec = vi.fn(async () => answer);
  const imageOf = (each: typeof cluster) => imageOfCluster(images, each);
  return { exec, ask: pythonIn({ api: { exec }, engines: [setting.engine], imageOf }) };
};

test('it is asked where no other image is', async () => {
  const { exec, ask } = open('3.11.2 cpython aarch64 glibc 2.36\n');
  expect(await ask(nodes, signal)).toEqual({ version: '3.11.2', machine: 'aarch64', glibc: 36 });
  const target = { namespace: 'data', pod: nodes[1]?.address.split('.')[0], container: 'master' };
  expect(exec).toHaveBeenCalledWith(target, ['/opt/python/bin/python3', '-I', '-c', pythonQuestion], signal);
});

test('without one for which there are wheels, the job is refused with the remedy', async () => {
  await expect(open('3.11.2 cpython x86_64 musl 1.2').ask(nodes, signal)).rejects.toThrow(
    /^cannot install Python packages for its cluster: its Python is no CPython 3 with glibc, .*: name a wheel, a pex or a zip/,
  );
  await expect(open('').ask([], signal)).rejects.toThrow('it has no machine that could tell its Python');
});
