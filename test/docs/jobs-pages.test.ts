// The pages on jobs answer one question each: none is long, and the overview has all of them by their titles.
import { describe, expect, test } from 'vitest';
import { pages, readPage } from '../e2e/support/documents.ts';

const folder = 'docs/concepts/jobs/';
const parts = pages.filter((page) => page.startsWith(folder));
const titleOf = (page: string): string => /^# (.*)\n/.exec(readPage(page))?.[1] ?? '';

test('the overview names every page with its title', () => {
  const links = [...readPage('docs/concepts/jobs.md').matchAll(/^\| \[(.*)\]\(jobs\/(.*)\) \|/gm)];
  expect(links.length).toBeGreaterThan(5);
  const listed = Object.fromEntries(links.map(([, title, name]) => [`${folder}${name}`, title]));
  expect(listed).toEqual(Object.fromEntries(parts.map((page) => [page, titleOf(page)])));
});

describe.each(['docs/concepts/jobs.md', ...parts])('%s', (page) => {
  test('has at most 8 KB', () => {
    expect(Buffer.byteLength(readPage(page))).toBeLessThan(8192);
  });
});
