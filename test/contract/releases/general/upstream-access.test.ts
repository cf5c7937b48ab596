// Late upstream releases: resources that are public or protected. Early ones and the interface as written know neither.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { createSource, refused } from '../../sections/jobs/section-4-6-support.ts';
import { expectWords, type Json, type Peer, type Reply, serve, until, workers } from '../../support.ts';
import { at, kinds, late, make, type Path, paths, show } from './upstream-support.ts';

const names = (rows: readonly Json[]) => rows.map(({ name }) => name);
const list = async (peer: Peer, path: Path, tenant: string, query = ''): Promise<readonly Json[]> =>
  (await peer.get(at(path, tenant) + query)).body[kinds[path].plural];

describe.each(paths)('sahara: %s', (path) => {
  test('are neither public nor protected unless they are made so; null means no', async () => {
    const peer = await late();
    const row = await make(peer, path);
    expect(row).toMatchObject({ is_public: false, is_protected: false });
    expect(await show(peer, path, row.id)).toMatchObject({ is_public: false, is_protected: false });
    expect((await peer.remove(at(`${path}/${row.id}`))).status).toBe(204);
    await until(
      () => peer.get(at(`${path}/${row.id}`)),
      ({ status }) => status === 404,
    );
    const name = path === 'job-executions' ? {} : { name: 'again' };
    expect(await make(peer, path, { ...name, is_public: null, is_protected: null })).toMatchObject({
      is_public: null,
      is_protected: null,
    });
  });

  test('the create says so, but not that of a run, and wants truth values', async () => {
    const peer = await late();
    const { body } = await kinds[path].create(peer, { is_public: true, is_protected: true });
    const row = body[kinds[path].single];
    const said = path !== 'job-executions';
    expect(row).toMatchObject({ is_public: said, is_protected: said });
    expect(await show(peer, path, row.id)).toMatchObject({ is_public: said, is_protected: said });
    for (const field of ['is_public', 'is_protected'])
      expect(refused(await kinds[path].create(peer, { [field]: 'yes' }))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('a protected one cannot be deleted', async () => {
    const peer = await late();
    const { id } = await make(peer, path, { is_protected: true });
    const reply = await peer.remove(at(`${path}/${id}`));
    expect(refused(reply)).toEqual([400, 'DELETION_FAILED']);
    expectWords(reply.body, 'it is protected');
    expect(await show(peer, path, id)).toMatchObject({ id, is_protected: true });
  });

  test('a public one is seen by all tenants, as what it is: that of the tenant that made it', async () => {
    const isRun = path === 'job-executions';
    const peer = await serve({ dialect: 'sahara', ...(!isRun && { clock: new ManualClock() }) });
    const [open, closed] = [await make(peer, path, { is_public: true }), await make(peer, path, other(path))];
    // It does not change any more.
    if (isRun) await until(async () => peer.get(at(`${path}/${open.id}`)), hasEnded);
    const shown = await show(peer, path, open.id);
    expect(shown.tenant_id).toBe('t');
    expect(await show(peer, path, open.id, 'other')).toEqual(shown);
    expect(await list(peer, path, 'other')).toEqual([shown]);
    expect(await list(peer, path, 'other', '?tenant_id=other')).toEqual([]);
    expect(await list(peer, path, 'other', `?limit=1&tenant_id=t`)).toEqual([shown]);
    expect(await show(peer, path, closed.id, 'other')).toBeUndefined();
    expect(await list(peer, path, 't')).toHaveLength(2);
  });

  test('but deleted by its own tenant only', async () => {
    const peer = await late();
    const { id } = await make(peer, path, { is_public: true });
    const reply = await peer.remove(at(`${path}/${id}`, 'other'));
    expect(refused(reply)).toEqual([400, 'DELETION_FAILED']);
    expectWords(reply.body, 'another tenant made it');
    expect(await show(peer, path, id)).toMatchObject({ id });
    expect((await peer.remove(at(`${path}/${id}`))).status).toBe(204);
  });
});

const other = (path: Path): object => (path === 'job-executions' ? {} : { name: 'other' });
const hasEnded = ({ body }: Reply): boolean => body.job_execution.info.status === 'SUCCEEDED';

describe('sahara: names', () => {
  const takes = { 'node-group-templates': 400, 'cluster-templates': 400, clusters: 400, 'data-sources': 400 };

  test.each([...Object.entries(takes), ['job-binaries', 202], ['jobs', 202]] as const)(
    '%s: the name of a public one of another tenant: %i',
    async (path, status) => {
      const peer = await late();
      await make(peer, path as Path, { is_public: true });
      expect((await kinds[path as Path].create(peer, {}, 'other')).status).toBe(status);
    },
  );

  test('that of a private one is free', async () => {
    const peer = await late();
    await make(peer, 'clusters');
    expect((await kinds.clusters.create(peer, {}, 'other')).status).toBe(202);
    expect(names(await list(peer, 'clusters', 'other'))).toEqual(['cluster-1']);
  });
});

describe('sahara: a protected cluster and execution', () => {
  test('is not scaled', async () => {
    const peer = await late();
    const body = { resize_node_groups: [{ name: 'master', count: 2 }] };
    const [locked, open] = [
      await make(peer, 'clusters', { is_protected: true }),
      await make(peer, 'clusters', { name: 'open', is_public: true }),
    ];
    expect(refused(await peer.put(at(`clusters/${locked.id}`), body))).toEqual([400, 'UPDATE_FAILED']);
    expect(refused(await peer.put(at(`clusters/${open.id}`, 'other'), body))).toEqual([400, 'UPDATE_FAILED']);
  });

  test('is not cancelled', async () => {
    const peer = await serve({ dialect: 'sahara', stageMs: (status) => (status === 'PREP' ? 3_600_000 : 0) });
    const [locked, open] = [
      await make(peer, 'job-executions', { is_protected: true }),
      await make(peer, 'job-executions', { is_public: true }),
    ];
    const cancel = (id: string, tenant: string) => peer.get(at(`job-executions/${id}/cancel`, tenant));
    expect(refused(await cancel(locked.id, 't'))).toEqual([400, 'CANCELING_FAILED']);
    expect(refused(await cancel(open.id, 'other'))).toEqual([400, 'CANCELING_FAILED']);
    expect(['PENDING', 'PREP']).toContain((await show(peer, 'job-executions', locked.id)).info.status);
  });
});

describe.each(['neutral', 'savanna'] as const)('%s knows no such thing', (dialect) => {
  test('the fields are unknown, and in no answer', async () => {
    const peer = await serve({ dialect });
    const { bigdata_version, ...rest } = workers;
    const body = dialect === 'neutral' ? workers : { ...rest, hadoop_version: bigdata_version };
    for (const field of ['is_public', 'is_protected']) {
      const reply = await peer.post(at('node-group-templates'), { ...body, [field]: true });
      expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
      expectWords(reply.body, `${field}: unknown field`);
    }
    const { body: made } = await peer.post(at('node-group-templates'), body);
    const source = await createSource(peer);
    for (const row of [made.node_group_template, source]) {
      expect(row).not.toHaveProperty('is_public');
      expect(row).not.toHaveProperty('is_protected');
    }
  });
});
