// Long lists leave in parts, and say the same as short ones do.
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { Injector } from '../../../src/service/faults/injector.ts';
import { type Json, type Peer, serve, workers } from '../../contract/support.ts';

const path = '/v1.1/t/node-group-templates';

async function fill(peer: Peer, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `workers-${index}`);
  for (const name of names) expect((await peer.post(path, { ...workers, name })).status).toBe(202);
  return names;
}

const namesIn = (body: Json): readonly string[] => body.node_group_templates.map(({ name }: Json) => name);

test.each([0, 1, 99, 100, 101, 200, 201])('all of %i rows are there, in order', async (count) => {
  const peer = await serve();
  const names = await fill(peer, count);
  const { status, headers, body } = await peer.get(path);
  expect([status, namesIn(body)]).toEqual([200, names]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('transfer-encoding')).toBe(count > 100 ? 'chunked' : null);
});

test('a page of many rows has its markers', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const body = ({ bigdata_version: hadoop_version, ...rest }: typeof workers, name: string) => ({
    ...rest,
    hadoop_version,
    name,
  });
  for (let index = 0; index < 151; index += 1)
    expect((await peer.post(path, body(workers, `workers-${index}`))).status).toBe(202);
  const page = (await peer.get(`${path}?limit=150`)).body;
  expect(page.node_group_templates).toHaveLength(150);
  expect(page.markers.next).toBe(page.node_group_templates[149].id);
});

test('whoever looks at answers before they leave gets them whole', async () => {
  const peer = await serve({ injector: new Injector(systemClock, {}) });
  const names = await fill(peer, 150);
  const { headers, body } = await peer.get(path);
  expect(namesIn(body)).toEqual(names);
  expect(headers.has('content-length')).toBe(true);
});
