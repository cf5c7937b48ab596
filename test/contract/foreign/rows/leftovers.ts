// What a run leaves behind: rows that its tests could not delete, and rows that no test knows of, because the answer to their creation was lost. The
// latter have the mark of the run in their names.
import { connect, type Json, type Peer, peerOf } from '../../peer.ts';
import type { Target } from '../command/description.ts';
import { recorded } from './journal.ts';
import { collectionOf, collections, removeRow } from './rows.ts';

const prefixOf = ({ dialect }: Pick<Target, 'dialect'>, collection: string): string =>
  dialect !== 'sahara' && /^(cluster|node-group)/.test(collection) ? 'v1.0' : 'v1.1';

/** Whether the run made it: executions have no names, but jobs have. */
const isOurs = (row: Json, mark: string, jobs: ReadonlySet<unknown>): boolean =>
  (typeof row?.name === 'string' && row.name.includes(`-${mark}`)) || jobs.has(row?.job_id);

async function listRows(peer: Peer, path: string): Promise<readonly Json[]> {
  const { status, body } = await peer.get(path);
  // Not every service runs jobs.
  if (status === 404 || status === 501) return [];
  const rows = Object.values<Json>(body ?? {}).find((value) => Array.isArray(value));
  if (status !== 200 || rows === undefined)
    throw new Error(`cannot look for rows left behind: ${path} answers ${status}`);
  return rows as readonly Json[];
}

/** Where the run is, before anything is known about the service. */
export type Place = Omit<Target, 'ours' | 'scene'>;

/** Rows in the order in which they can be deleted. An image that is not registered has nothing left of the run. */
async function findRecorded(
  peer: Peer,
  place: Place,
): Promise<readonly (readonly [collection: string, path: string])[]> {
  const order = Object.values(collectionOf);
  const rows = recorded(place).map((path) => [path.split('/').at(-2) ?? '', path] as const);
  const there = [];
  for (const row of rows) if ((await peer.get(row[1])).status === 200) there.push(row);
  return there.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

async function findMarked(peer: Peer, place: Place): Promise<readonly (readonly [collection: string, path: string])[]> {
  const found = [];
  for (const tenant of [place.tenant, place.otherTenant ?? []].flat()) {
    const pathOf = (collection: string) =>
      `/${prefixOf(place, collection)}/${encodeURIComponent(tenant)}/${collection}`;
    const jobs = (await listRows(peer, pathOf('jobs'))).filter((row) => isOurs(row, place.mark, new Set()));
    const ids = new Set(jobs.map(({ id }) => id as unknown));
    for (const collection of collections) {
      const rows = (await listRows(peer, pathOf(collection))).filter((row) => isOurs(row, place.mark, ids));
      found.push(...rows.map(({ id }) => [collection, `${pathOf(collection)}/${id}`] as const));
    }
  }
  return found;
}

/** Deletes them, in the order in which they can be, and resolves to their paths. Throws what cannot be looked for or deleted. */
export async function sweep(place: Place): Promise<readonly string[]> {
  const bare = connect(place.endpoint);
  const headers = place.token === undefined ? {} : { 'x-auth-token': place.token };
  const peer = peerOf({ ...bare, send: (method, path, body) => bare.send(method, path, body, headers) });
  const deleted: string[] = [];
  // What is known is deleted even if a list cannot be read.
  for (const find of [findRecorded, findMarked]) {
    const found = await find(peer, place);
    for (const [collection, path] of found) {
      await removeRow(peer, collection, path);
      deleted.push(path);
    }
  }
  return deleted;
}
