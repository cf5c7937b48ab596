// What the tests take for given in a cloud: plugins with their versions, and an image to start from.

import { imageId } from '../literals.ts';
import type { Peer } from '../peer.ts';
import type { Addressed } from './address.ts';
import { cannotTry, type Target } from './target.ts';

/** Those that the tests count on; others are meant not to be there. */
const plugins = ['vanilla 1.2.1', 'vanilla 1.1.2', 'vanilla 2.7.1', 'spark 2.3', 'fake 0.1'];

/** Types that early releases do not have. */
const lateTypes: Readonly<Record<string, readonly string[]>> = {
  jobs: ['MapReduce', 'MapReduce.Streaming', 'Java', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus'],
  'data-sources': ['hdfs', 'maprfs', 'manila', 's3'],
};

function judgeType({ dialect }: Target, collection: string, type: unknown): void {
  const isLate = typeof type === 'string' && lateTypes[collection]?.includes(type) === true;
  if (dialect === 'savanna' && isLate)
    cannotTry(`it needs ${collection} of type ${type}, which early releases do not have`);
}

const known = new Map<string, boolean>();

async function isThere(peer: Peer, path: string): Promise<boolean> {
  const found = known.get(path) ?? (await peer.get(path)).status === 200;
  known.set(path, found);
  return found;
}

/** Ends a test whose request counts on what the target does not have. */
export async function survey(peer: Peer, target: Target, { home, segments }: Addressed, sent: unknown): Promise<void> {
  if (typeof sent !== 'object' || sent === null || segments.length > 1) return;
  const fields = sent as Readonly<Record<string, unknown>>;
  judgeType(target, segments[0] ?? '', fields['type']);
  const plugin = [fields['plugin_name'], fields['bigdata_version'] ?? fields['hadoop_version']];
  const name = plugins.find((each) => each === plugin.filter((word) => typeof word === 'string').join(' '));
  if (name !== undefined && !(await isThere(peer, `${home}/plugins/${name.replace(' ', '/')}`)))
    cannotTry(`it needs the plugin ${name}`);
  if (fields['default_image_id'] === imageId && !(await isThere(peer, `${home}/images/${target.image ?? imageId}`)))
    cannotTry('it needs an image to start clusters from: --image');
}
