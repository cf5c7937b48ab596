// Section 4.2: registering images, tagging them, and what that means for starting clusters.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  errorBody,
  expectWords,
  imageId,
  type Json,
  known,
  onlyIn,
  ours,
  oursOnly,
  type Peer,
  pluginPath,
  promised,
  type Reply,
  scene,
  serve,
  smallGroup,
  spoken,
  startBody,
  unknownId,
} from '../../support.ts';

const path = '/v1.0/t/images';
const plain = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const second = '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13';
const prepared = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
const registration = { username: 'ubuntu', description: 'Ubuntu with everything in it' };
const twoImages = {
  images: [
    { id: plain, name: 'one', registered: false },
    { id: second, name: 'two', registered: false },
  ],
};

const register = (peer: Peer, id = plain, body: object = registration) => peer.post(`${path}/${id}`, body);
const tag = (peer: Peer, tags: readonly unknown[], id = plain) => peer.post(`${path}/${id}/tag`, { tags });
const untag = (peer: Peer, tags: readonly unknown[], id = plain) => peer.post(`${path}/${id}/untag`, { tags });

/** Late releases do not even show it. */
function expectUnregistered({ status, body }: Reply): void {
  if (spoken === 'sahara') return expect([status, body]).toEqual([400, errorBody(400, 'IMAGE_NOT_REGISTERED')]);
  expect(body.image).toMatchObject({ id: plain, tags: [], metadata: {} });
  expect(body.image).not.toHaveProperty('username');
}

/** The interface promises no order. */
const arranged = (words: readonly string[]): readonly string[] => (ours ? words : words.toSorted());

const idsOf = async (peer: Peer, query = ''): Promise<readonly string[]> =>
  arranged((await peer.get(`${path}${query}`)).body.images.map(({ id }: Json) => id));

