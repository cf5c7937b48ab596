// A service with one of everything, in each dialect: what the requests that are to be refused begin with.
import { expect } from 'vitest';
import { createMemoryStore, type Store } from '../../../src/service/model/store/store.ts';
import type { Dialect } from '../../../src/wire/dialect.ts';
import { imageId, type Json, type Peer, serve, unknownId } from '../../contract/support.ts';
import { ManualClock } from '../../support/clock.ts';

export const at = (path: string) => `/v1.1/t/${path}`;
export const unregistered = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const images = [
  { id: imageId, name: 'one', registered: true },
  { id: unregistered, name: 'two', registered: false },
];
export const inline = { name: 'g', count: 1, flavor_id: '1', node_processes: ['datanode'] };
export const swift = { type: 'swift', url: 'swift://c/o', credentials: { user: 'me', password: 'secret' } };

export interface Scene {
  readonly dialect: Dialect;
  readonly peer: Peer;
  /** Plugin and version in the words of the dialect. */
  readonly plugin: object;
  /** What starts a cluster but for its name and groups. */
  readonly start: object;
  readonly internalUrl: string;
  /** Identifiers of rows by their names; of an unknown name, that of nothing. */
  readonly idOf: (name: string) => string;
}

async function post(peer: Peer, path: string, body: unknown): Promise<Json> {
  const { status, text, body: answer } = await peer.post(at(path), body);
  expect([path, status, text]).toEqual([path, 202, text]);
  return Object.values(answer as object)[0];
}

/** Begun, with the means to make rows of known names. */
async function begin(dialect: Dialect, store: Store) {
  const clock = new ManualClock();
  const peer = await serve({ dialect, clock, stageMs: 1000, store, catalog: { images, quota: 50 } });
  const ids = new Map<string, string>();
  const make = async (name: string, path: string, body: object) => {
    const row = await post(peer, path, path.endsWith('/execute') ? body : { name, ...body });
    ids.set(name, row.id);
  };
  const upload = async (name: string) => {
    const type = { 'content-type': 'application/octet-stream' };
    const { body } = await peer.send('PUT', at(`job-binary-internals/${name}`), 'bytes', type);
    ids.set(name, body.job_binary_internal.id);
  };
  const idOf = (name: string): string => ids.get(name) ?? unknownId;
  const word = dialect === 'neutral' ? 'bigdata_version' : 'hadoop_version';
  const pluginOf = (name: string, version: string) => ({ plugin_name: name, [word]: version });
  const network = dialect === 'sahara' ? { neutron_management_network: unknownId } : {};
  const startOf = (plugin: object) => ({ ...plugin, ...network, default_image_id: imageId, user_keypair_id: 'key' });
  return { clock, peer, make, upload, idOf, pluginOf, startOf };
}
type Begun = Awaited<ReturnType<typeof begin>>;

async function makeClusters({ make, idOf, pluginOf, startOf, clock }: Begun): Promise<void> {
  const vanilla = pluginOf('vanilla', '1.2.1');
  const worker = { ...vanilla, flavor_id: '2', node_processes: ['datanode'] };
  await make('worker', 'node-group-templates', worker);
  await make('spare-worker', 'node-group-templates', worker);
  const foreign = { ...pluginOf('spark', '2.3'), flavor_id: '1', node_processes: ['master'] };
  await make('foreign', 'node-group-templates', foreign);
  const group = { name: 'w', count: 1, node_group_template_id: idOf('worker') };
  await make('small', 'cluster-templates', { ...vanilla, node_groups: [group] });
  await make('spare-small', 'cluster-templates', vanilla);
  await make('active', 'clusters', { ...startOf(vanilla), cluster_template_id: idOf('small') });
  const spark = startOf(pluginOf('spark', '2.3'));
  await make('sparkling', 'clusters', { ...spark, node_groups: [{ ...inline, node_processes: ['master'] }] });
  await clock.advance(20_000);
  await make('young', 'clusters', { ...startOf(vanilla), node_groups: [inline] });
}

async function makeJobs({ make, upload, idOf, peer }: Begun, dialect: Dialect, internalUrl: string): Promise<void> {
  for (const name of ['in', 'out']) await make(name, 'data-sources', { ...swift, url: `swift://c/${name}` });
  await make('spare-source', 'data-sources', dialect === 'savanna' ? swift : { type: 'hdfs', url: '/spare' });
  for (const name of ['bytes', 'more-bytes']) await upload(name);
  await upload('lost-bytes');
  await make('script', 'job-binaries', { url: internalUrl + idOf('bytes') });
  await make('spare-script', 'job-binaries', { url: 'swift://c/o', extra: swift.credentials });
  await make('lost', 'job-binaries', { url: internalUrl + idOf('lost-bytes') });
  expect((await peer.remove(at(`job-binary-internals/${idOf('lost-bytes')}`))).status).toBe(204);
  await make('pig', 'jobs', { type: 'Pig', mains: [idOf('script')] });
  await make('spare-job', 'jobs', { type: 'Pig', mains: [idOf('script')] });
  const sources = { input_id: idOf('in'), output_id: idOf('out') };
  await make('pending', `jobs/${idOf('pig')}/execute`, { cluster_id: idOf('young'), ...sources });
  await make('fresh', `jobs/${idOf('pig')}/execute`, { cluster_id: idOf('active'), ...sources });
  if (dialect === 'savanna') return;
  const source = {
    name: 'source',
    mapping_type: 'configs',
    location: 'source',
    value_type: 'data_source',
    required: true,
  };
  await make('asking', 'jobs', { type: 'Pig', mains: [idOf('script')], interface: [source] });
  await make('spark', 'jobs', { type: 'Spark', mains: [idOf('script')] });
  const job_configs = { configs: { 'edp.java.main_class': 'org.example.Main' } };
  await make('sparking', `jobs/${idOf('spark')}/execute`, { cluster_id: idOf('sparkling'), job_configs });
}

export async function furnish(dialect: Dialect, store: Store = createMemoryStore()): Promise<Scene> {
  const begun = await begin(dialect, store);
  const { peer, idOf, pluginOf, startOf } = begun;
  const internalUrl = dialect === 'savanna' ? 'savanna-db://' : 'internal-db://';
  await makeClusters(begun);
  await makeJobs(begun, dialect, internalUrl);
  const plugin = pluginOf('vanilla', '1.2.1');
  return { dialect, peer, plugin, start: startOf(plugin), internalUrl, idOf };
}
