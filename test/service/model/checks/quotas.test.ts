// What one tenant may have kept: rows of all kinds, and bytes of binaries. What is over the limit is refused with the remedy.
import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { dialects } from '../../../../src/wire/dialect.ts';
import { imageId, type Peer, serve, workers } from '../../../contract/support.ts';

const type = { 'content-type': 'application/octet-stream' };
const upload = (peer: Peer, name: string, body: string, tenant = 't') =>
  peer.send('PUT', `/v1.1/${tenant}/job-binary-internals/${name}`, body, type);

test.each(dialects)('%s: bytes of binaries', async (dialect) => {
  const peer = await serve({ dialect, catalog: { byteQuota: 10 } });
  const first = await upload(peer, 'a', '123456');
  expect(first.status).toBe(202);
  const refused = await upload(peer, 'b', '12345');
  expect([refused.status, refused.body.error_name]).toEqual([400, 'QUOTA_ERROR']);
  expect(refused.body.error_message).toContain(
    'cannot keep binary of 5 bytes in tenant t: its binaries have 6 of 10 bytes; delete what is not needed, or start the service with a larger --quota-bytes',
  );
  expect((await upload(peer, 'b', '1234')).status).toBe(202);
  expect((await upload(peer, 'b', '12345', 'u')).status).toBe(202);
  expect((await peer.remove(`/v1.1/t/job-binary-internals/${first.body.job_binary_internal.id}`)).status).toBe(204);
  expect((await upload(peer, 'c', '12345')).status).toBe(202);
});

const path = '/v1.1/t/node-group-templates';

test('rows of all kinds, of one tenant', async () => {
  const peer = await serve({ catalog: { rowQuota: 2 } });
  expect((await upload(peer, 'a', 'bytes')).status).toBe(202);
  const { body } = await peer.post(path, workers);
  const refusals = [
    await peer.post(path, { ...workers, name: 'other' }),
    await upload(peer, 'b', 'bytes'),
    await peer.post('/v1.1/t/job-binaries', {
      name: 'b',
      url: 's3://b/o',
      extra: { accesskey: 'a', secretkey: 'b', endpoint: 'c' },
    }),
    await peer.post('/v1.1/t/data-sources', { name: 'd', type: 'hdfs', url: '/d' }),
    await peer.post(`/v1.1/t/images/${imageId}`, { username: 'me' }),
  ];
  for (const { status, body: refusal } of refusals)
    expect([status, refusal]).toEqual([
      400,
      {
        error_code: 400,
        error_name: 'QUOTA_ERROR',
        error_message:
          'cannot create anything in tenant t: it has 2 of 2 rows; delete what is not needed, or start the service with a larger --quota-rows',
      },
    ]);
  expect((await upload(peer, 'a', 'bytes', 'u')).status).toBe(202);
  await peer.remove(`${path}/${body.node_group_template.id}`);
  expect((await peer.post(path, workers)).status).toBe(202);
});

test('large rows: nothing new, and no large change, until there is room; small changes and deletions go on', async () => {
  const peer = await serve({ dialect: 'sahara', stageMs: 0, catalog: { rowByteQuota: 20_000 } });
  const { bigdata_version: hadoop_version, plugin_name } = workers;
  const image = { default_image_id: imageId, neutron_management_network: imageId };
  const node_groups = [{ name: 'g', count: 1, flavor_id: '1', node_processes: ['namenode'] }];
  const body = { name: 'c', plugin_name, hadoop_version, ...image, node_groups };
  const first = await peer.post('/v1.1/t/clusters', { ...body, description: 'x'.repeat(20_000) });
  const at = `/v1.1/t/clusters/${first.body.cluster.id}`;
  const isActive = async () => {
    await expect.poll(async () => (await peer.get(at)).body.cluster.status).toBe('Active');
  };
  await isActive();
  const resize = (name: string) => peer.put(at, { resize_node_groups: [{ name, count: 2 }] });
  const refusals = [
    ['create anything', await peer.post('/v1.1/t/clusters', { ...body, name: 'other' })],
    ['make a large change', await peer.put(at, { add_node_groups: [...node_groups, ...node_groups] })],
  ] as const;
  for (const [what, { status, body: refusal }] of refusals) {
    expect([status, refusal.error_name]).toEqual([400, 'QUOTA_ERROR']);
    expect(refusal.error_message).toMatch(
      new RegExp(
        `^cannot ${what} in tenant t: its rows take \\d{5} of 20000 bytes of memory; .* larger --quota-row-bytes`,
      ),
    );
  }
  expect((await resize('g')).status).toBe(202);
  await isActive();
  expect((await peer.remove(at)).status).toBe(204);
  await expect.poll(async () => (await peer.get(at)).status).toBe(404);
  expect((await peer.post('/v1.1/t/clusters', body)).status).toBe(202);
});

test('a row of many keys counts for its keys, too', () => {
  const store = createMemoryStore();
  const credentials = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, '']));
  store.put('dataSources', 'a', { id: 'a', name: 'a', created_at: '', type: 'hdfs', url: '/d', credentials } as never);
  expect(store.size('a')).toBeGreaterThan(800_000);
});

test('a text with a character beyond Latin-1 counts twice, because it takes twice the memory', () => {
  const store = createMemoryStore();
  const sizeOf = (id: string, description: string) => {
    store.put('dataSources', id, { id, name: id, created_at: '', type: 'hdfs', url: '/d', description });
    return store.size(id);
  };
  expect(sizeOf('a', 'x'.repeat(10_000))).toBeLessThan(22_000);
  expect(sizeOf('b', `Ā${'x'.repeat(9_999)}`)).toBeGreaterThan(40_000);
});

test('a tenant takes at most half of the memory for rows, and all tenants together all of it', async () => {
  const peer = await serve({ catalog: { allRowBytes: 100_000 } });
  const create = (tenant: string, name: string, length: number) =>
    peer.post(`/v1.1/${tenant}/data-sources`, { name, type: 'hdfs', url: '/d', description: 'x'.repeat(length) });
  expect((await create('a', 'large', 25_000)).status).toBe(202);
  const refused = await create('a', 'more', 0);
  expect([refused.status, refused.body.error_message]).toEqual([
    400,
    expect.stringMatching(
      /^cannot create anything in tenant a: its rows take 5\d{4}, .* of which a tenant gets at most half; delete/,
    ),
  ]);
  expect((await create('b', 'large', 24_000)).status).toBe(202);
  expect((await create('c', 'any', 0)).body.error_message).toMatch(/those of all tenants 10\d{4}, of 100000 bytes/);
  expect(
    (await peer.remove(`/v1.1/a/data-sources/${(await peer.get('/v1.1/a/data-sources')).body.data_sources[0].id}`))
      .status,
  ).toBe(204);
  expect((await create('c', 'any', 0)).status).toBe(202);
});
