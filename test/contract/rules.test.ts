// The rules that the suite cites: each is on the page, and a failure is told with what the page says.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { citationsOf, page, readSections, ruleOf, sectionOf } from './foreign/command/rules.ts';

const root = join(import.meta.dirname, '..', '..');
const sections = readSections(readFileSync(join(root, page), 'utf8'));

/** Titles of tests, with the file that each is in. */
const titles = globSync('test/contract/sections/*/*.test.ts', { cwd: root }).flatMap((path) => {
  const found = readFileSync(join(root, path), 'utf8').matchAll(
    /(?:describe|test|\]\))[^\n'`]*\(\s*['`]([^\n]*?)['`],/g,
  );
  return [...found].map(([, title = '']) => ({ path, title }));
});

describe('the rules that tests cite', () => {
  const cited = titles.flatMap(({ path, title }) => citationsOf(`section ${sectionOf(path)}: ${title}`));
  const places = new Set(cited.flatMap(({ section, rule }) => (rule === undefined ? [] : [`${section} rule ${rule}`])));

  test('are on the page', () => {
    const known = [...sections].flatMap(([section, { rules }]) =>
      [...rules.keys()].map((rule) => `${section} rule ${rule}`),
    );
    expect(places.size).toBeGreaterThan(30);
    expect([...places].filter((place) => !known.includes(place))).toEqual([]);
  });

  test('are all there are: no rule is without a test', () => {
    for (const [section, { rules }] of sections)
      for (const rule of rules.keys()) expect(places).toContain(`${section} rule ${rule}`);
  });
});

describe('a failure', () => {
  const path = 'test/contract/sections/clusters/section-4-2-images.test.ts';

  test.each([
    ['section 4.2 rule 5: POST > a name', 'section 4.2 rule 5: After DELETE, the image is no longer in the list.'],
    ['section 4.2: tags > rule 2: gone', 'section 4.2 rule 2: After untag, the removed tags are in neither.'],
    [
      'section 4.2 rule 5: a > section 9 rule 1: b',
      'section 9 rule 1: Both versions are there, and show the same objects.',
    ],
    ['without any', 'section 4.2: Image registry'],
  ])('of %j cites one line', (name, line) => {
    expect(ruleOf(sections, path, name)).toBe(`${page}, ${line}`);
  });

  test('of a test of releases cites the page that documents them', () => {
    const line = ruleOf(sections, 'test/contract/releases/jobs/upstream-job-fields.test.ts', 'section 2 of it');
    expect(line).toMatch(/^src\/service\/README\.md: /);
  });
});
