// What the README shows is what the product takes: its YAML applies, and its npm scripts exist.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../dev/demo/manifests.ts';
import { useBench } from './support/bench.ts';
import { podOf } from './support/installation.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

const blocks = [...readme.matchAll(/^( *)```yaml\n(.*?)^\1```$/gms)].flatMap(([, indent = '', block = '']) =>
  parseAllDocuments(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).map((each) => each.toJS() as Manifest),
);

const isKustomization = ({ kind }: Manifest): boolean => kind === 'Kustomization';
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
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  // The README stands for a folder beside a checkout of that name.
  const text = JSON.stringify(block).replaceAll('../dataprocessing-operator', relative(folder, root));
  await writeFile(join(folder, 'kustomization.yaml'), text);
  const rendered = await renderKustomization(folder);
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
