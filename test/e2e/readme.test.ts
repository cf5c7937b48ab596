// What the README shows is what the product takes: its YAML applies, and its npm scripts exist.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Manifest, titleOf } from '../../dev/demo/manifests.ts';
import { useBench } from './support/bench.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

const manifests = [...readme.matchAll(/^( *)```yaml\n(.*?)^\1```$/gms)].flatMap(([, indent = '', block = '']) =>
  parseAllDocuments(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).map((each) => each.toJS() as Manifest),
);

test('every npm script that it names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const named = [...readme.matchAll(/npm run ([a-z]+)|npm (start|test)\b/g)].map(([, run, short]) => run ?? short);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([]);
});

test('it shows each kind', () => {
  const kinds = ['Cluster', 'ClusterTemplate', 'Connection', 'NodeGroupTemplate', 'Secret'];
  expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds);
});

describe.skipIf(inject('kubeconfig') === '')('on the API server', () => {
  const bench = useBench(inject('kubeconfig'), 'readme');
  test.each(manifests.map((each) => [titleOf(each), each] as const))('%s applies', async (_, manifest) => {
    expect((await bench().objects.apply(manifest)).metadata.name).toBe(manifest.metadata.name);
  });
});