describe('section 4.2 rule 3: registration', () => {
  test('POST: 202, the image with no tags and metadata of user name and description', async () => {
    const peer = await serve({ catalog: twoImages });
    const { status, body } = await register(peer);
    expect(status).toBe(202);
    expect(body).toEqual({
      image: {
        id: plain,
        name: known('one', /./),
        status: 'ACTIVE',
        username: 'ubuntu',
        tags: [],
        minDisk: promised(expect.any(Number), 0),
        minRam: promised(expect.any(Number), 0),
        progress: promised(expect.any(Number), 100),
        metadata: { _svc_username: 'ubuntu', _svc_description: 'Ubuntu with everything in it' },
      },
    });
  });

  test('without a description there is none in the metadata', async () => {
    const peer = await serve();
    const { status, body } = await register(peer, plain, { username: 'centos' });
    expect([status, body.image.metadata]).toEqual([202, { _svc_username: 'centos' }]);
  });

  test('repeated, it replaces what was said before; the tags are gone as the answer says', async () => {
    onlyIn('neutral');
    const peer = await serve();
    await register(peer);
    await tag(peer, ['a']);
    const { status, body } = await register(peer, plain, { username: 'root' });
    expect([status, body.image.tags, body.image.metadata]).toEqual([202, [], { _svc_username: 'root' }]);
    expect((await peer.get(`${path}/${plain}`)).body).toEqual(body);
  });

  test('section 4.2 rule 4: GET: 200, what the POST answered; the list has it from then on', async () => {
    const peer = await serve({ catalog: twoImages });
    expect((await peer.get(path)).body).toEqual({ images: [] });
    const { body } = await register(peer);
    expect((await peer.get(`${path}/${plain}`)).body).toEqual(body);
    const list = await peer.get(path);
    expect([list.status, list.body]).toEqual([200, { images: [body.image] }]);
  });

  test('section 4.2 rule 5: DELETE: 204, empty; the image is no longer in the list, and has neither user name nor tags', async () => {
    const peer = await serve({ catalog: twoImages });
    await register(peer);
    await tag(peer, ['a', 'b']);
    const { status, text } = await peer.remove(`${path}/${plain}`);
    expect([status, text]).toEqual([204, '']);
    expect(await idsOf(peer)).toEqual([]);
    expectUnregistered(await peer.get(`${path}/${plain}`));
    expect((await peer.remove(`${path}/${plain}`)).status).toBe(204);
  });

  test('section 4.2 rule 5: an image that was unregistered can be registered again', async () => {
    const peer = await serve();
    await register(peer);
    await peer.remove(`${path}/${plain}`);
    expect((await register(peer)).body.image.username).toBe('ubuntu');
    expect(await idsOf(peer)).toContain(plain);
  });

  test('section 7 rule 3: an image that the cloud does not have is not there', async () => {
    const peer = await serve({ catalog: twoImages });
    const answers = [
      await peer.get(`${path}/${unknownId}`),
      await register(peer, unknownId),
      await tag(peer, ['a'], unknownId),
      await untag(peer, ['a'], unknownId),
      await peer.remove(`${path}/${unknownId}`),
      await peer.get(`${path}/ubuntu`),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([404, errorBody(404, 'NOT_FOUND')]);
    expectWords(answers[0]?.body, unknownId);
  });

  test('section 4 rule 1: one tenant knows nothing of what another registers', async () => {
    oursOnly('that registrations belong to a tenant');
    const peer = await serve({ catalog: twoImages });
    await register(peer);
    await tag(peer, ['a']);
    expect((await peer.get('/v1.0/other/images')).body).toEqual({ images: [] });
    expectUnregistered(await peer.get(`/v1.0/other/images/${plain}`));
    expect((await peer.remove(`/v1.0/other/images/${plain}`)).status).toBe(204);
    expect(await idsOf(peer)).toEqual([plain]);
  });

  test('section 4 rule 2: the suffix .json changes nothing', async () => {
    const peer = await serve({ catalog: twoImages });
    expect((await peer.post(`${path}/${plain}.json`, registration)).status).toBe(202);
    expect((await peer.post(`${path}/${plain}/tag.json`, { tags: ['a', 'b'] })).status).toBe(202);
    const { body } = await peer.post(`${path}/${plain}/untag.json`, { tags: ['b'] });
    expect((await peer.get(`${path}/${plain}.json`)).body).toEqual(body);
    expect((await peer.get(`${path}.json?tags=a`)).body).toEqual({ images: [body.image] });
    expect((await peer.remove(`${path}/${plain}.json`)).status).toBe(204);
  });

  test.each([
    ['PUT', ''],
    ['PATCH', ''],
    ['PUT', `/${plain}`],
    ['GET', `/${plain}/tag`],
    ['DELETE', `/${plain}/untag`],
  ])('section 7 rule 5: %s images%s: 405', async (method, below) => {
    const peer = await serve();
    const { status, body } = await peer.send(method, path + below);
    expect([status, body]).toEqual([405, errorBody(405, 'METHOD_NOT_ALLOWED', 'framework')]);
  });
});

describe('section 4.2: tags', () => {
  test('rule 1: each added tag is in tags and in the metadata with the value True', async () => {
    const peer = await serve();
    await register(peer, plain, { username: 'u' });
    const { status, body } = await tag(peer, scene.imageTags);
    expect(status).toBe(202);
    expect(body.image.tags).toEqual(scene.imageTags);
    const entries = scene.imageTags.map((each) => [`_svc_tag_${each}`, 'True']);
    expect(body.image.metadata).toEqual({ _svc_username: 'u', ...Object.fromEntries(entries) });
    expect((await peer.get(`${path}/${plain}`)).body).toEqual(body);
  });

  test('rule 2: removed tags are gone from tags and metadata, all else stays', async () => {
    const peer = await serve();
    await register(peer, plain, { username: 'u' });
    await tag(peer, ['a', 'b', 'c']);
    const { status, body } = await untag(peer, ['a', 'c', 'never-there']);
    expect(status).toBe(202);
    expect(body.image.tags).toEqual(['b']);
    expect(body.image.metadata).toEqual({ _svc_username: 'u', _svc_tag_b: 'True' });
    expect((await peer.get(`${path}/${plain}`)).body).toEqual(body);
  });

  test('section 4.2 rule 1: adding what is there, twice in one request, or nothing, is no error', async () => {
    const peer = await serve();
    await register(peer);
    await tag(peer, ['a']);
    expect((await tag(peer, ['a', 'b', 'b'])).body.image.tags).toEqual(['a', 'b']);
    expect((await tag(peer, [])).body.image.tags).toEqual(['a', 'b']);
    expect((await untag(peer, [])).body.image.tags).toEqual(['a', 'b']);
  });

  test('section 4.2 rule 4: an image that is not registered takes tags, and stays out of the list', async () => {
    const peer = await serve({ catalog: twoImages });
    const { status, body } = await tag(peer, ['a']);
    expect([status, body.image.tags]).toEqual([202, ['a']]);
    expect((await peer.get(`${path}?tags=a`)).body).toEqual({ images: [] });
  });

  test('section 4.2 rule 4: GET with tags: the images that carry all of them', async () => {
    const peer = await serve({ catalog: twoImages });
    await register(peer, plain);
    await register(peer, second);
    await tag(peer, ['a', 'b'], plain);
    await tag(peer, ['b', 'c.d'], second);
    expect(await idsOf(peer)).toEqual([plain, second]);
    expect(await idsOf(peer, '?tags=a')).toEqual([plain]);
    expect(await idsOf(peer, '?tags=b')).toEqual([plain, second]);
    expect(await idsOf(peer, '?tags=a&tags=b')).toEqual([plain]);
    expect(await idsOf(peer, '?tags=c.d&tags=b')).toEqual([second]);
    expect(await idsOf(peer, '?tags=a&tags=c.d')).toEqual([]);
    expect(await idsOf(peer, '?tags=B')).toEqual([]);
  });

  test('section 4.2 rule 2: whatever is added and removed, tags and metadata agree with a set', async () => {
    const peer = await serve({ catalog: twoImages });
    await register(peer, plain, { username: 'u' });
    const name = fc.constantFrom('a', 'b', '1.2.1', 'x_y', 'constructor', 'toString');
    const step = fc.tuple(fc.constantFrom('tag', 'untag'), fc.array(name, { maxLength: 4 }));
    const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const before = (await peer.get(`${path}/${plain}`)).body.image.tags as readonly string[];
      const tags = new Set(before);
      for (const [verb, names] of steps) {
        for (const each of names) tags[verb === 'tag' ? 'add' : 'delete'](each);
        const { status, body } = await peer.post(`${path}/${plain}/${verb}`, { tags: names });
        expect([status, arranged(body.image.tags)]).toEqual([202, arranged([...tags])]);
        const entries = [...tags].map((each) => [`_svc_tag_${each}`, 'True']);
        expect(body.image.metadata).toEqual({ _svc_username: 'u', ...Object.fromEntries(entries) });
        const query = [...tags].map((each) => `tags=${each}`).join('&');
        expect(await idsOf(peer, `?${query}`)).toEqual([plain]);
      }
    });
    await fc.assert(property, { numRuns: 12 });
  });
});

