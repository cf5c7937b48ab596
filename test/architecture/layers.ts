// Who may import whom: the table of the design, and no cycles.
import type { Import, Source } from './source.ts';

interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** Layers and packages; a name with `type ` before it may be imported for its types only. */
  readonly may: readonly string[];
}

const anything = '*';
const framework = ['fastify'];
// zod is not in the table's line but in the sentence on pure files, which the ledger is one of.
const reconcile = ['api', 'wire', 'type adapter', 'zod', 'slices', 'reconcile/recently'];
const kind = ['zod', 'api', 'wire', 'type adapter'];

/** The first layer that matches a path is its layer. What a file says of its own layer is its own business. */
export const layers: readonly Layer[] = [
  { name: 'ports', files: /^src\/ports\.ts$/, may: [] },
  { name: 'system', files: /^src\/system\.ts$/, may: [] },
  { name: 'heap', files: /^src\/heap\.ts$/, may: [] },
  // Adapter and cache keep thousands of texts, and must not know each other.
  { name: 'packing', files: /^src\/(packing|delta)\.ts$/, may: [] },
  // All of them go through thousands of things.
  { name: 'slices', files: /^src\/slices\.ts$/, may: [] },
  { name: 'config', files: /^src\/(config|flags)\.ts$/, may: ['zod'] },
  {
    name: 'root',
    files:
      /^src\/(main|operator|engine|control|leadership|knowledge|connections|connection-(count|entry|lists|login|reading)|losses|measures|generate)\.ts$/,
    may: [anything],
  },
  { name: 'api', files: /^src\/api\//, may: ['zod'] },
  { name: 'wire', files: /^src\/wire\//, may: ['zod'] },
  { name: 'adapter', files: /^src\/adapter\//, may: ['packing', 'slices', 'wire', 'undici', 'yaml', 'type zod'] },
  { name: 'server/main', files: /^src\/server\/main\.ts$/, may: ['server', 'pino', 'system'] },
  { name: 'server', files: /^src\/server\//, may: ['wire', 'zod', 'yaml', ...framework] },
  // What needs not be read again and again; the cache of Kubernetes objects has the same need.
  { name: 'reconcile/recently', files: /^src\/reconcile\/recently\.ts$/, may: [] },
  { name: 'reconcile/kind', files: /^src\/reconcile\/kind\.ts$/, may: ['reconcile', ...reconcile] },
  { name: 'reconcile/ports', files: /^src\/reconcile\/ports\.ts$/, may: ['reconcile', ...reconcile] },
  {
    name: 'reconcile',
    files: /^src\/reconcile\//,
    may: ['reconcile/kind', 'reconcile/ports', ...reconcile],
  },
  {
    name: 'registry',
    files: /^src\/kinds\/index\.ts$/,
    may: ['kinds/*', 'kinds/connection', 'type reconcile/kind'],
  },
  {
    name: 'kinds/connection',
    files: /^src\/kinds\/connection\//,
    may: [...kind, 'reconcile', 'reconcile/kind', 'reconcile/ports'],
  },
  // What several kinds say alike; the kinds themselves still do not know each other.
  { name: 'kinds/shared', files: /^src\/kinds\/node-groups\.ts$/, may: [...kind, 'reconcile/kind'] },
  { name: 'kinds/*', files: /^src\/kinds\/[^/]+\//, may: [...kind, 'reconcile/kind', 'kinds/shared'] },
  {
    name: 'controller',
    files: /^src\/controller\//,
    may: ['reconcile', 'reconcile/kind', 'reconcile/ports', 'p-queue', 'prom-client'],
  },
  {
    name: 'kube',
    files: /^src\/kube\//,
    may: [
      'api',
      'packing',
      'slices',
      'reconcile/ports',
      'reconcile/recently',
      'zod',
      'yaml',
      'undici',
      '@kubernetes/client-node',
    ],
  },
];

/** Packages that even files which may import anything must leave to their one place. */
const reserved: readonly (readonly [string, RegExp])[] = [
  ['pino', /\/main\.ts$/],
  ['@kubernetes/client-node', /^src\/kube\//],
];

const layerOf = (path: string): Layer | undefined => layers.find(({ files }) => files.test(path));

const folderOf = (path: string): string => path.split('/').slice(0, 3).join('/');

export function layerViolations(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    const layer = layerOf(source.path);
    if (layer === undefined) return [`${source.path} belongs to no layer of the design`];
    return source.imports.flatMap((each) => judge(source.path, layer, each));
  });
}

function judge(path: string, layer: Layer, { target, specifier, typeOnly }: Import): readonly string[] {
  const place = reserved.find(([name]) => name === target);
  if (place !== undefined && !place[1].test(path)) return [`${path} imports ${target}, which others are there for`];
  if (target.startsWith('node:') || target === 'src/ports.ts' || layer.may.includes(anything)) return [];
  const other = layerOf(target)?.name ?? target;
  if (other === layer.name) return sameKind(path, target) ? [] : [`${path} imports another kind: ${specifier}`];
  if (layer.may.includes(other) || (typeOnly && layer.may.includes(`type ${other}`))) return [];
  return [`${path} (${layer.name}) imports ${typeOnly ? 'types of' : 'values of'} ${specifier} (${other})`];
}

const sameKind = (path: string, target: string): boolean =>
  layerOf(path)?.name !== 'kinds/*' || folderOf(path) === folderOf(target);

/** Each circle of value imports once, as `a -> b -> a`. */
export function cycles(sources: readonly Source[]): readonly string[] {
  const edges = new Map(
    sources.map(({ path, imports }) => [path, imports.filter((each) => !each.typeOnly).map(({ target }) => target)]),
  );
  const [done, circles] = [new Set<string>(), new Set<string>()];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.add(circle(trail.slice(start)));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return [...circles];
}

/** Begins with the smallest name, so that one circle has one text. */
function circle(members: readonly string[]): string {
  const first = members.indexOf([...members].sort()[0] ?? '');
  const turned = [...members.slice(first), ...members.slice(0, first)];
  return [...turned, turned[0]].join(' -> ');
}
