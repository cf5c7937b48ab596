// What the tests take for given: plugins with their versions, types of jobs, an image to start from, and routes that a service may not have.

import { imageId, scene } from '../literals.ts';
import type { Peer } from '../peer.ts';
import { cannotTry, type Target } from './target.ts';
import type { Addressed } from './visit/address.ts';

/** Those of the bundled service that tests count on by name. */
const plugins = ['vanilla 1.2.1', 'vanilla 1.1.2', 'vanilla 2.7.1', 'spark 1.6.0', 'spark 2.3', 'fake 0.1'];

/** Types that early releases do not have. */
const lateTypes: Readonly<Record<string, readonly string[]>> = {
  jobs: ['MapReduce', 'MapReduce.Streaming', 'Java', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus'],
  'data-sources': ['hdfs', 'maprfs', 'manila', 's3'],
};

/** Collections that a service may lack as a whole. */
const optional = ['images', 'data-sources', 'job-binaries', 'job-binary-internals', 'jobs', 'job-executions'];

function judgeType({ dialect }: Target, collection: string, type: unknown): void {
  if (typeof type !== 'string') return;
  const isKnown = ['Pig', 'Hive', ...(lateTypes['jobs'] ?? [])].includes(type);
  if (collection === 'jobs' && isKnown && scene.jobTypes?.includes(type) === false)
    cannotTry(`plugin ${scene.plugin} runs no jobs of type ${type}`);
  if (dialect === 'savanna' && lateTypes[collection]?.includes(type) === true)
    cannotTry(`it needs ${collection} of type ${type}, which early releases do not have`);
}

/** A service may store only what it can run and use. */
export function judgeStore(collection: string | undefined, { type, url }: Readonly<Record<string, unknown>>): void {
  const { jobs, sources, binaries } = scene.refused;
  if (collection === 'jobs' && jobs.includes(String(type)))
    cannotTry(`the service runs no jobs of type ${String(type)}`);
  if (collection === 'data-sources' && sources.includes(String(type)))
    cannotTry(`the service stores no data sources of type ${String(type)}`);
  const scheme = /^(\w+):\/\//.exec(String(url))?.[1]?.replace('s3a', 's3') ?? '';
  if (collection === 'job-binaries' && binaries.includes(scheme))
    cannotTry(`the service stores no job binaries at ${scheme}:`);
}

const known = new Map<string, number>();

async function statusOf(peer: Peer, path: string): Promise<number> {
  const found = known.get(path) ?? (await peer.get(path)).status;
  known.set(path, found);
  return found;
}

const isThere = async (peer: Peer, path: string): Promise<boolean> => (await statusOf(peer, path)) === 200;

/** Not every service runs jobs, or keeps a registry of images. */
export async function surveyRoute(peer: Peer, { home, segments: [collection = ''] }: Addressed): Promise<void> {
  if (!optional.includes(collection)) return;
  const prefixed = collection === 'images' ? home : home.replace(/^\/v1\.0/, '/v1.1');
  const status = await statusOf(peer, `${prefixed}/${collection}`);
  if ([404, 405, 501].includes(status)) cannotTry(`the service has no ${collection}`);
}

/** Ends a test whose request counts on what the target does not have. */
export async function survey(peer: Peer, target: Target, { home, segments }: Addressed, sent: unknown): Promise<void> {
  if (typeof sent !== 'object' || sent === null || segments.length > 1) return;
  const fields = sent as Readonly<Record<string, unknown>>;
  judgeType(target, segments[0] ?? '', fields['type']);
  const plugin = [fields['plugin_name'], fields['bigdata_version'] ?? fields['hadoop_version']];
  const name = plugins.find((each) => each === plugin.filter((word) => typeof word === 'string').join(' '));
  const isOfScene = name === `${scene.plugin} ${scene.version}`;
  if (name !== undefined && !isOfScene && !(await isThere(peer, `${home}/plugins/${name.replace(' ', '/')}`)))
    cannotTry(`it needs the plugin ${name}`);
  if (fields['default_image_id'] === imageId && !(await isThere(peer, `${home}/images/${imageId}`)))
    cannotTry('it needs an image to start clusters from: --image');
}
