// The guides to engines and kinds name each member that the contracts require, so that a reader who follows them forgets none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNode, type Node, nodesOf, readSource } from '../architecture/source.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const nameOf = (node: unknown): string => (isNode(node) ? String(node['name']) : '');
const membersOf = (node: Node): readonly Node[] =>
  isNode(node['body']) ? (node['body']['body'] as readonly Node[]) : [];

/** The members of an interface of the file that have no question mark, without those of the interfaces that it extends. */
function requiredOf(path: string, name: string): readonly string[] {
  const found = nodesOf(readSource(path, textOf(path)).tree).find(
    ({ type, id }) => type === 'TSInterfaceDeclaration' && nameOf(id) === name,
  );
  if (found === undefined) throw new Error(`${path} has no interface ${name}`);
  return membersOf(found)
    .filter(({ optional }) => optional !== true)
    .map(({ key }) => nameOf(key));
}

const engines = 'src/service/engines';
const kind = 'src/operator/reconcile/kind/kind.ts';

test.each([
  ['add-an-engine.md', `${engines}/homes/engine-source.ts`, 'EngineSource'],
  ['add-an-engine.md', `${engines}/engine.ts`, 'Engine'],
  ['add-an-engine.md', `${engines}/engine.ts`, 'EngineProcess'],
  ['add-an-engine.md', `${engines}/engine.ts`, 'EngineJob'],
  ['add-an-engine.md', `${engines}/engine-entry.ts`, 'EngineEntry'],
  ['add-a-kind.md', kind, 'CommonKind'],
  ['add-a-kind.md', kind, 'ChangingKind'],
  ['add-a-kind.md', kind, 'NamedKind'],
  ['add-a-kind.md', kind, 'ContentKind'],
  ['add-a-kind.md', kind, 'GivenKind'],
  ['add-a-kind.md', kind, 'RunKind'],
])('%s names what %s requires of %s', (guide, path, name) => {
  const text = textOf(`docs/${guide}`);
  const required = requiredOf(path, name);
  expect(required.length).toBeGreaterThan(0);
  expect(required.filter((member) => !text.includes(`\`${member}\``))).toEqual([]);
});
