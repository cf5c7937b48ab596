// What the service says of itself, before hundreds of tests count on it: whether it is there, whose it is, and which plugin there is to try.
import { connect, type Json, type Peer, peerOf, type Reply } from '../../peer.ts';
import { type Access, bundledScene, type Option, type Scene, type Target } from './description.ts';
import type { Wishes } from './flags.ts';

const hints: Readonly<Record<number, string>> = {
  401: ': check --token and --tenant',
  404: ': check --endpoint and --dialect',
};

const begin = (problem: string, cause?: unknown): Error => new Error(`cannot begin: ${problem}`, { cause });

/** The service below the prefix and the tenant, with the token. */
export function tenantPeer(
  { endpoint, dialect, tenant, token }: Access,
  version: string = dialect === 'sahara' ? 'v1.1' : 'v1.0',
): Peer {
  const home = `/${version}/${encodeURIComponent(tenant)}`;
  const bare = connect(endpoint);
  const headers = token === undefined ? {} : { 'x-auth-token': token };
  return peerOf({
    ...bare,
    send: (method, path, body) =>
      bare.send(method, home + path, body, headers).catch((cause: unknown) => {
        throw begin(`nobody answers at ${endpoint}`, cause);
      }),
  });
}

function need({ status, body }: Reply, path: string, key: string): Json {
  if (status !== 200) throw begin(`GET ${path} answers ${status}${hints[status] ?? ''}`);
  if (typeof body?.[key] !== 'object' || body[key] === null) throw begin(`GET ${path} answers no ${key}`);
  return body[key];
}

/** Throws `cannot begin: ...` where the plugins cannot be listed. */
export async function listPlugins(peer: Peer): Promise<readonly Json[]> {
  const plugins: Json = need(await peer.get('/plugins'), 'plugins', 'plugins');
  if (!Array.isArray(plugins)) throw begin('GET plugins answers no list of plugins');
  return plugins;
}

/** Late releases label what cannot be used. */
const isEnabled = (labels: Json): boolean => labels?.enabled?.status !== false;

function choosePlugin(plugins: readonly Json[], { plugin, version }: Wishes, prefers: boolean) {
  const names = plugins.map(({ name }) => String(name));
  const preferred = prefers ? plugins.find(({ name }) => name === bundledScene.plugin) : undefined;
  const usable = plugins.find(({ plugin_labels }) => isEnabled(plugin_labels)) ?? plugins[0];
  const found = plugin === undefined ? (preferred ?? usable) : plugins.find(({ name }) => name === plugin);
  if (found === undefined) throw begin(`there is no plugin ${plugin ?? 'at all'}: it has ${names.join(', ')}`);
  const versions: readonly string[] = found.versions ?? [];
  const enabled = versions.filter((each) => isEnabled(found.version_labels?.[each]));
  const usual = found === preferred ? versions.find((each) => each === bundledScene.version) : undefined;
  const chosen = version ?? usual ?? enabled.at(-1) ?? versions.at(-1);
  if (chosen === undefined || !versions.includes(chosen))
    throw begin(`plugin ${found.name} has no version ${chosen ?? 'at all'}: it has ${versions.join(', ')}`);
  return { plugin: String(found.name), version: chosen };
}

const works = /slave|worker|datanode|nodemanager|tasktracker|supervisor|regionserver|agent|executor/i;
const leads = /namenode|jobtracker|resourcemanager|master|nimbus|driver|leader|coordinator|controller/i;

/** By their names; a plugin whose processes are called otherwise has one of each all the same. */
export function guessProcesses(all: readonly string[]): { masters: readonly string[]; workers: readonly string[] } {
  const workers = all.filter((name) => works.test(name));
  const masters = all.filter((name) => leads.test(name) && !works.test(name) && !/secondary/i.test(name));
  const others = workers.length < all.length ? all.filter((name) => !workers.includes(name)) : all;
  return {
    masters: masters.length > 0 ? masters : others.slice(0, 1),
    workers: workers.length > 0 ? workers : all.slice(-1),
  };
}

function readProcesses({ node_processes: known, name }: Json, wishes: Wishes) {
  const all = Object.values<Json>(known ?? {})
    .flat()
    .map(String);
  if (all.length === 0) throw begin(`plugin ${name} has no node processes`);
  const wanted = [...(wishes.masters ?? []), ...(wishes.workers ?? [])];
  const unknown = wanted.find((process) => !all.includes(process));
  if (unknown !== undefined) throw begin(`plugin ${name} has no process ${unknown}: it has ${all.join(', ')}`);
  const guess = guessProcesses(all);
  return { masters: wishes.masters ?? guess.masters, workers: wishes.workers ?? guess.workers };
}

