// What the README shows is what the product takes: its YAML applies, and its npm scripts exist.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import { titleOf } from '../../dev/demo/manifests.ts';
import { useBench } from './support/bench.ts';
import { isKustomization, place, yamlIn } from './support/documents.ts';
import { podOf } from './support/installation.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

const blocks = yamlIn(readme);
const manifests = blocks.filter((block) => !isKustomization(block));

test('every npm script that it names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const named = [...readme.matchAll(/npm run ([a-z:]+)|npm (start|test)\b/g)].map(([, run, short]) => run ?? short);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([]);
});

test('it shows each kind', () => {
  const kinds = ['Cluster', 'ClusterTemplate', 'Connection', 'ImageRegistration', 'NodeGroupTemplate', 'Secret'];
  expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds);
});

test.each(
  blocks.filter(isKustomization).map((block, index) => [['the cluster', 'a namespace'][index], block] as const),
)('the kustomization for %s renders', async (_, block) => {
  const rendered = await renderKustomization(await place(block));
  const { namespace, pod } = podOf(rendered);
  expect(pod.containers[0]['image']).toBe('registry.example.com/dataprocessing-operator:0.1.0');
  if (namespace === 'dataprocessing-system') return;
  expect(new Set(rendered.map(({ metadata }) => metadata.namespace))).toEqual(new Set([namespace]));
  const installation = pod.containers[0].env.filter(({ name }) => name === 'DATAPROCESSING_INSTALLATION');
  expect(installation).toEqual([{ name: 'DATAPROCESSING_INSTALLATION', value: 'team-a-production' }]);
});

describe.skipIf(inject('kubeconfig') === '')('on the API server', () => {
  const bench = useBench(inject('kubeconfig'), 'readme');
  test.each(manifests.map((each) => [titleOf(each), each] as const))('%s applies', async (_, manifest) => {
    expect((await bench().objects.apply(manifest)).metadata.name).toBe(manifest.metadata.name);
  });
});
