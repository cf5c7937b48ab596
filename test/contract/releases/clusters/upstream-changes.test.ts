// Changes that only late upstream releases know: what all kinds have in common, then what each of them lets be changed.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import { oursOnly, serve, timestamp, unknownId } from '../../support.ts';
import { at, change, kinds, late, make, type Path, paths, ready, show } from '../general/upstream-support.ts';

describe.each(paths)('sahara: a change of %s', (path) => {
  const named = path === 'job-executions' ? { is_public: true } : { name: 'renamed' };

  test('is answered with what it has become', async () => {
    const peer = await late();
    const { id } = await ready(peer, path);
    const { status, body } = await change(peer, path, id, named);
    expect([status, Object.keys(body)]).toEqual([202, [kinds[path].single]]);
    expect(await show(peer, path, id)).toMatchObject({ ...named, updated_at: timestamp });
    expect(body[kinds[path].single]).toMatchObject(named);
  });

  test('of one that is not there', async () => {
    const reply = await change(await late(), path, unknownId, {});
    // Upstream looks for this kind only when it changes it.
    expect(refused(reply)).toEqual(path === 'job-binaries' ? [400, 'NOT_FOUND'] : [404, 'NOT_FOUND']);
  });

  test('is refused to other tenants: they see it or they do not', async () => {
    const peer = await late();
    const { id } = await ready(peer, path);
    const foreign = () => change(peer, path, id, named, 'other');
    expect((await foreign()).body.error_name).toBe('NOT_FOUND');
    expect((await change(peer, path, id, { is_public: true })).status).toBe(202);
    expect(refused(await foreign())).toEqual([400, 'UPDATE_FAILED']);
  });

  test('is refused as long as it is protected, but for the publicity, and the end of the protection', async () => {
    const peer = await late();
    const { id } = await ready(peer, path, { is_protected: true });
    const row = await show(peer, path, id);
    const same = path === 'job-executions' ? {} : { name: row.name };
    for (const body of [named, { is_protected: true }, {}, { is_public: true, is_protected: true, ...other(path) }]) {
      const allowed = path === 'job-executions' && 'is_public' in body;
      if (!allowed) expect(refused(await change(peer, path, id, body))).toEqual([400, 'UPDATE_FAILED']);
    }
    for (const body of [{ is_public: true }, { is_public: false, ...same }, { is_public: true, is_protected: true }])
      expect((await change(peer, path, id, body)).status).toBe(202);
    expect(await show(peer, path, id)).toMatchObject({ is_public: true, is_protected: true });
    expect((await change(peer, path, id, { is_protected: false, ...other(path) })).status).toBe(202);
    expect(await show(peer, path, id)).toMatchObject({ is_public: true, is_protected: false, ...other(path) });
    expect((await peer.remove(at(`${path}/${id}`))).status).toBe(204);
  });

  test('null is kept, and means no', async () => {
    const peer = await late();
    const { id } = await ready(peer, path, { is_public: true, is_protected: true });
    expect((await change(peer, path, id, { is_public: null, is_protected: null })).status).toBe(202);
    expect(await show(peer, path, id)).toMatchObject({ is_public: null, is_protected: null });
  });

  test.each([{ id: unknownId }, { tenant_id: 'other' }, { created_at: 'then' }, { is_public: 1 }, { name: 7 }, 'text'])(
    '%j is refused',
    async (body) => {
      const peer = await late();
      const { id } = await ready(peer, path);
      expect(refused(await change(peer, path, id, body))).toEqual([
        400,
        body === 'text' ? 'MALFORMED_REQUEST_BODY' : 'VALIDATION_ERROR',
      ]);
    },
  );

  test('a used name is refused', async () => {
    if (path === 'job-executions') return;
    const peer = await late();
    const { id } = await ready(peer, path);
    await make(peer, path, { name: 'taken' });
    const name = path === 'data-sources' ? 'NAME_ALREADY_EXISTS' : 'DB_DUPLICATE_ENTRY';
    expect(refused(await change(peer, path, id, { name: 'taken' }))).toEqual([400, name]);
  });
});

const other = (path: Path): object => (path === 'job-executions' ? {} : { name: 'other' });

describe.each(['neutral', 'savanna'] as const)('%s', (dialect) => {
  test.each(paths.filter((path) => path !== 'clusters'))('%s cannot be changed: 405', async (path) => {
    const peer = await serve({ dialect });
    const isUndone = dialect === 'savanna' && path.endsWith('-templates');
    for (const method of isUndone ? ['PATCH'] : ['PUT', 'PATCH']) {
      const reply = await peer.send(method, at(`${path}/${unknownId}`), {});
      expect(reply.status).toBe(405);
    }
  });

  test('clusters can be scaled and nothing else', async () => {
    const peer = await serve({ dialect });
    expect((await peer.send('PATCH', at(`clusters/${unknownId}`), {})).status).toBe(405);
    expect((await peer.put(at(`clusters/${unknownId}`), {})).status).toBe(404);
    expect((await peer.send('PATCH', at(`job-binary-internals/${unknownId}`), {})).status).toBe(405);
  });

  test('what a refusal tells of methods is what there is', async () => {
    oursOnly('which methods a message tells');
    const peer = await serve({ dialect });
    const { body } = await peer.send('PATCH', at(`node-group-templates/${unknownId}`), {});
    const more = dialect === 'savanna' ? ', PUT' : '';
    expect(body.error_message).toMatch(new RegExp(`the methods are GET, DELETE${more}$`));
  });
});

describe('savanna', () => {
  test.each(['node-group-templates', 'cluster-templates'] as const)(
    'the change of one of %s is there, and never done: 501',
    async (path) => {
      const peer = await serve({ dialect: 'savanna' });
      const { id, ...row } = await make(peer, path);
      for (const body of [{ name: 'other' }, 'no JSON']) {
        const reply = await peer.put(at(`${path}/${id}`), body);
        expect([reply.status, reply.body]).toEqual([
          501,
          {
            error_code: 501,
            error_name: 'NOT_IMPLEMENTED_ERROR',
            error_message: expect.not.stringContaining('Error ID'),
          },
        ]);
      }
      expect(await show(peer, path, id)).toMatchObject({ name: row.name, updated_at: null });
      expect(refused(await peer.put(at(`${path}/${unknownId}`), {}))).toEqual([404, 'NOT_FOUND']);
    },
  );
});
