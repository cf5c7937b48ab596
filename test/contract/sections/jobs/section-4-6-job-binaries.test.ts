// Section 4.6: job binaries, and the internal ones whose bytes the service keeps.
import { describe, expect, test } from 'vitest';
import {
  bundledOnly,
  cannotTry,
  expectWords,
  onlyIn,
  ours,
  oursOnly,
  scene,
  serve,
  spoken,
  unknownId,
  uuid,
} from '../../support.ts';
import { base, createBinary, created, refused, stamps, upload } from './section-4-6-support.ts';

const internals = `${base}/job-binary-internals`;
const binaries = `${base}/job-binaries`;
/** Upstream labels whatever it is as a page. */
const typeOfBytes = spoken === 'neutral' ? 'application/octet-stream' : 'text/html; charset=utf-8';
const hidden = '8c7d3a5e-secret';

describe('section 4.6 rule 1: PUT job-binary-internals', () => {
  test('202 with name and size, and without the bytes', async () => {
    const peer = await serve();
    const reply = await upload(peer, 'script.pig', hidden);
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({
      job_binary_internal: {
        id: expect.stringMatching(uuid),
        name: 'script.pig',
        datasize: hidden.length,
        ...stamps,
      },
    });
    const { id } = reply.body.job_binary_internal;
    const list = await peer.get(internals);
    expect(list.body).toEqual({ binaries: [reply.body.job_binary_internal] });
    expect((await peer.get(`${internals}/${id}`)).body).toEqual(reply.body);
    for (const text of [list.text, reply.text]) {
      expect(text).not.toContain(hidden);
      expect(text).not.toContain(Buffer.from(hidden).toString('base64'));
    }
  });

  test('section 4.6 rule 2: /data gives back the same bytes, whatever they are', async () => {
    const peer = await serve();
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7) % 256);
    const sent = await peer.fetch(`${internals}/raw`, { method: 'PUT', body: bytes });
    const { id, datasize } = ((await sent.json()) as { job_binary_internal: { id: string; datasize: number } })
      .job_binary_internal;
    expect(datasize).toBe(1000);
    const reply = await peer.fetch(`${internals}/${id}/data`);
    expect(reply.status).toBe(200);
    if (ours) expect(reply.headers.get('content-type')).toBe(typeOfBytes);
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(bytes);
  });

  test.each(['application/json', 'text/plain', 'application/java-archive'])('any type: %s', async (type) => {
    const peer = await serve();
    const { id } = created(await peer.send('PUT', `${internals}/x`, '{not json', { 'content-type': type }));
    expect((await peer.get(`${internals}/${id}/data`)).text).toBe('{not json');
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'but a form: %s',
    async (type) => {
      const reply = await (await serve()).send('PUT', `${internals}/x`, 'a=b', { 'content-type': type });
      expect(refused(reply)).toEqual([400, 'BAD_JOB_BINARY']);
    },
  );

  test('section 7 rule 4: no bytes and bad names are refused', async () => {
    const peer = await serve();
    expect(refused(await upload(peer, 'x', ''))).toEqual([400, 'BAD_JOB_BINARY']);
    expect(refused(await peer.send('PUT', `${internals}/x`))).toEqual([400, 'BAD_JOB_BINARY']);
    for (const name of ['_x', 'a%20b', '-', '%C3%BC'])
      expect(refused(await upload(peer, name))).toEqual([400, 'BAD_JOB_BINARY']);
    expect((await peer.get(internals)).body).toEqual({ binaries: [] });
  });

  test('section 4 rule 5: a name is used once', async () => {
    const peer = await serve();
    created(await upload(peer, 'x'));
    expect(refused(await upload(peer, 'x', 'other bytes'))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
  });

  test('a name may be long', async () => {
    oursOnly('how long the name of an internal binary may be');
    created(await upload(await serve(), 'x'.repeat(90)));
  });

  test('the suffix .json is no part of the name', async () => {
    expect(created(await upload(await serve(), 'conf.json')).name).toBe('conf');
  });

  test('5120 KiB are kept, one byte more is too big', async () => {
    oursOnly('how large a binary may be');
    const peer = await serve();
    const whole = 'x'.repeat(5120 * 1024);
    const { id, datasize } = created(await upload(peer, 'whole', whole));
    expect(datasize).toBe(whole.length);
    expect((await peer.get(`${internals}/${id}/data`)).text === whole).toBe(true);
    expect(refused(await upload(peer, 'more', `${whole}x`))).toEqual([400, 'DATA_TOO_BIG']);
  });

  test('section 7 rule 3: unknown ones are not found, with and without /data', async () => {
    const peer = await serve();
    for (const path of [`${internals}/${unknownId}`, `${internals}/${unknownId}/data`])
      expect(refused(await peer.get(path))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.remove(`${internals}/${unknownId}`))).toEqual([404, 'NOT_FOUND']);
  });

  test('deleting is not refused while a job binary points at it, whose data then cannot be read', async () => {
    oursOnly('what becomes of binaries without bytes');
    const peer = await serve();
    const binary = await createBinary(peer, 'b');
    const internal = binary.url.replace('internal-db://', '');
    expect((await peer.remove(`${internals}/${internal}`)).status).toBe(204);
    const lost = spoken === 'neutral' ? [400, 'NOT_FOUND'] : [500, 'INTERNAL_SERVER_ERROR'];
    expect(refused(await peer.get(`${binaries}/${binary.id}/data`))).toEqual(lost);
    expect((await peer.get(`${binaries}/${binary.id}`)).status).toBe(200);
  });
});

