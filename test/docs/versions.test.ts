// YAML reads a version such as 3.10 as the number 3.1, so the manifests of examples and documentation quote every version.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isPair, isScalar, parseAllDocuments, visit } from 'yaml';
import { blocksIn, pages, readPage } from '../e2e/support/documents.ts';

const root = join(import.meta.dirname, '..', '..');
const keys: readonly unknown[] = [
  'bigdataVersion',
  'bigdata_version',
  'version',
  'tags',
  'required_image_tags',
  'newTag',
];

/** Values of these keys that begin like a version and are not in quotes. */
function unquotedIn(yaml: string): readonly string[] {
  const found: string[] = [];
  for (const document of parseAllDocuments(yaml)) {
    visit(document, {
      Scalar(key, node, path) {
        const owner = path.findLast(isPair);
        if (key === 'key' || !isScalar(owner?.key) || !keys.includes(owner.key.value)) return;
        if (/^v?\d/.test(String(node.source)) && node.type === 'PLAIN') found.push(String(node.source));
      },
    });
  }
  return found;
}

const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join('examples', name));
const sources = [
  ...examples.map((name) => [name, [readFileSync(join(root, name), 'utf8')]] as const),
  ...pages.map((name) => [name, blocksIn(readPage(name), 'yaml')] as const),
].filter(([, blocks]) => blocks.length > 0);

test.each(sources)('%s quotes its versions', (_, blocks) => {
  expect(blocks.flatMap(unquotedIn)).toEqual([]);
});

test('examples and pages with manifests are found', () => {
  expect(examples.length).toBeGreaterThan(8);
  expect(sources.length - examples.length).toBeGreaterThan(8);
});

describe('an unquoted version is found', () => {
  test.each([
    ['bigdataVersion: 3.10', ['3.10']],
    ['spec:\n  tags: [vanilla, 1.2.1]', ['1.2.1']],
    ['spec:\n  tags:\n    - 2', ['2']],
    ['- version: 3.3.6\n  count: 3', ['3.3.6']],
    ['bigdataVersion: "3.10"\ntags: [vanilla, "3.10"]\ncount: 3', []],
  ])('in %j', (yaml, versions) => {
    expect(unquotedIn(yaml)).toEqual(versions);
  });
});
