// Lists of late upstream releases: limit and marker, sorting, filters. Early ones and the interface as written have none of these.
import { describe, expect, test } from 'vitest';
import { base, createCluster, created, createJob, refused } from '../../sections/jobs/section-4-6-support.ts';
import { type Json, onlyHere, type Peer, serve, scene as subject, unknownId } from '../../support.ts';

const { version } = subject;

const path = `${base}/data-sources`;
const source = (name: string, fields: object = {}) => ({ name, type: 'hdfs', url: `/data/${name}`, ...fields });

/** Five data sources, made in this order. */
async function scene() {
  const peer = await serve({ dialect: 'sahara' });
  const names = ['c', 'a', 'e', 'b', 'd'];
  for (const name of names) created(await peer.post(path, source(name, name === 'e' ? { type: 'maprfs' } : {})));
  const rows: readonly Json[] = (await peer.get(path)).body.data_sources;
  return { peer, names, ids: rows.map(({ id }) => id as string).toSorted(), idOf: (name: string) => idIn(rows, name) };
}
const idIn = (rows: readonly Json[], name: string): string => rows.find((row) => row.name === name).id;
const namesIn = async (peer: Peer, query: string) =>
  (await peer.get(`${path}?${query}`)).body.data_sources.map(({ name }: Json) => name);

