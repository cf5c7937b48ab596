// The kustomizations name every file and nothing else, and render to what kubectl renders.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { merged, readKustomization, renderKustomization } from '../../dev/demo/kustomization.ts';
import { titleOf } from '../../dev/demo/manifests.ts';
import { repository, writeOverlay } from '../e2e/support/installation.ts';
import { expectSame } from './kubectl.ts';

const folders = [
  'crds',
  'deploy',
  'deploy/all-namespaces',
  'deploy/approvals',
  'deploy/bundled-service',
  'deploy/cluster-wide',
  'deploy/namespaced',
  'deploy/operator',
  'deploy/quickstart',
];

/** Only together with others. */
const partial = ['deploy/provisioner'];

describe.each(folders)('%s', (folder) => {
  const path = join(repository, folder);

  test('names every object file of its folder, once, and only what is there', async () => {
    const { resources, components = [], patches = [] } = await readKustomization(path);
    const named = [...resources, ...components, ...patches.flatMap(({ path: file = [] }) => file)];
    for (const name of named) await expect(stat(join(path, name)), name).resolves.toBeDefined();
    const files = (await readdir(path)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    expect(named.filter((name) => name.endsWith('.yaml')).toSorted()).toEqual(files.toSorted());
    const inner = named.filter((name) => !name.endsWith('.yaml'));
    expect(inner.filter((name) => ![...folders, ...partial].includes(join(folder, name)))).toEqual([]);
  });

  test('holds each object once', async () => {
    const titles = (await renderKustomization(path)).map(titleOf);
    expect(titles.toSorted()).toEqual([...new Set(titles)].toSorted());
  });

  test('renders as kubectl does', async ({ skip }) => {
    await expectSame(path, skip);
  });
});

test('a kustomization of a user renders as kubectl does', async ({ skip }) => {
  const base = await mkdtemp(join(tmpdir(), 'kustomization-'));
  onTestFinished(async () => rm(base, { recursive: true }));
  const folder = join(base, 'team-a');
  await writeOverlay(folder, 'team-a');
  const rendered = await renderKustomization(folder);
  expect(new Set(rendered.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['team-a']));
  await expectSame(folder, skip);
});

test('a patch for what is not there is an error, as with kubectl', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kustomization-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const patches = [{ target: { kind: 'StatefulSet' }, patch: '{"spec": {"replicas": 2}}' }];
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify({ resources: [], patches }));
  await expect(renderKustomization(folder)).rejects.toThrow('cannot patch StatefulSet: no resource is that');
});

test('a field that only kubectl understands is an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kustomization-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify({ resources: [], namePrefix: 'our-' }));
  await expect(renderKustomization(folder)).rejects.toThrow(/only kubectl understands its namePrefix/);
  await rm(join(folder, 'kustomization.yaml'));
  await expect(renderKustomization(folder)).rejects.toThrow(/it has no kustomization.yaml/);
});

test('what is merged: fields, and entries of lists by their names; null takes a field away', () => {
  const env = [{ name: 'b' }, { name: 'a', value: '1', of: 'a', from: { field: 'x' } }];
  const base = { kept: 1, lost: { a: 1 }, map: { a: 1, b: 2 }, env, args: ['x'] };
  const changes = [
    { name: 'c', from: null },
    { name: 'a', value: '2', from: null },
  ];
  const patch = { lost: null, never: null, map: { b: 3 }, env: changes, args: ['y'] };
  expect(merged(base, patch)).toEqual({
    kept: 1,
    map: { a: 1, b: 3 },
    env: [{ name: 'c' }, { name: 'a', value: '2', of: 'a' }, { name: 'b' }],
    args: ['y'],
  });
});
