// The page that explains the reasons knows all of them, and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Definition } from '../../../src/operator/api/definition.ts';
import { blockerMeanings, eventMeanings } from '../../../src/operator/api/meanings.ts';
import { conditionReasons } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'reasons.md'), 'utf8');

/** The rows of the table under a heading, as their cells. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const lines = text.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const word = (cell: string | undefined): string => cell?.replaceAll('`', '') ?? '';
const firstWords = (heading: string): readonly string[] => rowsUnder(heading).map(([cell]) => word(cell));

test('of Ready', () => {
  expect([...firstWords('Condition Ready')].sort()).toEqual([...conditionReasons.Ready].sort());
});

test('of the other conditions', () => {
  const { Ready: _ready, Stalled: _stalled, ...others } = conditionReasons;
  const listed = rowsUnder('The other conditions').map(([type, reason]) => `${word(type)} ${word(reason)}`);
  const known = Object.entries(others).flatMap(([type, reasons]) => reasons.map((reason) => `${type} ${reason}`));
  expect([...listed].sort()).toEqual([...known].sort());
});

test('of those who are waited for', () => {
  expect([...firstWords('status.blockedOn')].sort()).toEqual(Object.keys(blockerMeanings).sort());
});

test('what kubectl get shows of them', () => {
  const [line = ''] = page.match(/^kubectl get dataprocessing +#.*$/m) ?? [];
  const without = (definitions as readonly Definition[]).filter(
    ({ columns }) => !columns.some(({ name, wide }) => name === 'Reason' && !wide),
  );
  const [, exceptions = ''] = /Ready and its reason(.*)/.exec(line) ?? [];
  expect(line).toContain('Ready and its reason');
  expect(exceptions.match(/\b[A-Z]\w+/g) ?? []).toEqual(without.map(({ kind }) => kind));
});

test('each has a meaning and a remedy', () => {
  const cells = ['Condition Ready', 'The other conditions', 'status.blockedOn'].flatMap(rowsUnder).flat();
  expect(cells.filter((cell) => cell === '')).toEqual([]);
});

test('the operator has a use for each', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter(
    (path) =>
      path.endsWith('.ts') &&
      path !== 'operator/api/shared-api.ts' &&
      path !== 'operator/api/meanings.ts' &&
      !path.startsWith('service/'),
  );
  const code = sources.map((path) => readFileSync(join(root, 'src', path), 'utf8')).join('\n');
  const words = [
    ...Object.values(conditionReasons).flat(),
    ...Object.keys(blockerMeanings),
    ...Object.keys(eventMeanings),
  ];
  expect(words.filter((one) => !code.includes(`'${one}'`))).toEqual([]);
});
