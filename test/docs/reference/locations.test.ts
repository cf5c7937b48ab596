// The table of URLs by dialect in the documentation is the one that the operator decides by.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schemes } from '../../../src/operator/kinds/job-binary/locations.ts';
import { dialectName, dialects } from '../../../src/wire/dialect.ts';

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || 'none';

test.each(dialects)('the row of the dialect %s', (dialect) => {
  const { carried, bundled } = schemes[dialect];
  const row = `| \`${dialectName(dialect)}\` | ${listed(carried)} | ${listed(bundled)} |`;
  expect(readFileSync('docs/concepts/jobs/files.md', 'utf8').split('\n')).toContain(row);
});
