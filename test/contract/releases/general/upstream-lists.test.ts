// Filters of lists in late upstream releases, which their client sends. Early ones and the interface as written have none.
import { describe, expect, test } from 'vitest';
import { base, createCluster, created, createJob, refused } from '../../sections/jobs/section-4-6-support.ts';
import { type Json, onlyHere, oursOnly, serve, scene as subject, unknownId } from '../../support.ts';

const path = `${base}/data-sources`;

describe('sahara: filters', () => {
  test('rows have to be equal in each of them', async () => {
    onlyHere('it looks for names in queries');
    const peer = await serve({ dialect: 'sahara' });
    for (const name of ['c', 'a', 'e'])
      created(await peer.post(path, { name, type: name === 'e' ? 'maprfs' : 'hdfs', url: `/data/${name}` }));
    const namesIn = async (query: string) =>
      (await peer.get(`${path}?${query}`)).body.data_sources.map(({ name }: Json) => name);
    expect(await namesIn('')).toEqual(['c', 'a', 'e']);
    expect(await namesIn('type=hdfs')).toEqual(['c', 'a']);
    expect(await namesIn('name=a&type=hdfs')).toEqual(['a']);
    expect(await namesIn('name=a&type=maprfs')).toEqual([]);
    expect(await namesIn('name=A')).toEqual([]);
    expect(await namesIn('name=')).toEqual([]);
  });

  test('have the words of the dialect', async () => {
    const peer = await serve({ dialect: 'sahara' });
    await createCluster(peer, 'sahara');
    const { plugin, version } = subject;
    const count = async (query: string) => (await peer.get(`${base}/clusters?${query}`)).body.clusters?.length;
    const queries = [`hadoop_version=${version}&plugin_name=${plugin}`, 'hadoop_version=none', 'plugin_name=none'];
    expect(await Promise.all(queries.map(count))).toEqual([1, 0, 0]);
  });

  test.each(['limit=1', `marker=${unknownId}`, 'sort_by=name', 'colour=red', 'bigdata_version=1'])(
    'that are unknown are refused, also where there is nothing to list: %s',
    async (query) => {
      oursOnly('that lists are neither sorted nor paged');
      const peer = await serve({ dialect: 'sahara' });
      for (const kind of ['clusters', 'data-sources', 'job-executions'])
        expect(refused(await peer.get(`${base}/${kind}?${query}`))).toEqual([400, 400]);
    },
  );
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
