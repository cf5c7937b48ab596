// What the tests of section 4.6 have in common: literal bodies, and the rows that one resource needs before it can be made.
import { expect } from 'vitest';
import type { ManualClock } from '../../../support/clock.ts';
import { removeRow } from '../../foreign/rows/rows.ts';
import {
  hasEnded,
  imageId,
  type Json,
  networkId,
  ours,
  type Peer,
  type Reply,
  type Spoken,
  scene,
  smallGroup,
  spoken,
  timestamp,
  until,
} from '../../support.ts';

export const base = '/v1.1/t';
export const words = {
  neutral: { version: 'bigdata_version', internal: 'internal-db://' },
  sahara: { version: 'hadoop_version', internal: 'internal-db://' },
  savanna: { version: 'hadoop_version', internal: 'savanna-db://' },
} as const;

export const refused = ({ status, body }: Reply) => [status, body?.error_name];
export const created = ({ status, text, body }: Reply): Json => {
  expect([status, text]).toEqual([202, text]);
  return Object.values(body)[0];
};

/** A data source that any dialect takes. */
export const swift = {
  name: 'input',
  type: 'swift',
  url: 'swift://container/in',
  credentials: { user: 'me', password: 'secret' },
};
/** The same where the service takes it, and otherwise one in HDFS. */
export const usual = scene.refused.sources.includes('swift')
  ? ({ name: 'input', type: 'hdfs', url: 'hdfs://container/in' } as const)
  : swift;
/** A place for another data source. */
export const placeOf = (path: string): string => `${usual.type}://c/${path}`;

export const createSource = async (peer: Peer, fields: object = {}): Promise<Json> =>
  created(await peer.post(`${base}/data-sources`, { ...usual, ...fields }));

export const upload = (peer: Peer, name: string, text = 'bytes') =>
  peer.send('PUT', `${base}/job-binary-internals/${name}`, text, { 'content-type': 'application/octet-stream' });

/** A job binary whose bytes the service keeps. */
export async function createBinary(peer: Peer, name: string, dialect: Spoken = 'neutral'): Promise<Json> {
  const internal = created(await upload(peer, `${name}.bytes`, `the bytes of ${name}`));
  return created(await peer.post(`${base}/job-binaries`, { name, url: words[dialect].internal + internal.id }));
}

/** A Shell job, or in early releases a Pig job: both need a script and nothing else. */
export async function createJob(peer: Peer, dialect: Spoken = 'neutral', fields: object = {}): Promise<Json> {
  const script = await createBinary(peer, `script-${Math.random().toString(36).slice(2)}`, dialect);
  const type = dialect === 'savanna' || spoken === 'savanna' ? 'Pig' : 'Shell';
  return created(await peer.post(`${base}/jobs`, { name: 'job', type, mains: [script.id], ...fields }));
}

/** A cluster that has only been asked for. */
export async function createCluster(peer: Peer, dialect: Spoken = 'neutral', fields: object = {}): Promise<Json> {
  const late = dialect === 'sahara' ? { neutron_management_network: networkId } : {};
  const body = {
    name: 'cluster-1',
    plugin_name: scene.plugin,
    [words[dialect].version]: scene.version,
    default_image_id: imageId,
    user_keypair_id: scene.keypair,
    node_groups: [smallGroup],
    ...late,
    ...fields,
  };
  return created(await peer.post(`${base}/clusters`, body));
}

/** How long a run of another service gets to end by itself: plugins need not be able to cancel one, and late releases then try for minutes. */
const graceMs = ours ? 0 : 30_000;

/** Until it is gone. Late releases forget a deletion if the run ends at that moment, so it is repeated. */
export async function removeRun(peer: Peer, id: string): Promise<void> {
  const path = `${base}/job-executions/${id}`;
  const last = Date.now() + graceMs;
  await until(
    () => peer.get(path),
    (reply) => Date.now() >= last || hasEnded(reply),
  );
  expect((await peer.remove(path)).status).toBe(204);
  await removeRow(peer, 'job-executions', path);
}

/** Of every row; the interface does not show them. */
export const stamps = ours ? { tenant_id: 't', created_at: timestamp } : {};

export const statusOf = async (peer: Peer, id: string): Promise<string | undefined> =>
  (await peer.get(`${base}/job-executions/${id}`)).body.job_execution?.info.status;

/** Every status of the execution at steps of 100 ms, as long as anything waits for its time; undefined: it is gone. */
export async function watch(peer: Peer, clock: ManualClock, id: string): Promise<readonly (string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  for (;;) {
    const status = await statusOf(peer, id);
    if (seen.at(-1) !== status || seen.length === 0) seen.push(status);
    if (clock.pending === 0 || status === undefined) return seen;
    await clock.advance(100);
  }
}
