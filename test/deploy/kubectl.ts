// What kubectl makes of a kustomization, to compare with what we make of it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderKustomization } from '../../dev/demo/kustomization.ts';
import { type Manifest, titleOf } from '../../dev/demo/manifests.ts';

type Skip = (note: string) => never;

export async function expectSame(folder: string, skip: Skip): Promise<void> {
  const byTitle = (manifests: readonly Manifest[]) =>
    Object.fromEntries(manifests.map((each) => [titleOf(each), each]));
  const theirs = await renderedByKubectl(folder, skip);
  expect(byTitle(await renderKustomization(folder))).toEqual(byTitle(theirs));
}

/** By kubectl or kustomize; skips the test where neither is installed. */
export async function renderedByKubectl(folder: string, skip: Skip): Promise<readonly Manifest[]> {
  for (const [command, verb] of [
    ['kubectl', 'kustomize'],
    ['kustomize', 'build'],
  ] as const) {
    const answer = await promisify(execFile)(command, [verb, folder]).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (answer !== undefined) return parseAllDocuments(answer.stdout).map((document) => document.toJS() as Manifest);
  }
  console.info('void: there is neither kubectl nor kustomize to compare with');
  return skip('there is neither kubectl nor kustomize');
}
