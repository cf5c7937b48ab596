// Another service of the interface, to try `npm run contract` on: the bundled one behind a counter that speaks otherwise. It has one plugin, which is
// none of ours, and wording, order, methods and further fields of its own. What it does is right, unless it is given a bug.
import fastify from 'fastify';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import type { PluginEntry } from '../../../src/service/model/catalog/plugins.ts';
import { createSeededRandom } from '../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../src/service/program/server.ts';
import type { Dialect } from '../../../src/wire/dialect.ts';
import { type Json, parse } from '../peer.ts';

const option = { applicable_target: 'Swarm', description: '', is_optional: true, scope: 'node', priority: 2 } as const;

export const hive: PluginEntry = {
  name: 'beehive',
  title: 'Beehive',
  description: 'Bees',
  versions: [
    {
      version: '9.0',
      processes: { Hive: ['queen-coordinator', 'guard'], Swarm: ['bee-worker', 'drone'] },
      configs: [
        { ...option, name: 'wings', default_value: 4, config_type: 'int' },
        { ...option, name: 'legs', default_value: '6', config_type: 'string' },
      ],
      requiredTags: ['honey'],
      jobTypes: ['Pig', 'Shell'],
    },
  ],
};

/** The images of its cloud: one is ready, and two may be registered by whoever likes to. */
export const images = {
  ready: '11111111-aaaa-4aaa-8aaa-111111111111',
  spare: ['22222222-aaaa-4aaa-8aaa-222222222222', '33333333-aaaa-4aaa-8aaa-333333333333'],
} as const;

export interface Answer {
  readonly status: number;
  readonly body: Json;
}
/** Changes what is right. `sent`: the body of the request, if it is JSON. */
export type Bug = (method: string, path: string, answer: Answer, sent: Json) => Answer;

const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists the other way round, keys the other way round, and a field that nobody knows in every object. */
function otherwise(value: Json): Json {
  if (Array.isArray(value)) return value.map(otherwise).toReversed();
  if (!isObject(value)) return value;
  const entries = Object.entries<Json>(value).map(([key, inner]) => [key, isMap(key) ? inner : otherwise(inner)]);
  return Object.fromEntries([...entries, ['x-colour', 'yellow']].toReversed());
}

/** What users named, and what plugins name: a further entry would be one more of theirs. */
const isMap = (key: string): boolean =>
  /configs$|^metadata$|^info$|^node_processes$|^args$|^interface$|^data_source_urls$/.test(key);

function otherWording(body: Json): Json {
  if (typeof body?.error_message !== 'string') return body;
  return { ...body, error_message: 'Das geht nicht.', hint: { see: 'manual' } };
}

const inOtherWords = ({ status, body }: Answer): Answer =>
  status >= 400 ? { status, body: otherWording(body) } : { status, body: isObject(body) ? wrapped(body) : body };

/** Around the rows there is more, too. */
const wrapped = (body: Json): Json => ({ ...otherwise(body), markers: { next: null }, took_ms: 3 });

async function forward(base: string, request: { method: string; url: string; headers: Json; body: unknown }) {
  const { method, url, headers, body } = request;
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-') || /^(content-type|accept)$/.test(name));
  return fetch(base + url, {
    method,
    headers: Object.fromEntries(own) as Record<string, string>,
    body: method === 'GET' || method === 'HEAD' ? null : (body as Buffer | null),
  });
}

/** The types of jobs that its plugin runs: a route of late releases that the bundled service lacks. */
const typesOfJobs = {
  job_types: ['Pig', 'Shell'].map((name) => ({ name, plugins: [{ name: hive.name, versions: { '9.0': {} } }] })),
};

async function listen(base: string, dialect: Dialect, bug: Bug): Promise<string> {
  const app = fastify();
  onTestFinished(() => app.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.all('/*', async (request, reply) => {
    const { method, url } = request;
    if (url.startsWith('/openapi')) return reply.code(404).send({ error: 404, error_message: 'Nichts.' });
    if (dialect === 'sahara' && url.endsWith('/job-types')) return reply.send(typesOfJobs);
    const answer = await forward(base, request);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const parsed = url.endsWith('/data') ? undefined : parse(bytes.toString());
    const sent = Buffer.isBuffer(request.body) ? parse(request.body.toString()) : undefined;
    const { status, body } = bug(method, url, inOtherWords({ status: answer.status, body: parsed }), sent);
    const headed = reply.code(status).type(answer.headers.get('content-type') ?? '');
    if (status === 405) headed.header('allow', 'BREW');
    // Most servers put spaces into their JSON.
    return headed.send(body === undefined ? bytes : JSON.stringify(body, null, 1));
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

/** Resolves to its address. */
export async function startOther(dialect: Dialect, token: string, bug: Bug = (_method, _path, answer) => answer) {
  const registry = [
    { id: images.ready, name: 'ready', registered: true },
    ...images.spare.map((id) => ({ id, name: `spare-${id[0]}`, registered: false })),
  ];
  const server = createServer({
    clock: systemClock,
    random: createSeededRandom(11),
    dialect,
    stageMs: 5,
    grants: [{ token }],
    catalog: { plugins: [hive], flavors: [{ id: '77777' }, { id: '88888' }], images: registry },
  });
  onTestFinished(() => server.close());
  return listen(await server.start(), dialect, bug);
}
