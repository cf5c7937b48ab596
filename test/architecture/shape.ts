// Names, forms and sizes: what the house style asks of every file, as far as a machine can tell.
import { childrenOf, isNode, lineOf, type Node, nodesOf, type Source } from './source.ts';

export const limits = { functionLines: 40, parameters: 3, nesting: 3, folderFiles: 14 } as const;

const typeNodes = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']);
const badTypeName = /(Manager|Helpers?|Utils?|Base)$|^Base[A-Z]|^I[A-Z][a-z]/;

export function styleViolations(source: Source): readonly string[] {
  const at = (node: Node, what: string) => `${source.path}:${lineOf(source, node.start)} ${what}`;
  const found = nodesOf(source.tree).flatMap((node) => {
    if (node.type === 'TSEnumDeclaration') return [at(node, 'declares an enum')];
    if (node.type === 'ExportDefaultDeclaration') return [at(node, 'has a default export')];
    if (typeNodes.has(node.type) && badTypeName.test(typeName(node)))
      return [at(node, `names a type ${typeName(node)}`)];
    return [];
  });
  return [
    ...fileViolations(source),
    ...found,
    ...otherFunctions(source).map((node) => at(node, 'is in the other style')),
  ];
}

const arrowFolders = /^src\/(operator\/(api|kinds)|wire)\//;
const declaringFolders = /^src\/(operator|kube|cli)\//;

/**
 * Functions of a file that are not written as those of its folder. Files that are mostly data (schemas, mappings, tables) have arrows, all
 * others declarations. Only a declaration can yield or have overloads, and only a variable can have the type of a function.
 */
function otherFunctions({ path, tree }: Source): readonly Node[] {
  const body = (tree['body'] as readonly Node[]).map((node) =>
    isNode(node['declaration']) ? node['declaration'] : node,
  );
  const isOverloaded = body.some(({ type }) => type === 'TSDeclareFunction');
  if (arrowFolders.test(path))
    return body.filter((node) => node.type === 'FunctionDeclaration' && node['generator'] !== true && !isOverloaded);
  return declaringFolders.test(path) ? body.filter(isArrow) : [];
}

function isArrow(node: Node): boolean {
  const [one] = node.type === 'VariableDeclaration' ? (node['declarations'] as readonly Node[]) : [];
  const [id, init] = [one?.['id'], one?.['init']];
  return isNode(init) && init.type === 'ArrowFunctionExpression' && isNode(id) && !isNode(id['typeAnnotation']);
}

/** Type names that a program declares more than once, each with its files: one word has one meaning. */
export function repeatedTypes(sources: readonly Source[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const source of sources)
    for (const node of nodesOf(source.tree))
      if (typeNodes.has(node.type)) places.set(typeName(node), [...(places.get(typeName(node)) ?? []), source.path]);
  return [...places].flatMap(([name, paths]) => (paths.length > 1 ? [`${name}: ${paths.join(', ')}`] : []));
}

/** Folders with more files than a newcomer looks through. */
export function folderViolations(sources: readonly Source[]): readonly string[] {
  const files = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...files].flatMap(([folder, { length }]) =>
    length > limits.folderFiles ? [`${folder} has ${length} files`] : [],
  );
}

const typeName = (node: Node): string => (node['id'] as { readonly name?: string } | null)?.name ?? '';

function fileViolations({ path, text, tree }: Source): readonly string[] {
  const body = tree['body'] as readonly Node[];
  const passesOn = body.length > 0 && body.every(({ type, source }) => type.startsWith('Export') && isNode(source));
  return [
    ...(/(^|\/)[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path) ? [] : [`${path} is not named in kebab-case`]),
    ...(/^(#![^\n]*\n)?\/\/ [^\n]*\S/.test(text) ? [] : [`${path} does not begin with a comment that says its job`]),
    ...(passesOn && path !== 'src/operator/kinds/index.ts' ? [`${path} only passes on what other files export`] : []),
  ];
}

export interface Measure {
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
  readonly nesting: number;
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const nests = new Set([
  'IfStatement',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
]);

/** Every function of a file, also those inside others. */
export function measure(source: Source): readonly Measure[] {
  return nodesOf(source.tree)
    .filter(({ type, body }) => functions.has(type) && isNode(body))
    .map((node) => ({
      name: `${source.path}:${lineOf(source, node.start)}`,
      lines: lineOf(source, node.end) - lineOf(source, node.start) + 1,
      parameters: (node['params'] as readonly unknown[]).length,
      nesting: nesting(node['body'] as Node),
    }));
}

/** How deep statements stand inside each other; inner functions count for themselves, `else if` stays level. */
function nesting(node: Node, isElse = false): number {
  if (functions.has(node.type)) return 0;
  const own = nests.has(node.type) && !isElse ? 1 : 0;
  const below = childrenOf(node).map((child) =>
    nesting(child, child.type === 'IfStatement' && node['alternate'] === child),
  );
  return own + Math.max(0, ...below);
}

export function sizeViolations(source: Source): readonly string[] {
  const long = measure(source).filter(({ lines }) => lines > limits.functionLines);
  return long.map(({ name, lines }) => `${name} a function of ${lines} lines`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
