// Changes of data sources, job binaries and jobs in late upstream releases.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { createSource, refused, upload } from '../../sections/jobs/section-4-6-support.ts';
import { bundledOnly, serve } from '../../support.ts';
import { at, change, late, make, source } from '../general/upstream-support.ts';

describe('sahara: PUT /data-sources/{id}', () => {
  test('another place, checked as in a create together with what stays', async () => {
    bundledOnly('the places of data');
    const peer = await late();
    const { id } = await make(peer, 'data-sources');
    const put = (body: object) => change(peer, 'data-sources', id, body);
    expect((await put({ url: '/data/other', description: 'mine' })).body.data_source).toMatchObject({
      ...source,
      url: '/data/other',
      description: 'mine',
    });
    expect(refused(await put({ type: 's3' }))).toEqual([400, 'INVALID_DATA']);
    expect(refused(await put({ type: 'swift', url: 'swift://a/b' }))).toEqual([400, 'INVALID_CREDENTIALS']);
    expect(refused(await put({ url: 'hdfs://h/%RANDSTR(0)%' }))).toEqual([400, 'INVALID_DATA']);
    expect(refused(await put({ description: null }))).toEqual([400, 'VALIDATION_ERROR']);
    const swift = { type: 'swift', url: 'swift://a/b', credentials: { user: 'me', password: 'secret' } };
    const { body } = await put(swift);
    expect(body.data_source).toMatchObject({ type: 'swift', url: 'swift://a/b' });
    expect(body.data_source).not.toHaveProperty('credentials');
    expect((await put({ url: 'swift://a/c' })).status).toBe(202);
  });

  test('not while a pending execution is going to use it', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 100 });
    const [input, output] = [await make(peer, 'data-sources'), await createSource(peer, { name: 'output' })];
    const { id: cluster_id } = await make(peer, 'clusters');
    const script = await make(peer, 'job-binaries');
    const job = await make(peer, 'jobs', { type: 'Pig', mains: [script.id] });
    const body = { cluster_id, input_id: input.id, output_id: output.id };
    expect((await peer.post(at(`jobs/${job.id}/execute`), body)).status).toBe(202);
    const used = [
      ['data-sources', input.id],
      ['data-sources', output.id],
      ['job-binaries', script.id],
    ] as const;
    for (const [path, id] of used)
      expect(refused(await change(peer, path, id, { description: 'x' }))).toEqual([400, 'UPDATE_FAILED']);
    await clock.advance(1500);
    for (const [path, id] of used) expect((await change(peer, path, id, { description: 'x' })).status).toBe(202);
  });
});

describe('sahara: PUT /job-binaries/{id}, PATCH /job-binary-internals/{id}, PATCH /jobs/{id}', () => {
  test('the place of an external binary, with or without the access to it', async () => {
    const peer = await late();
    const { id } = await make(peer, 'job-binaries');
    const put = (body: object) => change(peer, 'job-binaries', id, body);
    const url = 'swift://container/script';
    // What it takes to get there is asked for in a create only.
    expect((await put({ url: 's3://bucket/script' })).status).toBe(202);
    expect(refused(await put({ url: 'ftp://x' }))).toEqual([400, 'INVALID_DATA']);
    const { body } = await put({ url, extra: { user: 'me', password: 'secret' }, description: 'mine' });
    expect(body.job_binary).toMatchObject({ url, description: 'mine' });
    expect(body.job_binary).not.toHaveProperty('extra');
  });

  test('that of an internal one is fixed', async () => {
    const peer = await late();
    const url = async (name: string) =>
      `internal-db://${(await upload(peer, name)).body.job_binary_internal.id as string}`;
    const [one, two] = [await url('one'), await url('two')];
    const { id } = await make(peer, 'job-binaries', { url: one });
    expect(refused(await change(peer, 'job-binaries', id, { url: two }))).toEqual([400, 'UPDATE_FAILED']);
    expect((await change(peer, 'job-binaries', id, { url: one, name: 'renamed' })).status).toBe(202);
  });

  test('of an internal binary the name, and who may see and change it', async () => {
    const peer = await late();
    const { id } = (await upload(peer, 'one')).body.job_binary_internal;
    await upload(peer, 'two');
    const patch = (body: object, tenant = 't') => peer.send('PATCH', at(`job-binary-internals/${id}`, tenant), body);
    const { status, body } = await patch({ name: 'renamed', is_public: true, is_protected: true });
    expect(status).toBe(202);
    expect(body.job_binary_internal).toMatchObject({ id, name: 'renamed', datasize: 5, is_public: true });
    expect((await peer.get(at(`job-binary-internals/${id}/data`, 'other'))).text).toBe('bytes');
    expect(refused(await patch({ name: 'x' }, 'other'))).toEqual([400, 'UPDATE_FAILED']);
    expect(refused(await patch({ name: 'x' }))).toEqual([400, 'UPDATE_FAILED']);
    expect(refused(await peer.remove(at(`job-binary-internals/${id}`)))).toEqual([400, 'DELETION_FAILED']);
    expect(refused(await patch({ is_protected: false, name: 'two' }))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
    expect(refused(await patch({ datasize: 1 }))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('of a job all but what it is made of', async () => {
    const peer = await late();
    const { id } = await make(peer, 'jobs');
    const patch = (body: object) => change(peer, 'jobs', id, body);
    expect((await patch({ description: 'mine' })).body.job).toMatchObject({ description: 'mine' });
    expect((await patch({ description: null })).body.job).toMatchObject({ description: null });
    for (const body of [{ type: 'Pig' }, { mains: [] }, { libs: [] }, { interface: [] }, { name: null }])
      expect(refused(await patch(body))).toEqual([400, 'VALIDATION_ERROR']);
  });
});
