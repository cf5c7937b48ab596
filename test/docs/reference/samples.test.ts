// Samples of output in the documentation: their tables are those of the CRDs, and how they are compared with what is printed.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { pages, readPage } from '../../e2e/support/documents.ts';
import { patternOfSample, samplesIn } from '../../e2e/support/samples.ts';

interface Column {
  readonly name: string;
  readonly priority?: number;
}
interface Crd {
  readonly spec: { readonly versions: readonly { readonly additionalPrinterColumns: readonly Column[] }[] };
}

/** What kubectl prints above the objects of each kind, also with `-o wide`. */
const headings = readdirSync('crds')
  .filter((name) => name.includes('.dataprocessing.dev.'))
  .flatMap((name) => {
    const { spec } = parse(readFileSync(`crds/${name}`, 'utf8')) as Crd;
    const columns = spec.versions[0]?.additionalPrinterColumns ?? [];
    const usual = columns.filter(({ priority = 0 }) => priority === 0);
    return [usual, columns].map((each) => ['NAME', ...each.map((column) => column.name.toUpperCase())].join('  '));
  });

/** Each heading of a table, with the rows below it. Pods are not of our kinds. */
const tables = pages.flatMap((page) =>
  samplesIn(readPage(page)).flatMap(({ output }) =>
    output
      .split(/\n\s*\n/)
      .map((part) => part.split('\n').filter((line) => line.trim() !== '…'))
      .flatMap((lines) => {
        const start = lines.findIndex((line) => /^ *NAME {2}/.test(line));
        return start < 0 || /RESTARTS/.test(lines[start] ?? '') ? [] : [{ page, lines: lines.slice(start) }];
      }),
  ),
);

const isRow = (line: string): boolean => /^ *\S+ {2,}/.test(line);

describe('the tables of kubectl in samples', () => {
  test('are found', () => {
    expect(tables.length).toBeGreaterThan(8);
  });

  test.each(tables)('$page: the columns are those of a kind', ({ lines: [heading = ''] }) => {
    expect(headings).toContain(heading.trim().replaceAll(/ {2,}/g, '  '));
  });

  test.each(tables)(
    '$page: what is in a row is below the heading of its column',
    ({ lines: [heading = '', ...rows] }) => {
      const starts = [...heading.matchAll(/(?<=^ *| {2,})\S/g)].map(({ index }) => index);
      const shown = rows.filter(isRow);
      expect(shown.length).toBeGreaterThan(0);
      for (const row of shown)
        for (const { index } of row.matchAll(/(?<=^ *| {2,})\S/g)) expect(starts, row).toContain(index);
    },
  );
});

describe('a sample', () => {
  test.each([
    ['spark   True   3m10s', 'spark      True   Ready? no\nspark  True    4s  \n'],
    ['first\n…\nlast', 'first\none\ntwo\nlast\n'],
    ['first\n…\nlast', 'first\nlast\n'],
    ['export KUBECONFIG=…/admin.kubeconfig', 'before\nexport KUBECONFIG=/tmp/x-1/admin.kubeconfig\nafter\n'],
    ['wordcount-29453820   7s', 'wordcount-29931416   1m37s\n'],
    ['The master at http://127.77.1.1:8080 has 2 workers.', 'The master at http://127.41.224.1:8080 has 2 workers.\n'],
    ['Ready, 10 s after it was applied.', 'Ready, 121 s after it was applied.\n'],
    ['- * * * 4/4 (a)', '-  * * *  4/4 (a)\n'],
  ])('%j is in what is printed', (sample, printed) => {
    expect(printed).toMatch(patternOfSample(sample));
  });

  test.each([
    ['spark   True   4/4', 'spark   True   3/3\n'],
    ['spark   True', 'spark   True   Available\n'],
    ['first\nlast', 'first\nmiddle\nlast\n'],
    ['first\n…\nlast', 'last\nfirst\n'],
    ['a.b', 'axb\n'],
    ['has 2 workers.', 'it has 2 workers.\n'],
    ['Spark 4.1.2', 'Spark 4.1.3\n'],
  ])('%j is not in %j', (sample, printed) => {
    expect(printed).not.toMatch(patternOfSample(sample));
  });

  test('is found with the commands that it follows', () => {
    const page =
      '```sh\nkubectl get a\n```\n\n   ```console\n   NAME\n   ```\n\n```console\n$ kubectl get b\nNAME\n```\n';
    expect(samplesIn(page)).toEqual([
      { commands: 'kubectl get a\n', output: 'NAME' },
      { commands: 'kubectl get b', output: 'NAME' },
    ]);
  });
});
