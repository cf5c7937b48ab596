// Long lists leave in parts, and say the same as short ones do.
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Injector } from '../../../../dev/personality/injector.ts';
import { systemClock } from '../../../../src/lib/system.ts';
import { type Json, type Peer, serve, workers } from '../../../contract/support.ts';

const path = '/v1.1/t/node-group-templates';

async function fill(peer: Peer, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `workers-${index}`);
  for (const name of names) expect((await peer.post(path, { ...workers, name })).status).toBe(202);
  return names;
}

const namesIn = (body: Json): readonly string[] => body.node_group_templates.map(({ name }: Json) => name);

test.each([0, 1, 100, 201])('all of %i rows are there, in order', async (count) => {
  const peer = await serve();
  const names = await fill(peer, count);
  const { status, headers, body } = await peer.get(path);
  expect([status, namesIn(body)]).toEqual([200, names]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('transfer-encoding')).toBe(count > 200 ? 'chunked' : null);
});

const { bigdata_version: hadoop_version, ...unversioned } = workers;
const late = (name: string, description: string) => ({ ...unversioned, hadoop_version, name, description });

/** Asks for the list, and reads nothing but its beginning until `readOn` is called. */
async function askSlowly(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  await once(socket, 'readable');
  return async () => (await buffer(socket)).toString();
}

test('large rows leave in parts of one row, and one that is gone by then is not shown', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const count = 24;
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push((await peer.post(path, late(`workers-${index}`, 'x'.repeat(400_000)))).body.node_group_template.id);
  const readOn = await askSlowly(peer.url);
  // What the network takes without being read is a few rows.
  expect((await peer.remove(`${path}/${ids[count - 1]}`)).status).toBe(204);
  const answer = await readOn();
  const chunks = answer.split(/\r\n[0-9a-f]+\r\n/);
  expect(chunks.length).toBeGreaterThan(count / 2);
  const { node_group_templates: shown } = JSON.parse(
    chunks
      .slice(1)
      .join('')
      .replace(/\r\n0\r\n\r\n$/, ''),
  );
  expect(shown.map(({ id }: Json) => id)).toEqual(ids.slice(0, -1));
});

test('whoever looks at answers before they leave gets them whole', async () => {
  const peer = await serve({ hooks: new Injector(systemClock, {}) });
  const names = await fill(peer, 150);
  const { headers, body } = await peer.get(path);
  expect(namesIn(body)).toEqual(names);
  expect(headers.has('content-length')).toBe(true);
});
