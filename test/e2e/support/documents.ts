// The documentation of the repository: its pages, and the blocks of code in them.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../dev/demo/manifests.ts';
import { repository } from './installation.ts';

/** Every page in Markdown, by its path below the root. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'src/service/README.md',
  'deploy/helm/dataprocessing-operator/README.md',
  ...readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
];

export const readPage = (page: string): string => readFileSync(join(repository, page), 'utf8');

/** The blocks of a language, without the indentation of the list item that they belong to. */
export function blocksIn(text: string, language: string): readonly string[] {
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\``, 'gms'));
  return [...blocks].map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The commands of the shell, with continued lines joined. */
export const commandsIn = (text: string): readonly string[] =>
  blocksIn(text, 'sh').flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );

export const yamlIn = (text: string): readonly Manifest[] =>
  blocksIn(text, 'yaml').flatMap((block) => parseAllDocuments(block).map((each) => each.toJS() as Manifest));

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
