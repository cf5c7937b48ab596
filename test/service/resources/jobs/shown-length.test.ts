// A job is shown with its binaries: no few large ones make the answers about it much larger than a request.
import { expect, test } from 'vitest';
import { type Json, serve } from '../../../contract/support.ts';

const length = 600_000;

test('a job with binaries that are too long together is refused', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const bytes = { method: 'PUT', body: 'x', headers: { 'content-type': 'application/octet-stream' } };
  const makeBinary = async (name: string, description: string): Promise<string> => {
    const internal = await fetch(`${peer.url}/v1.1/t/job-binary-internals/${name}`, bytes);
    const { id } = ((await internal.json()) as Json).job_binary_internal;
    const made = await peer.post('/v1.1/t/job-binaries', { name, url: `internal-db://${id}`, description });
    expect(made.status).toBe(202);
    return made.body.job_binary.id;
  };
  const one = await makeBinary('one', 'x'.repeat(length));
  const other = await makeBinary('other', 'x'.repeat(length));
  const small = await makeBinary('small', 'x');
  const create = (name: string, libs: readonly string[]) =>
    peer.post('/v1.1/t/jobs', { name, type: 'Java', mains: [], libs });
  const refused = await create('large', [one, other]);
  expect([refused.status, refused.body.error_message]).toEqual([
    400,
    expect.stringContaining('those of a job are longer than 1048576 characters; use shorter descriptions'),
  ]);
  expect((await create('small', [one, small])).status).toBe(202);
});
