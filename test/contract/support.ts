// A service to send literal requests to. Nothing here knows the schemas of the interface: the tests say what goes over the wire.

import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/ports.ts';
import { createSeededRandom } from '../../src/server/identifiers.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { systemClock } from '../../src/system.ts';

// The shape of an answer is what the tests are about, so they look into it freely.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export interface Peer {
  readonly url: string;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  put(path: string, body: unknown): Promise<Reply>;
  remove(path: string): Promise<Reply>;
}

/** Real time on a fixed day, so that time stamps in answers are known. */
const fixedDay: Clock = { ...systemClock, wall: () => Date.parse('2014-02-03T04:05:06.789Z') };

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Talks to a base address. Strings are sent as they are, everything else as JSON. */
export function connect(url: string): Peer {
  const send: Peer['send'] = async (method, path, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: parse(answer) };
  };
  return {
    url,
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    remove: (path) => send('DELETE', path),
  };
}

/** Starts a service for the test that calls it; every stage of a cluster is over at once unless options say otherwise. */
export async function serve(options: Partial<ServerOptions> = {}): Promise<Peer> {
  const server = createServer({ clock: fixedDay, random: createSeededRandom(7), ...options });
  onTestFinished(() => server.close());
  return connect(await server.start());
}

/** Asks again until the answer is as wanted; the test's own time limit ends a wait in vain. */
export async function until(ask: () => Promise<Reply>, wanted: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (wanted(reply)) return reply;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const imageId = 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4';
export const unknownId = '00000000-0000-4000-8000-000000000000';

/** Bodies as section 4 shows them. */
export const workers = {
  name: 'workers',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  node_processes: ['tasktracker', 'datanode'],
  flavor_id: '2',
};
export const masters = { ...workers, name: 'masters', node_processes: ['jobtracker', 'namenode'], flavor_id: '3' };

export const startBody = {
  name: 'cluster-1',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  default_image_id: imageId,
  user_keypair_id: 'my-key',
};

/** A node group template; resolves to its identifier. */
export async function createWorkers(peer: Peer, fields: object = {}): Promise<string> {
  const { body } = await peer.post('/v1.0/t/node-group-templates', { ...workers, ...fields });
  return body.node_group_template.id;
}

/** A cluster with two workers and a master, Active; resolves to it. */
export async function createActive(peer: Peer, fields: object = {}): Promise<Json> {
  const template = await createWorkers(peer, { name: `w-${Math.random().toString(36).slice(2)}` });
  const node_groups = [
    { name: 'workers', count: 2, node_group_template_id: template },
    { name: 'master', count: 1, flavor_id: '3', node_processes: ['jobtracker', 'namenode'] },
  ];
  const { body } = await peer.post('/v1.0/t/clusters', { ...startBody, node_groups, ...fields });
  return untilActive(peer, body.cluster.id);
}

/** Waits until the cluster is Active; resolves to it. */
export async function untilActive(peer: Peer, id: string): Promise<Json> {
  const { body } = await until(
    () => peer.get(`/v1.0/t/clusters/${id}`),
    ({ body: answer }) => answer.cluster.status === 'Active',
  );
  return body.cluster;
}
