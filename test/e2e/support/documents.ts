// The YAML that documents show, and their kustomizations as files.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { repository } from './installation.ts';

/** All of a text in Markdown, also what is indented with the item of a list. */
export function yamlIn(text: string): readonly Manifest[] {
  const blocks = text.matchAll(/^( *)```yaml\n(.*?)^\1```$/gms);
  return [...blocks].flatMap(([, indent = '', block = '']) =>
    parseAllDocuments(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).map((each) => each.toJS() as Manifest),
  );
}

export const isKustomization = ({ kind, apiVersion }: Manifest): boolean =>
  kind === 'Kustomization' && apiVersion.startsWith('kustomize.config.k8s.io/');

/** A folder with a kustomization, which the documents have beside a checkout. */
export async function place(kustomization: Manifest): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'documented-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const text = JSON.stringify(kustomization).replaceAll('../dataprocessing-operator', relative(folder, repository));
  await writeFile(join(folder, 'kustomization.yaml'), text);
  return folder;
}
