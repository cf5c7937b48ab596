// Reads TypeScript files for the rules of the architecture: imports, functions and the syntax tree itself.
import { posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** A node of the syntax tree (ESTree with TypeScript). */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Import {
  /** As written: `../api/common.ts`, `zod`, `node:crypto`. */
  readonly specifier: string;
  /** Path from the root of the repository, or the name of a package. */
  readonly target: string;
  readonly typeOnly: boolean;
  /** Imported names; empty for `import()` and `import '...'`. */
  readonly names: readonly string[];
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly tree: Node;
  readonly imports: readonly Import[];
}

export function readSource(path: string, text: string): Source {
  const tree = parseAst(text, { lang: 'ts' }, path) as unknown as Node;
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { path, text, lines, tree, imports: nodesOf(tree).flatMap((node) => importOf(path, node)) };
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** The node and everything below it; `enter` may keep the search out of a node. */
export function nodesOf(node: Node, enter: (node: Node) => boolean = () => true): readonly Node[] {
  return [node, ...childrenOf(node).flatMap((child) => (enter(child) ? nodesOf(child, enter) : []))];
}

export const lineOf = (source: Source, offset: number): number => source.text.slice(0, offset).split('\n').length;

function importOf(path: string, node: Node): readonly Import[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return found(path, node['source'], { typeOnly: onlyTypes(node, 'importKind'), names: namesOf(node, 'imported') });
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return found(path, node['source'], { typeOnly: onlyTypes(node, 'exportKind'), names: namesOf(node, 'local') });
    case 'ImportExpression':
      return found(path, node['source'], { typeOnly: false, names: [] });
    case 'TSImportType':
      return found(path, node['source'] ?? node['argument'], { typeOnly: true, names: [] });
    default:
      return [];
  }
}

function found(path: string, source: unknown, rest: Pick<Import, 'typeOnly' | 'names'>): readonly Import[] {
  if (!isNode(source)) return [];
  const specifier = String(source['value'] ?? (source['literal'] as Node | undefined)?.['value']);
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : packageOf(specifier);
  return [{ specifier, target, ...rest }];
}

const packageOf = (specifier: string): string =>
  specifier.startsWith('node:') ? specifier : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const specifiersOf = (node: Node): readonly Node[] => (node['specifiers'] as readonly Node[] | undefined) ?? [];

function onlyTypes(node: Node, kind: 'importKind' | 'exportKind'): boolean {
  const specifiers = specifiersOf(node);
  return node[kind] === 'type' || (specifiers.length > 0 && specifiers.every((each) => each[kind] === 'type'));
}

const namesOf = (node: Node, side: 'imported' | 'local'): readonly string[] =>
  specifiersOf(node).map((each) => (each[side] as { readonly name?: string } | undefined)?.name ?? '*');
