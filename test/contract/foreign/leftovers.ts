// Rows of the run that no test knows of, because the answer to their creation was lost: found by its mark in their names.
import { connect, type Json, type Peer, peerOf } from '../peer.ts';
import type { Target } from './description.ts';
import { collections, removeRow } from './rows.ts';

const prefixOf = ({ dialect }: Target, collection: string): string =>
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

/** Deletes them, in the order in which they can be, and resolves to their paths. Throws what cannot be looked for or deleted. */
export async function sweep(target: Target): Promise<readonly string[]> {
  const bare = connect(target.endpoint);
  const headers = target.token === undefined ? {} : { 'x-auth-token': target.token };
  const peer = peerOf({ ...bare, send: (method, path, body) => bare.send(method, path, body, headers) });
  const found: string[] = [];
  for (const tenant of [target.tenant, target.otherTenant ?? []].flat()) {
    const pathOf = (collection: string) =>
      `/${prefixOf(target, collection)}/${encodeURIComponent(tenant)}/${collection}`;
    const jobs = (await listRows(peer, pathOf('jobs'))).filter((row) => isOurs(row, target.mark, new Set()));
    const ids = new Set(jobs.map(({ id }) => id as unknown));
    for (const collection of collections) {
      const rows = (await listRows(peer, pathOf(collection))).filter((row) => isOurs(row, target.mark, ids));
      const paths = rows.map(({ id }) => `${pathOf(collection)}/${id}`);
      for (const path of paths) await removeRow(peer, collection, path);
      found.push(...paths);
    }
  }
  return found;
}
