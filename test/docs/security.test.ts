// The page on security names a test for each thing that somebody cannot do, and every one of them is there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'concepts', 'security.md'), 'utf8');
const [, section = ''] = page.split('\n## Who can do what\n');
const [table = ''] = section.split('\n## ');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));

test('there is a row for each actor of the threat model', () => {
  const actors = rows.map(([actor]) => actor).filter((actor) => actor !== '' && actor !== '|');
  expect(actors).toEqual([
    'User with the role `view`',
    'User with the role `edit`',
    'User who may create Connections and Secrets',
    'Hostile service',
    'Hostile network',
    "Thief of the operator's token",
    'API server that restarts, refuses, answers late or not at all',
    'User who may delete Jobs or pods in the namespace of a cluster',
    'Tenant of the bundled service, with clusters in pods',
    'Program of a job in a pod',
  ]);
});

test.each(rows.map((row) => [row.at(-1) ?? '', row] as const))('%s', (cell) => {
  const [, file, title] = /^`([^`]+)`: `([^`]+)`$/.exec(cell) ?? [];
  expect([file, title]).not.toContain(undefined);
  expect(readFileSync(join(root, file ?? ''), 'utf8')).toContain(title);
});