describe('section 4.2, section 7 rule 4: bodies that are refused', () => {
  test.each([
    [{}, 'username: is required'],
    [{ description: 'x' }, 'username: is required'],
    [{ username: 7 }, 'username: '],
    [{ username: null }, 'username: '],
    [{ username: '' }, 'username: is empty'],
    [{ username: 'u', description: null }, 'description: '],
    [{ username: 'u', description: 7 }, 'description: '],
    [{ username: 'u', tags: ['a'] }, 'tags: unknown field'],
  ])('POST %j', async (body, text) => {
    if (text.endsWith('is empty')) onlyIn('neutral');
    const peer = await serve({ catalog: twoImages });
    const reply = await register(peer, plain, body);
    expect([reply.status, reply.body]).toEqual([400, errorBody(400, 'VALIDATION_ERROR')]);
    expectWords(reply.body, text);
    expect(await idsOf(peer)).toEqual([]);
  });

  test.each([
    [{}, 'tags: is required'],
    [{ tags: 'a' }, 'tags: '],
    [{ tags: null }, 'tags: '],
    [{ tags: [7] }, 'tags[0]: '],
    [{ tags: ['a', ''] }, 'tags[1]: is not a tag'],
    [{ tags: ['a b'] }, 'tags[0]: is not a tag'],
    [{ tags: ['a.'] }, 'tags[0]: is not a tag'],
    [{ tags: ['-a'] }, 'tags[0]: is not a tag'],
    [{ tags: ['a\n'] }, 'tags[0]: is not a tag'],
    [{ tags: ['a'], username: 'u' }, 'username: unknown field'],
  ])('tag and untag %j', async (body, text) => {
    // Releases of upstream overlook a line end.
    if (JSON.stringify(body).includes('\\n')) onlyIn('neutral');
    const peer = await serve();
    await register(peer);
    await tag(peer, ['old']);
    for (const verb of ['tag', 'untag']) {
      const reply = await peer.post(`${path}/${plain}/${verb}`, body);
      expect([reply.status, reply.body]).toEqual([400, errorBody(400, 'VALIDATION_ERROR')]);
      expectWords(reply.body, text);
    }
    expect((await peer.get(`${path}/${plain}`)).body.image.tags).toEqual(['old']);
  });

  test('section 7 rule 4: bodies at random get a documented answer', async () => {
    const peer = await serve();
    await untag(peer, []);
    const verb = fc.constantFrom('', '/tag', '/untag');
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((username) => JSON.stringify({ username })),
      fc.jsonValue().map((tags) => JSON.stringify({ tags })),
      fc.array(fc.string()).map((tags) => JSON.stringify({ tags })),
    );
    const property = fc.asyncProperty(verb, text, async (below, body) => {
      const reply = await peer.post(`${path}/${plain}${below}`, body);
      if (reply.status !== 202)
        expect([reply.status, reply.body]).toEqual([400, errorBody(400, reply.body.error_name)]);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  test('a query at random asks for images, whatever it says', async () => {
    oursOnly('that unknown queries are ignored');
    const peer = await serve();
    const parameter = fc.tuple(fc.constantFrom('tags', 'tags[]', 'name', '__proto__', ''), fc.string());
    const property = fc.asyncProperty(fc.array(parameter, { maxLength: 5 }), async (parameters) => {
      const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      const { status, body } = await peer.get(`${path}?${query}`);
      expect([status, body.images]).toEqual([200, expect.any(Array)]);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});

describe('section 4.2 rule 6: what a cluster may be started from', () => {
  const node_groups = [smallGroup];
  const start = (peer: Peer, image: string) =>
    peer.post('/v1.0/t/clusters', { ...startBody, default_image_id: image, node_groups });
  const outcome = async (peer: Peer, image: string) => {
    const { status, body } = await start(peer, image);
    return [status, body.error_name];
  };

  test('an image that is registered and carries the tags that the plugin asks for', async () => {
    const peer = await serve();
    const { required_image_tags } = (await peer.get(`/v1.0/t/${pluginPath}`)).body.plugin;
    expect(await outcome(peer, plain)).toEqual([400, 'INVALID_REFERENCE']);
    await register(peer);
    expectWords((await start(peer, plain)).body, `lacks the tags ${scene.imageTags.join(', ')}`);
    await tag(peer, required_image_tags.slice(1));
    expect(await outcome(peer, plain)).toEqual([400, 'INVALID_REFERENCE']);
    await tag(peer, required_image_tags);
    expect(await outcome(peer, plain)).toEqual([202, undefined]);
  });

  test('tags alone do not make an image usable', async () => {
    const peer = await serve();
    await tag(peer, scene.imageTags);
    expectWords((await start(peer, plain)).body, 'is not registered');
  });

  test('an image without hyphens is the same image', async () => {
    oursOnly('that identifiers may lack hyphens');
    const peer = await serve();
    expect(await outcome(peer, second.replaceAll('-', '').toUpperCase())).toEqual([400, 'INVALID_REFERENCE']);
    await register(peer, second);
    await tag(peer, scene.imageTags, second);
    expect(await outcome(peer, second.replaceAll('-', '').toUpperCase())).toEqual([202, undefined]);
  });

  test('the registration of another tenant does not count', async () => {
    oursOnly('that registrations belong to a tenant');
    const peer = await serve();
    await peer.post(`/v1.0/other/images/${plain}`, registration);
    await peer.post(`/v1.0/other/images/${plain}/tag`, { tags: scene.imageTags });
    expect(await outcome(peer, plain)).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('the prepared image is registered for all plugins, until somebody takes it away', async () => {
    const peer = await serve({ catalog: {} });
    const { plugins } = (await peer.get('/v1.0/t/plugins')).body;
    const [image] = (await peer.get(path)).body.images;
    expect(image).toMatchObject({ id: prepared, username: 'ubuntu' });
    for (const { name, versions } of plugins) expect(image.tags).toEqual(expect.arrayContaining([name, ...versions]));
    expect(await outcome(peer, prepared)).toEqual([202, undefined]);
    await peer.remove(`${path}/${prepared}`);
    expect((await start(peer, prepared)).status).toBe(400);
    expect(await idsOf(peer)).toEqual([]);
  });

  test('any other image of a cloud that nobody configured is ready, and is listed once it was touched', async () => {
    const peer = await serve({ catalog: {} });
    expect((await peer.get(`${path}/${imageId}`)).body.image.username).toBe('ubuntu');
    expect(await idsOf(peer)).not.toContain(imageId);
    await register(peer, imageId);
    expect(await idsOf(peer)).toContain(imageId);
  });
});
