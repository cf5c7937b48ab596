// The table of the versions of Spark is what the service does.
import { expect, test } from 'vitest';
import { sparkReleases } from '../../src/service/engines/spark/releases.ts';
import { readPage } from '../e2e/support/documents.ts';

const rowsOf = (page: string): readonly string[] => {
  const [, table = ''] = /<!-- spark versions -->\n([^]*?)<!-- end of spark versions -->/.exec(page) ?? [];
  return table.trim().split('\n').slice(2);
};

test('the versions of Spark are documented with what each needs', () => {
  const expected = sparkReleases.map(({ version, newestJava, oldestPython, scala, lacksS3 }, index) => [
    `${version}${index === 0 ? ' (default)' : ''}`,
    newestJava === undefined ? '17 or newer' : newestJava === 17 ? '17' : `17 to ${newestJava}`,
    `${oldestPython} or newer`,
    scala,
    lacksS3 === true ? 'no' : expect.stringMatching(/^`hadoop-aws` 3\.[45]\.\d$/),
    expect.stringContaining('`Spark`, `Hive`'),
  ]);
  const rows = rowsOf(readPage('docs/how-to/bundled-service/real-jobs.md'));
  expect(
    rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  ).toEqual(expected);
});
