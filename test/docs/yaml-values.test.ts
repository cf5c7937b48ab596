// The values in the guide to GitOps are what kubectl and kustomize make of them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDocuments } from '../../src/kube/yaml/documents.ts';
import { renderedByKubectl } from '../deploy/kubectl.ts';
import { readPage } from '../e2e/support/documents.ts';

/** What is written, what kubectl reads, and what kustomize makes of it. */
const rows = [...readPage('docs/how-to/gitops.md').matchAll(/^\| `([^`]*)` \| `([^`]*)` \| `([^`]*)` \|$/gm)].map(
  (row) => row.slice(1),
);
const written = rows.map(([text]) => text);

test('kubectl reads them so', () => {
  expect(rows.length).toBeGreaterThan(5);
  expect(written.map((text) => readDocuments(`a: ${text}`))).toEqual(
    rows.map(([, json = '']) => [{ a: JSON.parse(json) as unknown }]),
  );
});

test('kustomize makes this of them', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'values-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'kustomization.yaml'), 'resources: [object.yaml]\n');
  const args = written.map((text) => `    - ${text}\n`).join('');
  const head = 'apiVersion: dataprocessing.dev/v1alpha1\nkind: JobExecution\nmetadata:\n  name: x\n';
  await writeFile(join(folder, 'object.yaml'), `${head}spec:\n  args:\n${args}`);
  const [rendered] = await renderedByKubectl(folder, skip);
  expect(rendered?.['spec']).toEqual({ args: rows.map(([, , json = '']) => JSON.parse(json) as unknown) });
});
