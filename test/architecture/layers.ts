// Who may import whom: the table of the design, and no cycles.
import type { Import, Source } from './source.ts';

interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** Layers and packages; a name with `type ` before it may be imported for its types only. */
  readonly may: readonly string[];
}

const anything = '*';

/** What a pass decides with and carries out. */
const ofPass: readonly string[] = [
  'reconcile/ledger',
  'reconcile/resource',
  'type reconcile/lists',
  'reconcile/ownership',
  'reconcile/pass-state',
  'reconcile/observe',
  'reconcile/plan',
  'reconcile/protocol',
  'reconcile/execute',
];

/** In the order of a pass: each part of it may use those above it in this list, and the terms. */
const reconcile: readonly Layer[] = [
  // What everything speaks of: the contract of a kind, the ports, outcomes, what is remembered of a key, the planner's input, its times.
  {
    name: 'reconcile/terms',
    files:
      /^src\/operator\/reconcile\/(kind\/[^/]+|pass-ports|outcome|lost-race|key-memory|plan-input|quarantine)\.ts$/,
    may: ['api', 'type client', 'wire', 'lib', 'reconcile/ledger', 'type reconcile/lists', 'reconcile/resource'],
  },
  { name: 'reconcile/ledger', files: folder('reconcile/ledger'), may: ['type api', 'lib', 'wire', 'zod'] },
  { name: 'reconcile/resource', files: folder('reconcile/resource'), may: ['reconcile/ledger', 'api', 'lib', 'zod'] },
  { name: 'reconcile/lists', files: folder('reconcile/lists'), may: ['reconcile/ledger', 'type client', 'wire'] },
  {
    name: 'reconcile/ownership',
    files: folder('reconcile/ownership'),
    may: ['reconcile/ledger', 'reconcile/resource', 'api', 'type client'],
  },
  {
    name: 'reconcile/pass-state',
    files: /^src\/operator\/reconcile\/pass-state\.ts$/,
    may: [
      'reconcile/ledger',
      'reconcile/resource',
      'type reconcile/lists',
      'reconcile/ownership',
      'type api',
      'type client',
    ],
  },
  {
    name: 'reconcile/observe',
    files: folder('reconcile/observe'),
    may: [
      'reconcile/ledger',
      'reconcile/resource',
      'reconcile/lists',
      'reconcile/ownership',
      'type reconcile/pass-state',
      'api',
      'type client',
      'lib',
      'wire',
    ],
  },
  { name: 'reconcile/messages', files: /^src\/operator\/reconcile\/status\/messages\.ts$/, may: ['reconcile/ledger'] },
  {
    name: 'reconcile/plan',
    files: folder('reconcile/plan'),
    may: [
      'reconcile/ledger',
      'reconcile/resource',
      'reconcile/lists',
      'reconcile/messages',
      'reconcile/ownership',
      'api',
      'wire',
    ],
  },
  {
    name: 'reconcile/protocol',
    files: folder('reconcile/protocol'),
    may: [
      'reconcile/ledger',
      'reconcile/lists',
      'reconcile/messages',
      'reconcile/ownership',
      'reconcile/plan',
      'type api',
      'type client',
      'type wire',
    ],
  },
  {
    name: 'reconcile/report-standing',
    files: /^src\/operator\/reconcile\/report-standing\.ts$/,
    may: ['type reconcile/terms', 'reconcile/resource', 'reconcile/status', 'type api'],
  },
  {
    name: 'reconcile/status',
    files: folder('reconcile/status'),
    may: ['reconcile/ledger', 'reconcile/resource', 'api', 'lib', 'wire', 'zod'],
  },
  {
    name: 'reconcile/execute',
    files: folder('reconcile/execute'),
    may: [
      'reconcile/ledger',
      'reconcile/ownership',
      'type reconcile/pass-state',
      'reconcile/observe',
      'type reconcile/plan',
      'reconcile/resource',
      'reconcile/protocol',
      'type api',
      'type client',
      'wire',
    ],
  },
  {
    name: 'reconcile/preview',
    files: /^src\/operator\/reconcile\/(decide|preview)\.ts$/,
    may: ofPass,
  },
  {
    name: 'reconcile',
    files: /^src\/operator\/reconcile\/(pass|refused-run|report|requeue)\.ts$/,
    may: [...ofPass, 'reconcile/preview', 'reconcile/status', 'type api'],
  },
];

