// The page on security names a test for each thing that somebody cannot do, and every one of them is there.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Names of the files that another one of the tests imports. */
const imported = new Set(
  globSync('test/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/from '[^']*?([^/']+\.ts)(?:\?collected)?'/g)].map(
      ([, name = '']) => name,
    ),
  ),
);

test('there is a row for each actor of the threat model', () => {
  const actors = rows.map(([actor]) => actor).filter((actor) => actor !== '' && actor !== '|');
  expect(actors).toEqual([
    'User with the role `view`',
    'User with the role `edit`',
    'User with the role `edit` in a namespace that shares a connection',
    'User who may create Connections and Secrets',
    'Hostile service',
    'Hostile network',
    "Thief of the operator's token",
    'Thief of the Kubernetes token of the bundled service',
    'Tenant of the bundled service',
    'API server that restarts, refuses, answers late or not at all',
    'Volume of the bundled service that is full, or loses power',
    'User who may delete Jobs or pods in the namespace of a cluster',
    'Tenant of the bundled service, with clusters in pods',
    'Anybody without a token',
    'Program of a job in a pod',
  ]);
});

test.each(rows.map((row) => [row.at(-1) ?? '', row] as const))('%s', (cell) => {
  const [, file, title] = /^`([^`]+)`: `([^`]+)`$/.exec(cell) ?? [];
  expect([file, title]).not.toContain(undefined);
  expect(readFileSync(join(root, file ?? ''), 'utf8')).toContain(title);
  expect(file?.endsWith('.test.ts') || imported.has(basename(file ?? '')), 'no test has its tests').toBe(true);
});

const provisioners = readFileSync(join(root, 'docs', 'concepts', 'provisioners.md'), 'utf8');
const [, guarantees = ''] = provisioners.split('\n## What the service guarantees\n');
const shown = (guarantees.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| .*`\S.*` \|$/.test(line))
  .map((line) => line.slice(2, -2).split(' | ').at(-1) ?? '');

test('the page on provisioners names a test for each guarantee', () => {
  const [, table = ''] = /\|---\|---\|\n((?:\|.*\n)*)/.exec(guarantees) ?? [];
  expect(shown.length).toBeGreaterThan(15);
  expect(shown).toHaveLength(table.trim().split('\n').length);
});

/** Within the name of a suite or a test, or across both, as in `a launch keeps its signal`. */
function isTitle(title: string, source: string): boolean {
  const names = [...source.matchAll(/\b(?:describe|test)\b[^'`\n]*['`]([^\n]*?)['`],/g)].map(([, name = '']) => name);
  const words = title.split(' ');
  return words.some((_, index) => {
    const [suite, rest] = [words.slice(0, index).join(' '), words.slice(index).join(' ')];
    return (
      names.some((name) => name.endsWith(suite)) &&
      names.some((name) => name.startsWith(rest) || (index === 0 && name.includes(rest)))
    );
  });
}

test.each(shown)('a guarantee of provisioners: %s', (cell) => {
  const [, path = 'test/service/provisioning/misbehaving.test.ts', title] =
    /^(?:`(test\/[^`]+)`)?(?:: )?(?:`([^`]+)`)?$/.exec(cell) ?? [];
  const source = readFileSync(join(root, path), 'utf8');
  // A whole file only with its path.
  expect(title === undefined ? cell.includes(path) : isTitle(title, source), cell).toBe(true);
});
