// What pure files must not hold, and where the outside world (time, chance, environment, network) may be touched at all.
import { childrenOf, isNode, lineOf, type Node, nodesOf, type Source } from './source.ts';

/** PURE by the design. Within their folders, whatever they import values from is held to the same rules. */
const declared =
  /^src\/(wire\/.*|operator\/(reconcile\/((plan|protocol|ledger|status)\/.*|outcome|requeue|plan-input|quarantine)|kinds\/[^/]+\/(mapping|report)|schedules\/(schedule-plan|schedule-executions|cron|time-zone)))\.ts$/;
const leaf = /^(src\/(operator\/api|wire|lib)\/.*|zod)$/;
const spreads = /^src\/operator\/(reconcile|kinds)\//;

export function purePaths(sources: readonly Source[]): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const pure = new Set<string>();
  const add = (path: string): void => {
    if (pure.has(path)) return;
    pure.add(path);
    const values = byPath.get(path)?.imports.filter(({ typeOnly }) => !typeOnly) ?? [];
    for (const { target } of values) if (spreads.test(target) && byPath.has(target)) add(target);
  };
  for (const { path } of sources) if (declared.test(path)) add(path);
  return pure;
}

export function purityViolations(sources: readonly Source[]): readonly string[] {
  const pure = purePaths(sources);
  return sources
    .filter(({ path }) => pure.has(path))
    .flatMap((source) => [
      ...source.imports
        .filter((each) => !each.typeOnly && !isPureImport(each, pure))
        .map(({ specifier }) => `${source.path} is pure and imports values of ${specifier}`),
      ...nodesOf(source.tree)
        .filter(isAsync)
        .map((node) => `${source.path}:${lineOf(source, node.start)} is pure and waits`),
    ]);
}

/** The same for the same bytes. */
const hashes: readonly string[] = ['createHash', 'createHmac'];

function isPureImport(each: Source['imports'][number], pure: ReadonlySet<string>): boolean {
  if (each.target === 'node:crypto') return each.names.length > 0 && each.names.every((name) => hashes.includes(name));
  return leaf.test(each.target) || pure.has(each.target);
}

const isAsync = (node: Node): boolean =>
  node['async'] === true ||
  node.type === 'AwaitExpression' ||
  (node.type === 'ForOfStatement' && node['await'] === true) ||
  (node.type === 'NewExpression' && nameOf(node['callee']) === 'Promise') ||
  (node.type === 'MemberExpression' && nameOf(node['object']) === 'Promise');

/** `Date.now` as text; undefined for whatever is no plain name. */
function nameOf(value: unknown): string | undefined {
  const node = value as Node;
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type !== 'MemberExpression') return undefined;
  const [object, property] = [nameOf(node['object']), nameOf(node['property'])];
  return object === undefined || property === undefined ? undefined : `${object}.${property}`;
}

const forbiddenCalls = new Set([
  'setTimeout',
  'setInterval',
  'Date',
  'Date.now',
  'Math.random',
  'performance.now',
  'process.hrtime',
  'process.hrtime.bigint',
  'process.uptime',
  'AbortSignal.timeout',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'randomUUID',
  'randomBytes',
  'randomInt',
  'fetch',
]);
const forbiddenModules = new Set(['node:timers', 'node:timers/promises', 'node:perf_hooks']);

/** Files that wire the ports to the real clock, random and environment. */
const outside =
  /^src\/(operator\/main|service\/program\/(main|run|runner)|operator\/config|lib\/system|operator\/web\/page\/main)\.ts$/;

/** Files that read the environment. */
const configured = /^src\/(operator\/config|service\/program\/(main|run|runner)|cli\/main)\.ts$/;

export function effectViolations(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [
    ...(outside.test(source.path) ? [] : clockAndChance(source)),
    ...(configured.test(source.path) ? [] : environment(source)),
  ]);
}

function clockAndChance(source: Source): readonly string[] {
  const modules = source.imports
    .filter(({ specifier }) => forbiddenModules.has(specifier))
    .map(({ specifier }) => `${source.path} imports ${specifier}: time comes in through a port`);
  const own = declaredNames(source);
  const uses = nodesOf(source.tree).flatMap((node) => {
    const name = forbidden(node);
    const found = name !== undefined && !own.has(name);
    return found ? [`${source.path}:${lineOf(source, node.start)} uses ${name}: take it from a port`] : [];
  });
  return [...modules, ...uses];
}

/** Names that the file itself gives to something: a parameter `fetch` is not the global one. */
function declaredNames({ tree }: Source): ReadonlySet<string> {
  const patterns = nodesOf(tree).flatMap((node) => {
    if (node.type === 'VariableDeclarator') return [node['id'] as Node];
    if (node.type === 'FunctionDeclaration') return [node['id'] as Node, ...(node['params'] as readonly Node[])];
    return (node['params'] as readonly Node[] | undefined) ?? [];
  });
  return new Set(patterns.flatMap(patternNames));
}

function patternNames(pattern: unknown): readonly string[] {
  const node = pattern as Node | null;
  if (node?.type === 'Identifier') return [String(node['name'])];
  if (node?.type === 'ArrayPattern') return (node['elements'] as readonly unknown[]).flatMap(patternNames);
  if (node?.type === 'ObjectPattern') return (node['properties'] as readonly unknown[]).flatMap(patternNames);
  const inner = node?.['left'] ?? node?.['argument'] ?? node?.['value'];
  return isNode(inner) ? patternNames(inner) : [];
}

function forbidden(node: Node): string | undefined {
  if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') {
    return (node['arguments'] as readonly unknown[]).length === 0 ? 'new Date()' : undefined;
  }
  const name = node.type === 'CallExpression' ? nameOf(node['callee']) : handedOn(node);
  const plain = name?.replace(/^globalThis\./, '');
  return plain !== undefined && forbiddenCalls.has(plain) ? plain : undefined;
}

/** What is not called here but given away: `const now = Date.now`, `{ after: setTimeout }`. */
function handedOn(node: Node): string | undefined {
  const field = { VariableDeclarator: 'init', Property: 'value', AssignmentPattern: 'right' }[node.type];
  const value = field === undefined ? undefined : node[field];
  return isNode(value) ? nameOf(value) : undefined;
}

function environment(source: Source): readonly string[] {
  const reads = nodesOf(source.tree).filter(
    (node) => node.type === 'MemberExpression' && childrenOf(node).length > 0 && nameOf(node) === 'process.env',
  );
  const imported = source.imports.filter(({ target, names }) => target === 'node:process' && names.includes('env'));
  return [
    ...reads.map(
      (node) =>
        `${source.path}:${lineOf(source, node.start)} reads process.env: only src/operator/config.ts and the entry points of the service and the plugin do`,
    ),
    ...imported.map(
      () =>
        `${source.path} imports env: only src/operator/config.ts and the entry points of the service and the plugin read it`,
    ),
  ];
}
