// The page on architecture names every folder, and only folders and files that there are.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource } from '../architecture/source.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The rows of the table in a section, without its head. */
const rowsOf = (heading: string): readonly (readonly string[])[] =>
  sectionOf(heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const guideOf = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

/** The paths that it and the guides name in full, without those of the engine that a reader is to add. */
const paths = [page, guideOf('add-an-engine.md'), guideOf('add-a-kind.md')]
  .flatMap((text) => [...text.matchAll(/`((?:src|dev|test|examples|docs|deploy)(?:\/[\w.-]+)*)`/g)])
  .map(([, path = '']) => path)
  .filter((path) => !/\/toy\b/.test(path));

function foldersBelow(folder: string): readonly string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const parents = files.map((path) => dirname(`${folder}/${path}`));
  // Engines are in their registry.
  const isEngine = (path: string) => existsSync(join(root, path, 'entry.ts'));
  return [...new Set(parents)].filter((path) => !path.includes('/modules/') && !isEngine(path)).sort();
}

const rows = rowsOf('Folders').map(([cell = '', text = '']) => [cell.replaceAll('`', ''), text] as const);

/** The row of the folder itself, or of the nearest one above it. */
const rowAbove = (path: string) =>
  rows
    .filter(([folder]) => path === folder || path.startsWith(`${folder}/`))
    .toSorted(([a], [b]) => b.length - a.length)[0];

/** It has a row, or the row above it has each of the names between them. */
function isNamed(path: string): boolean {
  const [folder = '', text = ''] = rowAbove(path) ?? [];
  const names = path.slice(folder.length).split('/').slice(1);
  return folder !== '' && names.every((name) => text.includes(`\`${name}\``));
}

/** The imports between the folders directly below a folder. */
function arrowsBetween(folder: string): readonly string[] {
  const arrows = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readSource(`${folder}/${path}`, readFileSync(join(root, folder, path), 'utf8')))
    .flatMap(({ path, imports }) => imports.map(({ target }) => [path, target]))
    .filter((ends) => ends.every((path) => path.startsWith(`${folder}/`)))
    .map((ends) => ends.map((path) => path.slice(folder.length + 1).split('/')[0]))
    .filter(([from, to]) => from !== to)
    .map((ends) => ends.join(' --> '));
  return [...new Set(arrows)].sort();
}

describe('the folders', () => {
  test('are all there', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThanOrEqual(25);
    expect(rows.filter(([path]) => !statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory())).toEqual([]);
  });

  test.each(['src', 'dev'])('below %s are named, in a row of their own or in that of their parent', (folder) => {
    expect(foldersBelow(folder).filter((path) => path !== 'src' && !isNamed(path))).toEqual([]);
  });

  test('have a text each', () => {
    expect(rows.filter(([, text]) => !/^[A-Z`].{10,}\.$/.test(text))).toEqual([]);
  });
});

test('every path is there', () => {
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the short paths of the pass are there', () => {
  const short = [
    ...sectionOf('One reconciliation').matchAll(/`((?:kube|controller|reconcile)\/[\w.-]+(?:\/[\w.-]+)*)`/g),
  ];
  expect(short.length).toBeGreaterThan(8);
  expect(short.map(([, path = '']) => path).filter((path) => !existsSync(join(root, 'src/operator', path)))).toEqual(
    [],
  );
});

test('every question has a file that answers it', () => {
  const rows = rowsOf('Where would I look for ...?');
  expect(rows.length).toBeGreaterThanOrEqual(15);
  const wrong = rows.filter(([, cell = '']) => !/^`[\w./-]+\.ts`$/.test(cell));
  expect(wrong).toEqual([]);
});

test('the picture of the rooms has an arrow for each import between them, and for no other', () => {
  const drawn = [...sectionOf('The rooms of the service').matchAll(/^ {2}(\w+) --> (.+)$/gm)].flatMap(
    ([, from, to = '']) => to.split(' & ').map((room) => `${from} --> ${room}`),
  );
  expect(drawn.toSorted()).toEqual(arrowsBetween('src/service'));
});

test('the glossary is in order, and explains each word once', () => {
  const words = rowsOf('Glossary').map(([word = '']) => word);
  expect(words).toEqual([...new Set(words)].sort((one, other) => one.localeCompare(other, 'en')));
  expect(rowsOf('Glossary').filter(([, meaning = '']) => !meaning.endsWith('.'))).toEqual([]);
});

test('the links lead somewhere', () => {
  const links = [...page.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(root, 'docs', link)))).toEqual([]);
});