/** How the service is called: what a request is, how answers and lists are read, how fast it may go. */
const client: readonly Layer[] = [
  { name: 'client/json', files: folder('client/json'), may: ['client/limits', 'wire'] },
  {
    name: 'client/limits',
    files: /^src\/operator\/client\/(limits|service-credentials)\.ts$/,
    may: ['client/json', 'type lib'],
  },
  { name: 'client/throttle', files: folder('client/throttle'), may: ['client/limits', 'lib'] },
  {
    name: 'client/http',
    files: folder('client/http'),
    may: ['client/json', 'client/limits', 'type client/throttle', 'lib', 'wire', 'undici', 'type zod'],
  },
  {
    name: 'client/login',
    files: folder('client/login'),
    may: ['client/http', 'client/json', 'client/limits', 'lib', 'wire', 'yaml'],
  },
  {
    name: 'client/list',
    files: folder('client/list'),
    may: ['client/http', 'client/json', 'client/limits', 'lib', 'wire', 'type zod'],
  },
  {
    name: 'client',
    files: /^src\/operator\/client\/[^/]+\.ts$/,
    may: ['client/http', 'client/json', 'client/limits', 'client/list', 'client/throttle', 'lib', 'wire', 'type zod'],
  },
];

/** How the API server is called. Both programs do. */
const kubeCalls: readonly Layer[] = [
  { name: 'kube/config', files: /^src\/kube\/config\//, may: ['kube/yaml', 'lib', '@kubernetes/client-node'] },
  { name: 'kube/yaml', files: /^src\/kube\/yaml\//, may: ['yaml'] },
  { name: 'kube/http', files: /^src\/kube\/http\//, may: ['kube/call', 'type kube/config', 'type lib', 'undici'] },
  { name: 'kube/watch', files: /^src\/kube\/watch\//, may: ['kube/call', 'kube/http', 'lib'] },
  { name: 'kube/call', files: /^src\/kube\/[^/]+\.ts$/, may: ['lib'] },
];

/** The API server: how its objects are stored, written to and led from. */
const kube: readonly Layer[] = [
  {
    name: 'kube/write',
    files: folder('kube/write'),
    may: ['kube/call', 'type kube/http', 'type kube/watch', 'type reconcile/terms', 'lib', 'api'],
  },
  {
    name: 'kube/events',
    files: folder('kube/events'),
    may: ['kube/call', 'type kube/http', 'lib', 'type reconcile/terms'],
  },
  {
    name: 'kube/election',
    files: folder('kube/election'),
    may: ['kube/call', 'kube/http', 'kube/events', 'lib', 'type reconcile/terms', 'zod'],
  },
  {
    name: 'kube',
    files: /^src\/operator\/kube\/[^/]+\.ts$/,
    may: ['kube/call', 'kube/watch', 'kube/write', 'type kube/http', 'lib', 'api', 'reconcile/terms'],
  },
];

/** A kind says what its objects mean to the service. It knows no other kind. */
const kinds: readonly Layer[] = [
  // Its template is the spec of a JobExecution.
  { name: 'kinds/job-schedule', files: folder('kinds/job-schedule'), may: ['kinds/*', 'api', 'zod'] },
  { name: 'kinds/node-group', files: folder('kinds/node-group'), may: ['api', 'zod'] },
  {
    name: 'kinds/definitions',
    files: /^src\/operator\/kinds\/definitions\.ts$/,
    may: ['kinds/*', 'kinds/job-schedule', 'kinds/node-group', 'type api'],
  },
  {
    name: 'kinds',
    files: /^src\/operator\/kinds\/index\.ts$/,
    may: ['kinds/*', 'kinds/definitions', 'type reconcile/terms'],
  },
  {
    name: 'kinds/shared',
    files: /^src\/operator\/kinds\/(node-groups|object-credentials)\.ts$/,
    may: ['type reconcile/terms', 'type api', 'wire', 'zod'],
  },
  {
    name: 'kinds/*',
    files: /^src\/operator\/kinds\/[^/]+\//,
    may: ['kinds/shared', 'reconcile/terms', 'type reconcile/ledger', 'api', 'wire', 'zod'],
  },
];

const room = (name: string): RegExp => new RegExp(`^src/service/${name}/`);
const shared = ['lib', 'lib/files', 'lib/flags', 'lib/http', 'wire', 'zod'];

/** The rooms of the bundled service. It shares the interface with the operator, and nothing else. A room uses those below it. */
const service: readonly Layer[] = [
  {
    name: 'service/program/main',
    files: /^src\/service\/program\/(main|run)\.ts$/,
    may: [
      'service/program',
      'service/api',
      'service/resources',
      'service/backends',
      'service/engines',
      'service/model',
      ...shared,
      'lib/fetch',
      'lib/log',
      'pino',
    ],
  },
  {
    name: 'service/program',
    files: room('program'),
    may: [
      'service/api',
      'service/resources',
      'service/backends',
      'service/engines',
      'service/model',
      ...shared,
      'lib/fetch',
      'type fastify',
    ],
  },
  {
    name: 'service/api',
    files: room('api'),
    may: ['service/resources', 'service/model', ...shared, 'fastify', 'prom-client'],
  },
  {
    name: 'service/resources',
    files: room('resources'),
    may: ['service/backends', 'service/engines', 'service/model', ...shared, 'type fastify', 'p-queue'],
  },
  {
    name: 'service/backends',
    files: room('backends'),
    may: [
      'service/engines',
      'service/model',
      ...shared,
      'lib/fetch',
      'kube/call',
      'kube/config',
      'kube/http',
      'kube/watch',
      'fastify',
    ],
  },
  { name: 'service/engines', files: room('engines'), may: ['service/model', ...shared, 'lib/fetch', 'aws4fetch'] },
  { name: 'service/model', files: room('model'), may: shared },
];

/** The first layer that matches a path is its layer. What a file says of its own layer is its own business. */
export const layers: readonly Layer[] = [
  { name: 'lib/log', files: /^src\/lib\/log-destination\.ts$/, may: ['pino'] },
  { name: 'lib/fetch', files: /^src\/lib\/fetch\//, may: ['lib', 'undici'] },
  { name: 'lib/files', files: /^src\/lib\/settings-file\.ts$/, may: ['lib', 'yaml', 'type zod'] },
  { name: 'lib/http', files: /^src\/lib\/http\/http-limits\.ts$/, may: ['lib', 'type fastify'] },
  { name: 'lib/flags', files: /^src\/lib\/flags\.ts$/, may: ['zod'] },
  { name: 'lib', files: /^src\/lib\//, may: [] },
  { name: 'wire', files: /^src\/wire\//, may: ['zod'] },
  ...kubeCalls,
  ...service,
  { name: 'config', files: /^src\/operator\/(config|operator-flags)\.ts$/, may: ['lib/flags', 'zod'] },
  { name: 'api', files: folder('api'), may: ['type kube/call', 'zod'] },
  ...client,
  ...reconcile,
  ...kinds,
  {
    name: 'connections/pass',
    files: folder('connections/pass'),
    may: [
      'api',
      'kinds/*',
      'reconcile/terms',
      'reconcile/ledger',
      'reconcile/lists',
      'reconcile/resource',
      'reconcile/status',
      'type reconcile',
      'type client',
      'wire',
      'lib',
    ],
  },
  {
    name: 'connections',
    files: folder('connections'),
    may: [
      'type connections/pass',
      'api',
      'kinds',
      'kinds/*',
      'reconcile/terms',
      'reconcile/ledger',
      'reconcile/lists',
      'reconcile/plan',
      'reconcile/resource',
      'client',
      'client/login',
      'wire',
      'lib',
    ],
  },
  {
    name: 'schedules',
    files: folder('schedules'),
    may: [
      'api',
      'kinds/job-schedule',
      'reconcile/terms',
      'reconcile/resource',
      'reconcile/status',
      'reconcile/report-standing',
      'type reconcile',
      'type kube/write',
      'lib',
    ],
  },
  {
    name: 'node-groups',
    files: folder('node-groups'),
    may: [
      'api',
      'kinds/node-group',
      'reconcile/terms',
      'reconcile/resource',
      'reconcile/status',
      'reconcile/report-standing',
      'type reconcile',
      'type kube/write',
      'wire',
      'lib',
    ],
  },
  { name: 'controller/queue', files: folder('controller/queue'), may: ['lib'] },
  {
    name: 'controller',
    files: folder('controller'),
    may: ['controller/queue', 'reconcile/terms', 'type reconcile', 'lib'],
  },
  { name: 'process', files: folder('process'), may: ['controller/queue', 'type controller', 'lib', 'prom-client'] },
  {
    name: 'metrics',
    files: folder('metrics'),
    may: [
      'process',
      'type controller',
      'type controller/queue',
      'reconcile/resource',
      'type reconcile/terms',
      'lib',
      'prom-client',
    ],
  },
  ...kube,
  // The page: what the API server allows a user, what an object looks like, and how both are served.
  {
    name: 'web/access',
    files: folder('web/access'),
    may: ['api', 'kube/call', 'type kube/http', 'lib', 'p-queue', 'zod'],
  },
  {
    name: 'web/view',
    files: folder('web/view'),
    may: ['api', 'reconcile/resource', 'type web/access', 'lib'],
  },
  { name: 'web/server', files: folder('web/server'), may: ['web/access', 'web/view', 'lib', 'lib/http'] },
  // What runs in the browser.
  { name: 'web/page', files: folder('web/page'), may: ['type web/view', 'preact'] },
  // What the operator would do has to be decided by the operator itself, on what the user may read: by its kinds, its reads and its plans.
  {
    name: 'cli/preview',
    files: /^src\/cli\/preview\//,
    may: [
      'cli',
      'api',
      'kinds',
      'reconcile/terms',
      'reconcile/ledger',
      'reconcile/resource',
      'reconcile/ownership',
      'reconcile/preview',
      'client',
      'kube/call',
      'kube/http',
      'wire',
      'lib',
    ],
  },
  // The plugin of kubectl: a client of both APIs.
  {
    name: 'cli',
    files: /^src\/cli\//,
    may: [
      'cli/preview',
      'api',
      'kinds/definitions',
      'wire',
      'kube/call',
      'kube/config',
      'kube/http',
      'kube/yaml',
      'lib',
      'undici',
      'zod',
    ],
  },
  { name: 'wiring', files: folder('wiring'), may: [anything] },
  { name: 'main', files: /^src\/operator\/main\.ts$/, may: [anything] },
];

function folder(path: string): RegExp {
  return new RegExp(`^src/operator/${path}/`);
}

/** Packages that even files which may import anything must leave to their one place. */
const reserved: readonly (readonly [string, RegExp])[] = [
  ['pino', /\/(main|program\/run|log-destination)\.ts$/],
  ['@kubernetes/client-node', /^src\/kube\/config\//],
];

/** What speaks for all parts of a folder where a layer may use it. */
const parts: Readonly<Record<string, readonly string[]>> = { client: client.map(({ name }) => name) };

/** Everything inside `reconcile` may use the terms. */
const isTerms = (layer: Layer, other: string): boolean =>
  other === 'reconcile/terms' && layer.name.startsWith('reconcile');

const layerOf = (path: string): Layer | undefined => layers.find(({ files }) => files.test(path));

const folderOf = (path: string): string => path.split('/').slice(0, 4).join('/');

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
  if (target.startsWith('node:') || target === 'src/lib/ports.ts') return [];
  const other = layerOf(target)?.name ?? target;
  if (layer.may.includes(anything)) return other.startsWith('service') ? [crossing(path, specifier)] : [];
  if (other === layer.name) return sameKind(path, target) ? [] : [`${path} imports another kind: ${specifier}`];
  const may = layer.may.flatMap((name) => spelledOut(name));
  if (isTerms(layer, other) || may.includes(other) || (typeOnly && may.includes(`type ${other}`))) return [];
  return [`${path} (${layer.name}) imports ${typeOnly ? 'types of' : 'values of'} ${specifier} (${other})`];
}

const crossing = (path: string, specifier: string): string =>
  `${path} imports ${specifier}: operator and service share wire and lib, and nothing else`;

function spelledOut(name: string): readonly string[] {
  const [kind, of] = name.startsWith('type ') ? ['type ', name.slice(5)] : ['', name];
  return (parts[of] ?? [of]).map((one) => `${kind}${one}`);
}

/** An execution can have a job and a cluster of its own, with the same fields as others. */
const sameKind = (path: string, target: string): boolean =>
  layerOf(path)?.name !== 'kinds/*' ||
  folderOf(path) === folderOf(target) ||
  (folderOf(path).endsWith('/job-execution') && target.endsWith('/schema.ts'));

/** Each circle of imports once, as `a -> b -> a`. Types count: whoever reads one file of a circle has to read all of them. */
export function cycles(sources: readonly Source[]): readonly string[] {
  const edges = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
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
