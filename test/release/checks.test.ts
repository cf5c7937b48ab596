// What keeps a checkout from being released, and what the changelog says.
import { describe, expect, test } from 'vitest';
import { newestOf } from '../../dev/release/changelog.ts';
import { type Checkout, judge } from '../../dev/release/checks.ts';

const ready: Checkout = {
  version: '1.2.3',
  chart: ['1.2.3', '1.2.3'],
  changelog: { version: '1.2.3', date: '2026-11-25' },
  images: ['localhost/operator:1.2.3'],
  changes: '',
  tags: ['v1.2.2', ''],
};

test('a checkout that is ready', () => {
  expect(judge(ready)).toEqual([]);
});

test.each([
  [{ chart: ['1.2.3', '1.2.2'] }, 'Chart.yaml has 1.2.3 and 1.2.2, package.json has 1.2.3'],
  [{ changelog: { version: '1.2.2', date: '2026-11-01' } }, 'the newest entry of CHANGELOG.md is 1.2.2, not 1.2.3'],
  [{ changelog: { version: '1.2.3', date: undefined } }, 'CHANGELOG.md has no date for 1.2.3: add it to the heading'],
  [{ images: ['a:1.2.3', 'b:1.2.2'] }, 'a manifest has the image b:1.2.2, not 1.2.3'],
  [{ changes: ' M README.md\n' }, 'the checkout has changes that are not committed: commit them'],
  [{ changes: undefined }, 'the checkout is no git repository'],
  [{ tags: ['v1.2.3'] }, 'the tag v1.2.3 exists: choose another version'],
] satisfies readonly (readonly [Partial<Checkout>, string])[])('%j is not', (other, trouble) => {
  expect(judge({ ...ready, ...other })).toEqual([trouble]);
});

describe('the newest entry', () => {
  const changelog =
    '# Changelog\n\nText.\n\n## [0.2.0] - unreleased\n\n### Added\n\n- A.\n\n## [0.1.0] - 2026-11-22\n\n- B.\n';

  test('before its release', () => {
    expect(newestOf(changelog)).toEqual({ version: '0.2.0', date: undefined, text: '### Added\n\n- A.' });
  });

  test('after it, and as the only one', () => {
    const released = changelog.slice(changelog.indexOf('## [0.1.0]'));
    expect(newestOf(released)).toEqual({ version: '0.1.0', date: '2026-11-22', text: '- B.' });
  });

  test('where there is none', () => {
    expect(newestOf('# Changelog\n')).toBeUndefined();
  });
});
