// The kustomizations name every file and nothing else, and render to what kubectl renders.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { merged, readKustomization, renderKustomization } from '../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../dev/demo/manifests.ts';
import { repository, writeOverlay } from '../e2e/support/installation.ts';

const folders = ['crds', 'deploy', 'deploy/cluster-wide', 'deploy/operator', 'deploy/namespaced'];

describe.each(folders)('%s', (folder) => {
  const path = join(repository, folder);

  test('names every object file of its folder, once, and only what is there', async () => {
    const { resources, patches = [] } = await readKustomization(path);
    const named = [...resources, ...patches.flatMap(({ path: file = [] }) => file)];
    for (const name of named) await expect(stat(join(path, name)), name).resolves.toBeDefined();
    const files = (await readdir(path)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    expect(named.filter((name) => name.endsWith('.yaml')).toSorted()).toEqual(files.toSorted());
    const inner = named.filter((name) => !name.endsWith('.yaml'));
    expect(inner.filter((name) => !folders.includes(join(folder, name)))).toEqual([]);
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

async function expectSame(folder: string, skip: (note: string) => never): Promise<void> {
  const text = await kubectlKustomize(folder);
  if (text === undefined) {
    console.info('void: there is neither kubectl nor kustomize to compare with');
    skip('there is neither kubectl nor kustomize');
  }
  const theirs = parseAllDocuments(text ?? '').map((document) => document.toJS() as Manifest);
  const byTitle = (manifests: readonly Manifest[]) =>
    Object.fromEntries(manifests.map((each) => [titleOf(each), each]));
  expect(byTitle(await renderKustomization(folder))).toEqual(byTitle(theirs));
}

/** Undefined: neither program is installed. */
async function kubectlKustomize(folder: string): Promise<string | undefined> {
  for (const [command, verb] of [
    ['kubectl', 'kustomize'],
    ['kustomize', 'build'],
  ] as const) {
    const answer = await promisify(execFile)(command, [verb, folder]).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (answer !== undefined) return answer.stdout;
  }
  return undefined;
}

test('what is merged: fields, and entries of lists by their names', () => {
  const base = { kept: 1, map: { a: 1, b: 2 }, env: [{ name: 'b' }, { name: 'a', value: '1', of: 'a' }], args: ['x'] };
  const patch = { map: { b: 3 }, env: [{ name: 'c' }, { name: 'a', value: '2' }], args: ['y'] };
  expect(merged(base, patch)).toEqual({
    kept: 1,
    map: { a: 1, b: 3 },
    env: [{ name: 'c' }, { name: 'a', value: '2', of: 'a' }, { name: 'b' }],
    args: ['y'],
  });
});