describe('sahara: pages', () => {
  test('without parameters there is everything, and there are no markers', async () => {
    const { peer } = await scene();
    const { body } = await peer.get(path);
    expect(Object.keys(body)).toEqual(['data_sources']);
    expect(body.data_sources).toHaveLength(5);
  });

  test('walking by the markers meets every row once, by identifier', async () => {
    const { peer, ids } = await scene();
    const met: string[] = [];
    let marker = '';
    for (let page = 0; page < 5; page += 1) {
      const { body } = await peer.get(`${path}?limit=2${marker}`);
      met.push(...body.data_sources.map(({ id }: Json) => id));
      if (body.markers.next === null) break;
      expect(body.markers.next).toBe(met.at(-1));
      marker = `&marker=${body.markers.next}`;
    }
    expect(met).toEqual(ids);
  });

  test('the page after the last row is empty, although its marker was given', async () => {
    const { peer, ids } = await scene();
    const first = await peer.get(`${path}?limit=4&marker=${ids[0]}`);
    expect(first.body.data_sources).toHaveLength(4);
    expect(first.body.markers).toEqual({ prev: null, next: ids[4] });
    const last = await peer.get(`${path}?limit=4&marker=${ids[4]}`);
    expect(last.body).toEqual({ data_sources: [], markers: { prev: ids[0], next: null } });
  });

  test('all on one page: no markers, unless one was sent', async () => {
    const { peer, ids } = await scene();
    expect(Object.keys((await peer.get(`${path}?limit=5`)).body)).toEqual(['data_sources']);
    const { body } = await peer.get(`${path}?marker=${ids[2]}`);
    expect(body.data_sources.map(({ id }: Json) => id)).toEqual(ids.slice(3));
    expect(body.markers).toEqual({ prev: null, next: null });
  });

  test.each(['0', '-1', 'x', '1.5', ''])('limit %j: 400, and the name of the error is a number', async (limit) => {
    const { peer } = await scene();
    expect(refused(await peer.get(`${path}?limit=${limit}`))).toEqual([400, 400]);
  });

  test('an unknown marker: 404, whatever else is wrong', async () => {
    const { peer } = await scene();
    expect(refused(await peer.get(`${path}?marker=${unknownId}&limit=x`))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('sahara: order', () => {
  test.each([
    ['name', ['a', 'b', 'c', 'd', 'e']],
    ['-name', ['e', 'd', 'c', 'b', 'a']],
  ])('by %s', async (field, names) => {
    const { peer, idOf } = await scene();
    expect(await namesIn(peer, `sort_by=${field}`)).toEqual(names);
    expect(await namesIn(peer, `sort_by=${field}&limit=2`)).toEqual(names.slice(0, 2));
    expect(await namesIn(peer, `sort_by=${field}&limit=2&marker=${idOf('c')}`)).toEqual(names.slice(3));
  });

  test('an unknown field, and none: 400', async () => {
    const { peer } = await scene();
    expect(refused(await peer.get(`${path}?sort_by=url`))).toEqual([400, 400]);
    expect(refused(await peer.get(`${path}?sort_by=`))).toEqual([400, 400]);
  });

  test.each([
    ['clusters', ['id', 'name', 'plugin_name', 'hadoop_version', 'status']],
    ['cluster-templates', ['id', 'name', 'plugin_name', 'hadoop_version', 'created_at', 'updated_at']],
    ['node-group-templates', ['id', 'name', 'plugin_name', 'hadoop_version', 'created_at', 'updated_at']],
    ['data-sources', ['id', 'name', 'type', 'created_at', 'updated_at']],
    ['jobs', ['id', 'name', 'type', 'created_at', 'updated_at']],
    ['job-binaries', ['id', 'name', 'created_at', 'updated_at']],
    ['job-binary-internals', ['id', 'name', 'created_at', 'updated_at']],
    ['job-executions', ['id']],
  ])('%s can be sorted by %j', async (collection, fields) => {
    const peer = await serve({ dialect: 'sahara' });
    for (const field of fields) expect((await peer.get(`${base}/${collection}?sort_by=${field}`)).status).toBe(200);
    expect((await peer.get(`${base}/${collection}?sort_by=node_groups`)).status).toBe(400);
  });
});

describe('sahara: filters', () => {
  test('a parameter that is no other is a column, and has to be equal', async () => {
    onlyHere('it looks for names in queries');
    const { peer } = await scene();
    expect(await namesIn(peer, 'type=maprfs')).toEqual(['e']);
    expect(await namesIn(peer, 'name=a&type=hdfs')).toEqual(['a']);
    expect(await namesIn(peer, 'name=a&type=maprfs')).toEqual([]);
    expect(await namesIn(peer, 'name=A')).toEqual([]);
    expect(await namesIn(peer, 'description=')).toEqual([]);
    expect(await namesIn(peer, 'is_public=False&sort_by=name')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await namesIn(peer, 'type=hdfs&sort_by=name&limit=2')).toEqual(['a', 'b']);
  });

  test('an unknown column: 400, also where there is nothing to list', async () => {
    const { peer } = await scene();
    expect(refused(await peer.get(`${path}?colour=red`))).toEqual([400, 400]);
    expect(refused(await peer.get(`${base}/jobs?colour=red`))).toEqual([400, 400]);
  });

  test('the words of the dialect are columns', async () => {
    const peer = await serve({ dialect: 'sahara' });
    await createCluster(peer, 'sahara');
    const count = async (query: string) => (await peer.get(`${base}/clusters?${query}`)).body.clusters?.length;
    expect([await count(`hadoop_version=${version}`), await count('hadoop_version=none')]).toEqual([1, 0]);
    expect((await peer.get(`${base}/clusters?bigdata_version=${version}`)).status).toBe(400);
  });
});

describe('sahara: job executions', () => {
  async function executions() {
    const peer = await serve({ dialect: 'sahara' });
    const [job, cluster] = [await createJob(peer, 'sahara'), await createCluster(peer, 'sahara')];
    const execute = async () =>
      created(await peer.post(`${base}/jobs/${job.id}/execute`, { cluster_id: cluster.id })).id as string;
    const ids = [await execute(), await execute(), await execute()].toSorted();
    const list = async (query: string) => (await peer.get(`${base}/job-executions?${query}`)).body;
    return {
      peer,
      ids,
      list,
      idsIn: async (query: string) => (await list(query)).job_executions.map(({ id }: Json) => id),
    };
  }

  test('a page begins with its marker', async () => {
    const { ids, list } = await executions();
    const first = await list('limit=2');
    expect(first.job_executions.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    expect(first.markers).toEqual({ prev: null, next: ids[1] });
    const second = await list(`limit=2&marker=${first.markers.next}`);
    expect(second.job_executions.map(({ id }: Json) => id)).toEqual(ids.slice(1));
  });

  test('can be looked for by status in any case, and by the names of cluster and job', async () => {
    onlyHere('it looks for names in queries');
    const { ids, idsIn, list } = await executions();
    await expect.poll(() => idsIn('status=succeeded')).toEqual(ids);
    expect(await idsIn('status=FAILED')).toEqual([]);
    expect(await idsIn('job.name=job&cluster.name=cluster-1')).toEqual(ids);
    expect(await idsIn('cluster.name=other')).toEqual([]);
    expect(Object.keys((await list('status=SUCCEEDED')).job_executions[0])).not.toContain('cluster.name');
  });

  test.each(['status', 'cluster', 'job_template'])('cannot be sorted by %s, which breaks upstream', async (field) => {
    const { peer } = await executions();
    expect(refused(await peer.get(`${base}/job-executions?sort_by=${field}`))).toEqual([400, 400]);
  });
});

test.each(['neutral', 'savanna'] as const)('%s answers with everything, whatever is asked for', async (dialect) => {
  const peer = await serve({ dialect });
  await createJob(peer, dialect);
  await createJob(peer, dialect, { name: 'other' });
  for (const query of ['limit=1', 'limit=x', `marker=${unknownId}`, 'sort_by=', 'name=none', 'colour=red']) {
    const { status, body } = await peer.get(`${base}/jobs?${query}`);
    expect([status, Object.keys(body), body.jobs.length]).toEqual([200, ['jobs'], 2]);
  }
});
