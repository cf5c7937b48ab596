// What the documentation says about versions of Kubernetes is what `npm run compatibility` has found.
import { expect, test } from 'vitest';
import { compatibilityTable, countsOf } from '../../dev/compatibility-table.ts';
import { KUBERNETES_VERSIONS } from '../../dev/plane/binaries/release.ts';
import { readPage } from '../e2e/support/documents.ts';

test('the counts of a run are those of its last line', () => {
  expect(countsOf('1 passed, 1 failed, 1 skipped\n more\n\n1200 passed, 0 failed, 3 skipped\n')).toEqual({
    passed: 1200,
    failed: 0,
    skipped: 3,
  });
  expect(countsOf('1200 passed, 0 failed, 3 skipped\nError: killed\n')).toBeUndefined();
});

test('a run without an end has no counts in the table', () => {
  const runs = new Map([
    ['1.36.3', { passed: 1200, failed: 1, skipped: 3 }],
    ['1.30.14', undefined],
  ]);
  expect(compatibilityTable(runs).split('\n').slice(2)).toEqual([
    '| 1.36.3 | 1,200 | 1 | 3 |',
    '| 1.30.14 | ? | ? | ? |',
  ]);
});

const [, shown = ''] =
  /<!-- compatibility -->\n+(.*?)\n+<!-- end of compatibility -->/s.exec(readPage('docs/development.md')) ?? [];
const rows = shown
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('the documentation shows a run without failures on each version that the tests can use', () => {
  expect(rows.map(([, version, , failed]) => [version, failed])).toEqual(KUBERNETES_VERSIONS.map((one) => [one, '0']));
});

test('the README names these versions', () => {
  const minors = KUBERNETES_VERSIONS.map((version) => version.split('.').slice(0, 2).join('.'));
  const [newest = '', oldest = ''] = minors;
  expect(readPage('README.md')).toContain(`| Kubernetes | ${oldest} or newer; tested with ${oldest} and ${newest} |`);
});
