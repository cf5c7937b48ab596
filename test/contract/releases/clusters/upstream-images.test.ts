// Where the branded dialects differ from section 4.2 as written: words, kept tags, empty user names, what is not registered.
import { describe, expect, test } from 'vitest';
import { onlyHere, type Peer, serve } from '../../support.ts';

const path = '/v1.1/t/images';
const plain = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const catalog = { images: [{ id: plain, name: 'one', registered: false }] };
const register = (peer: Peer, body: object) => peer.post(`${path}/${plain}`, body);
const branded = [
  ['sahara', '_sahara_'],
  ['savanna', '_savanna_'],
] as const;

describe.each(branded)('%s', (dialect, prefix) => {
  test('metadata has the prefix of the brand; the description is a field, too', async () => {
    onlyHere('it needs images of certain names');
    const peer = await serve({ dialect, catalog });
    const { status, body } = await register(peer, { username: 'ubuntu', description: 'all in it' });
    expect(status).toBe(202);
    expect(body.image).toMatchObject({
      id: plain,
      name: 'one',
      username: 'ubuntu',
      description: 'all in it',
      tags: [],
    });
    expect(body.image.metadata).toEqual({ [`${prefix}username`]: 'ubuntu', [`${prefix}description`]: 'all in it' });
    expect(body.image).not.toHaveProperty('tenant_id');
    const tagged = await peer.post(`${path}/${plain}/tag`, { tags: ['1.2.1'] });
    expect(tagged.body.image.metadata).toMatchObject({ [`${prefix}tag_1.2.1`]: 'True' });
    const untagged = await peer.post(`${path}/${plain}/untag`, { tags: ['1.2.1'] });
    expect(untagged.body).toEqual(body);
  });

  test('repeating a registration keeps the tags', async () => {
    const peer = await serve({ dialect, catalog });
    await register(peer, { username: 'ubuntu' });
    await peer.post(`${path}/${plain}/tag`, { tags: ['a'] });
    const { body } = await register(peer, { username: 'root' });
    expect(body.image).toMatchObject({ username: 'root', tags: ['a'] });
  });

  test('an empty user name ends the registration', async () => {
    const peer = await serve({ dialect, catalog });
    await register(peer, { username: 'ubuntu' });
    expect((await peer.get(path)).body.images).toHaveLength(1);
    expect((await register(peer, { username: '' })).status).toBe(202);
    expect((await peer.get(path)).body.images).toEqual([]);
  });

  test('null is refused as a description', async () => {
    const peer = await serve({ dialect, catalog });
    const { status, body } = await register(peer, { username: 'u', description: null });
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

test('sahara does not show what is not registered, savanna does', async () => {
  const sahara = await serve({ dialect: 'sahara', catalog });
  const { status, body } = await sahara.get(`${path}/${plain}`);
  expect([status, body.error_name]).toEqual([400, 'IMAGE_NOT_REGISTERED']);
  expect((await sahara.get(`${path}/ubuntu`)).status).toBe(404);
  await register(sahara, { username: 'u' });
  expect((await sahara.get(`${path}/${plain}`)).status).toBe(200);
  const savanna = await serve({ dialect: 'savanna', catalog });
  expect((await savanna.get(`${path}/${plain}`)).body.image).toMatchObject({ username: null, tags: [], metadata: {} });
});

test.each([
  ['sahara', ''],
  ['savanna', null],
] as const)('%s: every field of an image; what was never noted reads as %j', async (dialect, nothing) => {
  onlyHere('it needs images of certain names');
  const peer = await serve({ dialect, catalog });
  const { image } = (await peer.post(`${path}/${plain}/tag`, { tags: ['a'] })).body;
  expect(image).toEqual({
    id: plain,
    name: 'one',
    username: nothing,
    description: nothing,
    tags: ['a'],
    metadata: { [`_${dialect}_tag_a`]: 'True' },
    status: 'ACTIVE',
    minDisk: 0,
    minRam: 0,
    progress: 100,
    created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    'OS-EXT-IMG-SIZE:size': expect.any(Number),
  });
});

test('sahara: a description stays until there is another', async () => {
  const peer = await serve({ dialect: 'sahara', catalog });
  await register(peer, { username: 'u', description: 'first' });
  expect((await register(peer, { username: 'v' })).body.image).toMatchObject({ username: 'v', description: 'first' });
  expect((await register(peer, { username: 'v', description: 'next' })).body.image.description).toBe('next');
});

test.each([
  ['sahara', '?name=buntu', ['ubuntu 1', 'ubuntu 2']],
  ['sahara', '?name=ubuntu%202', ['ubuntu 2']],
  ['sahara', '?name=Ubuntu', []],
  ['sahara', '?name=buntu&tags=none', []],
  ['sahara', '?name=', ['ubuntu 1', 'ubuntu 2', 'centos']],
  ['savanna', '?name=none', ['ubuntu 1', 'ubuntu 2', 'centos']],
] as const)('%s: images with a part of a name: %s', async (dialect, query, names) => {
  const images = ['ubuntu 1', 'ubuntu 2', 'centos'].map((name, index) => ({
    id: plain.replace(/.$/, String(index)),
    name,
    registered: true,
  }));
  const { body } = await (await serve({ dialect, catalog: { images } })).get(`${path}${query}`);
  expect(body.images.map(({ name }: { name: string }) => name)).toEqual(names);
});
