// Every rule, section, invariant and page that a comment cites is in the documentation.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const concepts = 'docs/concepts';
const pageOf = (name: string): string => readFileSync(join(root, concepts, name), 'utf8');

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

const sections = new Set(matches(pageOf('service-interface.md'), /^#+ ([\d.]+?)\.? /gm));
const invariants = new Set(matches(pageOf('protocol.md'), /^- \*\*([IELD]\d+)\*\*/gm));
const statusRules = new Set(matches(pageOf('status.md').split('\n## Rules\n')[1] ?? '', /^(\d+)\. /gm));

/** Under each heading of the protocol the numbers of its rules, as `Create 4`. */
const protocolRules = new Set(
  pageOf('protocol.md')
    .split('\n## ')
    .flatMap((part) => matches(part, /^(\d+)\. /gm).map((number) => `${part.split('\n')[0]} ${number}`)),
);

interface Citation {
  readonly what: string;
  readonly resolves: boolean;
}

const sectionList = /\bsections? (\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*)/gi;

/** All that a comment cites. */
function citationsOf(comment: string): readonly Citation[] {
  const cited = matches(comment, sectionList).flatMap((list) => matches(list, /(\d+(?:\.\d+)?)/g));
  const rules = [...comment.matchAll(/([\w-]+\.md),? rules? (\d+)/g)];
  const steps = matches(comment, /protocol\.md, ([A-Z][a-z]+ (?:[a-z]+ )?\d+)/g);
  return [
    ...cited.map((section) => ({ what: `section ${section}`, resolves: sections.has(section) })),
    ...rules.map(([what, page, rule = '']) => ({ what, resolves: page === 'status.md' && statusRules.has(rule) })),
    ...steps.map((what) => ({ what, resolves: protocolRules.has(what) })),
    ...matches(comment, /\b([IELD]\d{1,2})\b/g).map((what) => ({ what, resolves: invariants.has(what) })),
    ...matches(comment, /([\w./-]*\w\.md)\b/g).map((what) => ({ what, resolves: isPage(what) })),
  ];
}

/** A path from the root of the repository, or the name of a page of docs/concepts. */
const isPage = (name: string): boolean =>
  existsSync(join(root, name)) || (!name.includes('/') && existsSync(join(root, concepts, name)));

const comment = /(?<=^|\s)\/\/(?!\/)[^\n]*|\/\*[^]*?\*\//g;
/** Each comment as one line, because a citation may go on in the next. */
const commentsOf = (source: string): readonly string[] =>
  (source.match(comment) ?? []).map((text) => text.replaceAll(/\s*\n\s*\*?\s*/g, ' '));

const files = ['src', 'dev', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
);

const found = files.flatMap((path) => {
  const source = readFileSync(join(root, path), 'utf8');
  return commentsOf(source).flatMap((text) => citationsOf(text).map((citation) => ({ path, ...citation })));
});

test('the citations of comments lead somewhere', () => {
  expect(found.length).toBeGreaterThan(80);
  expect(found.filter(({ resolves }) => !resolves).map(({ path, what }) => `${path}: ${what}`)).toEqual([]);
});

test('the invariants that tests report are those of the page', () => {
  const label = /(?:breaks: |violate\(world, |over\()'([IELD]\d+)'|(?<=[`'])([IELD]\d+)(?=: )/g;
  const texts = files.filter((path) => /^test\/(exhaustive|faults|planted|simulator)\//.test(path));
  const labels = texts.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(label)].map(([, one, other]) => one ?? other ?? ''),
  );
  expect(labels.length).toBeGreaterThan(50);
  expect(labels.filter((one) => !invariants.has(one))).toEqual([]);
});

describe('the pages', () => {
  test('have the sections, rules and invariants in order', () => {
    const count = (letter: string): readonly string[] => [...invariants].filter((one) => one.startsWith(letter));
    expect([...sections]).toEqual([
      '1',
      '2',
      '3',
      '4',
      '4.1',
      '4.2',
      '4.3',
      '4.4',
      '4.5',
      '4.6',
      '5',
      '6',
      '7',
      '8',
      '9',
    ]);
    expect([...statusRules]).toEqual(Array.from({ length: 11 }, (_, index) => `${index + 1}`));
    expect([count('I').length, count('L').length, count('E').length, count('D').length]).toEqual([21, 4, 4, 1]);
    expect([...protocolRules]).toEqual(
      expect.arrayContaining(['Create 7', 'Scale 4', 'Delete 5', 'Foreign ledgers 2']),
    );
  });

  test.each(['protocol.md', 'status.md', 'service-interface.md'])('%s links to files that there are', (name) => {
    const links = matches(pageOf(name), /\]\((?!http)([^)#]+)/g);
    expect(links.filter((link) => !existsSync(join(root, concepts, link)))).toEqual([]);
  });
});

describe('a citation', () => {
  test.each([
    ['as section 4.5 of the interface has it', ['section 4.5']],
    ['the writes of sections 4.2 to 4.6, and section 2', ['section 4.2', 'section 4.6', 'section 2']],
    ['(status.md rule 9)', ['status.md rule 9', 'status.md']],
    ['protocol.md, Create 4', ['Create 4', 'protocol.md']],
    ['I7: it is released; E2 and E3', ['I7', 'E2', 'E3']],
    ['see docs/concepts/protocol.md', ['docs/concepts/protocol.md']],
  ])('is found and resolves: %s', (text, whats) => {
    const cited = citationsOf(text);
    expect(cited.map(({ what }) => what)).toEqual(whats);
    expect(cited.every(({ resolves }) => resolves)).toBe(true);
  });

  test.each([
    ['section 4.7'],
    ['sections 3 and 11.2'],
    ['status.md rule 12'],
    ['protocol.md rule 4'],
    ['protocol.md, Create 14'],
    ['I22'],
    ['design.md'],
    ['docs/nothing.md'],
  ])('that leads nowhere is found: %s', (text) => {
    expect(citationsOf(text).some(({ resolves }) => !resolves)).toBe(true);
  });
});