/** A place that the service does not look at. */
const elsewhere = scene.refused.binaries.includes('manila')
  ? { url: 's3://bucket/x', extra: { accesskey: 'a', secretkey: 'b', endpoint: 'c' } }
  : { url: `manila://${unknownId}/x` };

describe('section 4.6 rule 1: POST job-binaries', () => {
  test('202 with what was sent, and never with extra', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const extra = { user: 'me', password: hidden };
    const sent = { name: 'b', url: 'swift://container/b.jar', description: 'a jar' };
    const reply = await peer.post(binaries, { ...sent, extra });
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({
      job_binary: { id: expect.stringMatching(uuid), ...sent, ...stamps },
    });
    const { id } = reply.body.job_binary;
    expect((await peer.get(`${binaries}/${id}`)).body).toEqual(reply.body);
    expect((await peer.get(binaries)).body).toEqual({ binaries: [reply.body.job_binary] });
  });

  test('section 4.6 rule 2: an external one that is not in its store gives no bytes', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const extra = { user: 'me', password: hidden };
    const { id } = created(await peer.post(binaries, { name: 'b', url: 'swift://container/b.jar', extra }));
    const reply = await peer.get(`${binaries}/${id}/data`);
    if (!scene.bundled && reply.status === 500) cannotTry('it needs a Swift of the cloud');
    expect(refused(reply)).toEqual([400, 'NOT_FOUND']);
  });

  test('section 4.6 rule 2: an internal one gives back its bytes', async () => {
    const peer = await serve();
    const { id } = await createBinary(peer, 'b');
    const { status, text, headers } = await peer.get(`${binaries}/${id}/data`);
    expect([status, text]).toEqual([200, 'the bytes of b']);
    if (ours) expect(headers.get('content-type')).toBe(typeOfBytes);
  });

  test.each([
    [{ url: 's3://bucket/key', extra: { accesskey: 'a', secretkey: 'b', endpoint: 'c' } }],
    [{ url: `manila://${unknownId}/b.jar` }],
  ])('%j is taken', async (fields) => {
    created(await (await serve()).post(binaries, { name: 'b', ...fields }));
  });

  test.each([
    [{ url: `internal-db://${unknownId}` }, 'INVALID_REFERENCE', unknownId],
    [{ url: 'internal-db://x' }, 'VALIDATION_ERROR', 'url: '],
    [{ url: 'manila://x/y' }, 'VALIDATION_ERROR', 'url: '],
    [{ url: 'swift:///y' }, 'VALIDATION_ERROR', 'url: '],
    [{ url: 'http://host/b.jar' }, 'INVALID_DATA', 'internal-db://'],
    [{ url: `savanna-db://${unknownId}` }, 'INVALID_DATA', 'internal-db://'],
    [{ url: 'b.jar' }, 'INVALID_DATA', 'internal-db://'],
    [{ url: 'swift://c/o' }, 'BAD_JOB_BINARY', 'password'],
    [{ url: 'swift://c/o', extra: { user: 'me', password: '' } }, 'BAD_JOB_BINARY', 'password'],
    [{ url: 's3://b/k', extra: { accesskey: 'a', secretkey: 'b' } }, 'INVALID_DATA', 'endpoint'],
    [{ url: 's3://b/k', extra: { accesskey: 'a', secretkey: 'b', endpoint: 'c', more: 'd' } }, 'INVALID_DATA', 'else'],
    [{ name: 'a b' }, 'VALIDATION_ERROR', 'name: '],
    [{ name: 'x'.repeat(51) }, 'VALIDATION_ERROR', 'name: '],
    [{ description: null }, 'VALIDATION_ERROR', 'description: '],
    [{ extra: { nested: {} } }, 'VALIDATION_ERROR', 'extra'],
    [{ datasize: 3 }, 'VALIDATION_ERROR', 'datasize: unknown field'],
  ])('section 7 rule 4: %j is refused: 400 %s', async (fields, name, text) => {
    // Real clusters can take files from there.
    if ('url' in fields && fields.url.startsWith('http:')) bundledOnly('the places of binaries');
    const peer = await serve();
    const reply = await peer.post(binaries, { name: 'b', ...elsewhere, ...fields });
    expect(refused(reply)).toEqual([400, name]);
    // Services that read from there say it in their own words.
    if (scene.bundled) expectWords(reply.body, text);
    expect((await peer.get(binaries)).body).toEqual({ binaries: [] });
  });

  test('section 4 rule 5: a name is used once, which is told last', async () => {
    const peer = await serve();
    const { url } = await createBinary(peer, 'b');
    expect(refused(await peer.post(binaries, { name: 'b', url }))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
    const missing = `internal-db://${unknownId}`;
    expect(refused(await peer.post(binaries, { name: 'b', url: missing }))).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('section 4.6 rule 5: 204, but not while a job uses it', async () => {
    const peer = await serve();
    const [main, lib] = [await createBinary(peer, 'main'), await createBinary(peer, 'lib')];
    const body = { name: 'job', type: 'Pig', mains: [main.id], libs: [lib.id] };
    const job = created(await peer.post(`${base}/jobs`, body));
    for (const { id } of [main, lib]) {
      const reply = await peer.remove(`${binaries}/${id}`);
      expect(refused(reply)).toEqual([400, 'DELETION_FAILED']);
      expectWords(reply.body, 'job');
    }
    expect((await peer.remove(`${base}/jobs/${job.id}`)).status).toBe(204);
    for (const { id } of [main, lib]) expect((await peer.remove(`${binaries}/${id}`)).status).toBe(204);
    expect(refused(await peer.remove(`${binaries}/${main.id}`))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.get(`${binaries}/${main.id}/data`))).toEqual([404, 'NOT_FOUND']);
  });
});
