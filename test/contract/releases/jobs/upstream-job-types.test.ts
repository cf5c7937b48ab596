// Which plugin runs what: a route of late upstream releases. The interface as written and early releases have none.
import { describe, expect, test } from 'vitest';
import { base } from '../../sections/jobs/section-4-6-support.ts';
import { bundledOnly, type Json, type Peer, serve } from '../../support.ts';

const path = `${base}/job-types`;
const told = async (peer: Peer, query = ''): Promise<Json> => (await peer.get(`${path}${query}`)).body.job_types;
const names = (rows: Json) => rows.map(({ name }: Json) => name);

describe('sahara: job-types', () => {
  test('every type that some plugin runs, with the plugins and versions that run it', async () => {
    bundledOnly('the types of jobs');
    const peer = await serve({ dialect: 'sahara' });
    const { status, body } = await peer.get(path);
    expect([status, Object.keys(body)]).toEqual([200, ['job_types']]);
    const late = 'Hive Java MapReduce MapReduce.Streaming Pig Shell Spark Storm Storm.Pyleus';
    expect(names(body.job_types)).toEqual(late.split(' '));
    const spark = body.job_types.find(({ name }: Json) => name === 'Spark');
    expect(spark.plugins).toEqual([
      {
        name: 'spark',
        title: 'Spark',
        description: 'In-memory processing beside distributed storage',
        versions: { '1.6.0': {}, '2.3': {}, '4.1.2': {} },
      },
      { name: 'fake', title: 'Fake', description: 'Installs nothing, for trying things out', versions: { '0.1': {} } },
    ]);
  });

  test.each([
    ['?type=Spark', ['Spark']],
    ['?type=Pig', ['Pig']],
    ['?type=Pig&type=Java', ['Java', 'Pig']],
    ['?type=Jar', []],
    ['?plugin=spark', ['Shell', 'Spark']],
    ['?plugin=spark&type=Pig', []],
    ['?version=2.3', ['Shell', 'Spark']],
    ['?plugin=nothing', []],
  ])('%s', async (query, types) => {
    if (/plugin=spark|version|Pig/.test(query)) bundledOnly('the types of jobs');
    expect(names(await told(await serve({ dialect: 'sahara' }), query))).toEqual(types);
  });

  test('a version that is asked for is the only one told', async () => {
    bundledOnly('the versions');
    const [type] = await told(await serve({ dialect: 'sahara' }), '?type=Spark&version=2.3');
    expect(type.plugins.map(({ name, versions }: Json) => [name, Object.keys(versions)])).toEqual([['spark', ['2.3']]]);
  });

  test('hints stand behind each version, as the route of hints tells them', async () => {
    bundledOnly('the hints');
    const peer = await serve({ dialect: 'sahara' });
    const [type] = await told(peer, '?type=Hive&plugin=vanilla&hints=true');
    const hints = (await peer.get(`${base}/jobs/config-hints/Hive`)).body;
    expect(hints.job_config.configs.length).toBeGreaterThan(0);
    expect(type.plugins[0].versions).toEqual({ '1.1.2': hints, '1.2.1': hints, '2.7.1': hints, '3.5.0': hints });
  });

  test('under v1.1 only', async () => {
    const peer = await serve({ dialect: 'sahara' });
    expect((await peer.get('/v1.0/t/job-types')).status).toBe(404);
    expect((await peer.send('POST', path, {})).status).toBe(405);
  });
});

test.each(['neutral', 'savanna'] as const)('%s has no such route', async (dialect) => {
  const peer = await serve({ dialect });
  expect((await peer.get(path)).status).toBe(404);
});
