// The rows that tests make: in which order they can be deleted, and how that is done.
import type { Peer } from '../../peer.ts';

/**
 * Collections by the key of one row, in the order in which rows are deleted. A run whose cluster is gone has ended. Late releases take minutes to cancel one
 * whose cluster is there.
 */
export const collectionOf: Readonly<Record<string, string>> = {
  cluster: 'clusters',
  job_execution: 'job-executions',
  job: 'jobs',
  job_binary: 'job-binaries',
  job_binary_internal: 'job-binary-internals',
  data_source: 'data-sources',
  cluster_template: 'cluster-templates',
  node_group_template: 'node-group-templates',
  image: 'images',
};
/** Those whose rows are made by whoever uses the service. */
export const collections: readonly string[] = Object.values(collectionOf).filter((each) => each !== 'images');

/** A late release gives up to cancel a run after five minutes, and then deletes it. */
const patienceMs = 400_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Whether it is gone before that time is over. Late releases try to cancel a run for each DELETE, so more of them only make it slower. */
async function vanishes(peer: Peer, path: string, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  for (let ms = 10; ; ms = Math.min(ms * 2, 1_000)) {
    if ((await peer.get(path)).status === 404) return true;
    if (Date.now() >= until) return false;
    await pause(ms);
  }
}

/** Deletes a row, and waits until it is gone. Throws what keeps it. */
export async function removeRow(peer: Peer, collection: string, path: string): Promise<void> {
  const until = Date.now() + patienceMs;
  let said = '';
  for (let ms = 10; Date.now() < until; ms = Math.min(ms * 2, 2_000)) {
    const reply = await peer.remove(path);
    if (reply.status === 404) return;
    if (reply.status < 300 && (collection === 'images' || (await vanishes(peer, path, 10_000)))) return;
    said = `${reply.status} ${reply.text}`;
    await pause(ms);
  }
  throw new Error(`cannot delete ${path}, which the run has made: ${said}`);
}