/** Options with a default: a number, digits or a switch. */
function readOptions({ configs }: Json): Scene['options'] {
  const all: readonly Json[] = Array.isArray(configs) ? configs : [];
  const find = (holds: (config: Json) => boolean): Option | undefined => {
    const found = all.find(holds);
    if (found === undefined) return undefined;
    const { applicable_target: target, name, default_value: only } = found;
    return { target: String(target), name: String(name), ...(typeof only === 'boolean' ? {} : { only }) };
  };
  const perNode = (config: Json) => config.applicable_target !== 'general';
  return {
    number: find((config) => perNode(config) && typeof config.default_value === 'number'),
    text: find((config) => perNode(config) && /^\d+$/.test(config.default_value) && config.config_type === 'string'),
    flag: find((config) => perNode(config) && typeof config.default_value === 'boolean'),
    general: find((config) => !perNode(config) && typeof config.default_value === 'boolean'),
  };
}

const rowsOf = ({ body }: Reply): readonly Json[] =>
  Object.values<Json>(body ?? {}).find((rows) => Array.isArray(rows)) ?? [];

async function findImage(peer: Peer, tags: readonly string[]): Promise<string | undefined> {
  const query = tags.map((tag) => `tags=${encodeURIComponent(tag)}`).join('&');
  const [image] = rowsOf(await peer.get(`/images?${query}`));
  return image?.id;
}

async function findFlavor(peer: Peer, plugin: string): Promise<string | undefined> {
  const templates = rowsOf(await peer.get('/node-group-templates'));
  const [found] = templates.filter((row) => row?.plugin_name === plugin && typeof row.flavor_id === 'string');
  return found?.flavor_id;
}

async function findKeypair(peer: Peer): Promise<string | undefined> {
  const found = rowsOf(await peer.get('/clusters')).find((row) => typeof row?.user_keypair_id === 'string');
  return found?.user_keypair_id;
}

/** Late releases tell which plugin runs what. */
async function findJobTypes(peer: Peer, plugin: string): Promise<readonly string[] | undefined> {
  const { status, body } = await peer.get('/job-types');
  if (status !== 200 || !Array.isArray(body?.job_types)) return undefined;
  const runs = ({ plugins }: Json) => (plugins ?? []).some(({ name }: Json) => name === plugin);
  return body.job_types.filter(runs).map(({ name }: Json) => name);
}

/** Rows that are made to find something out have the mark of the run, as all others do. */
export type Explorer = Access & Pick<Target, 'mark'>;
const nameFor = (mark: string): string => `contract-${mark}${Math.random().toString(36).slice(2, 8)}x`;

/** Nothing else tells which flavors a cloud has: a template is made with it, and deleted. */
async function tryFlavor(peer: Peer, { dialect, mark }: Explorer, scene: Scene): Promise<void> {
  const { plugin, version, workers, flavors } = scene;
  const { status, body } = await peer.post('/node-group-templates', {
    name: nameFor(mark),
    plugin_name: plugin,
    [dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version']: version,
    node_processes: workers,
    flavor_id: flavors.workers,
  });
  const { id } = body?.node_group_template ?? {};
  if (id !== undefined) await peer.remove(`/node-group-templates/${id}`);
  if (status === 400 && body?.error_name === 'NOT_FOUND')
    throw begin(`the service has no flavor ${flavors.workers}: choose one with --flavor`);
}

/** One of each type, as the interface has it. */
const sources = {
  swift: { url: 'swift://container.sahara/in', credentials: { user: 'me', password: 'secret' } },
  hdfs: { url: 'hdfs://host/in' },
  maprfs: { url: 'maprfs:///in' },
  manila: { url: 'manila://00000000-0000-4000-8000-000000000000/in' },
  s3: { url: 's3://bucket/in' },
} as const;

const binaries = {
  swift: { url: 'swift://container.sahara/b', extra: { user: 'me', password: 'secret' } },
  manila: { url: 'manila://00000000-0000-4000-8000-000000000000/b' },
  s3: { url: 's3://bucket/b', extra: { accesskey: 'a', secretkey: 'b', endpoint: 'c' } },
} as const;

/** A service may store only what its jobs can use. Each is made and deleted. Resolves to those that are refused. */
async function findRefused(
  peer: Peer,
  { path, mark }: { readonly path: string; readonly mark: string },
  bodies: Readonly<Record<string, object>>,
) {
  const found: string[] = [];
  for (const [type, body] of Object.entries(bodies)) {
    const name = nameFor(mark);
    const { status, body: answer } = await peer.post(path, { name, ...body });
    const { id } = Object.values<Json>(answer ?? {}).find((row) => row?.name === name) ?? {};
    if (id !== undefined) await peer.remove(`${path}/${id}`);
    if (status === 400) found.push(type);
  }
  return found;
}

const jobTypes = [
  'Pig',
  'Hive',
  'MapReduce',
  'MapReduce.Streaming',
  'Java',
  'Jar',
  'Spark',
  'Storm',
  'Storm.Pyleus',
  'Shell',
];

/** Types without hints. Where no type has them, that says nothing. */
async function findUnhinted(peer: Peer): Promise<readonly string[]> {
  const found: string[] = [];
  for (const type of jobTypes) if ((await peer.get(`/jobs/config-hints/${type}`)).status === 404) found.push(type);
  return found.length === jobTypes.length ? [] : found;
}

async function findStores(access: Explorer): Promise<Scene['refused']> {
  const { mark } = access;
  // Jobs have no earlier version.
  const peer = tenantPeer(access, 'v1.1');
  const typed = Object.fromEntries(Object.entries(sources).map(([type, body]) => [type, { type, ...body }]));
  return {
    jobs: await findUnhinted(peer),
    sources: await findRefused(peer, { path: '/data-sources', mark }, typed),
    binaries: await findRefused(peer, { path: '/job-binaries', mark }, binaries),
  };
}

async function describe(access: Explorer, wishes: Wishes, chosen: { plugin: string; version: string }): Promise<Scene> {
  const peer = tenantPeer(access);
  const { plugin, version } = chosen;
  const path = `/plugins/${encodeURIComponent(plugin)}/${encodeURIComponent(version)}`;
  const detail = need(await peer.get(path), path.slice(1), 'plugin');
  const { masters, workers } = readProcesses(detail, wishes);
  const imageTags: readonly string[] = detail.required_image_tags ?? [plugin, version];
  const flavor = wishes.flavors[0] ?? (await findFlavor(peer, plugin)) ?? '2';
  return {
    plugin,
    version,
    masters,
    workers,
    flavors: { small: flavor, workers: flavor, masters: flavor, large: wishes.flavors[1] ?? flavor },
    image: wishes.image ?? (await findImage(peer, imageTags)) ?? bundledScene.image,
    keypair: wishes.keypair ?? (await findKeypair(peer)) ?? bundledScene.keypair,
    imageTags,
    options: readOptions(detail),
    jobTypes: await findJobTypes(peer, plugin),
    refused: await findStores(access),
    bundled: false,
  };
}

/** The bundled service describes itself, and needs no token for that. */
async function isBundled({ endpoint }: Access): Promise<boolean> {
  const { status, body } = await connect(endpoint).send('GET', '/openapi');
  return status === 200 && body?.info?.title === 'Data-processing service';
}

/** The bundled plugins are tried as they always were, unless flags say otherwise. */
function bundledUnless({ flavors, image, keypair, masters, workers }: Wishes): Scene {
  const [flavor] = flavors;
  const all = flavor === undefined ? bundledScene.flavors : { small: flavor, workers: flavor, masters: flavor };
  return {
    ...bundledScene,
    image: image ?? bundledScene.image,
    keypair: keypair ?? bundledScene.keypair,
    masters: masters ?? bundledScene.masters,
    workers: workers ?? bundledScene.workers,
    flavors: { ...bundledScene.flavors, ...all, large: flavors[1] ?? flavor ?? bundledScene.flavors.large },
  };
}

/** Throws `cannot begin: ...` where there is no service, or none of what flags ask for. */
export async function explore(access: Explorer, wishes: Wishes): Promise<{ ours: boolean; scene: Scene }> {
  const peer = tenantPeer(access);
  const plugins = await listPlugins(peer);
  const ours = wishes.ours ?? (await isBundled(access));
  const chosen = choosePlugin(plugins, wishes, ours);
  const isUsual = ours && chosen.plugin === bundledScene.plugin && chosen.version === bundledScene.version;
  const scene = isUsual ? bundledUnless(wishes) : await describe(access, wishes, chosen);
  if (!scene.bundled) await tryFlavor(peer, access, scene);
  return { ours, scene };
}
