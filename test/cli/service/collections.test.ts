// Lists of a service, whatever it answers.
import { expect, test } from 'vitest';
import { collections, readCollection } from '../../../src/cli/service/collections.ts';
import type { ServiceSource } from '../../../src/cli/service/service-source.ts';
import { systemClock } from '../../../src/lib/system.ts';
import type { Dialect } from '../../../src/wire/dialect.ts';

const asked: string[] = [];

function answering(status: number, body: unknown, dialect: Dialect = 'neutral'): ServiceSource {
  return {
    endpoint: 'http://x',
    tenant: 'a/b',
    dialect,
    get: async (path) => {
      asked.push(path);
      const bytes = (async function* () {
        yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      })();
      return { status, bytes };
    },
  };
}

const read = (kind: string, source: ServiceSource) => {
  const collection = collections.find((one) => one.kind === kind);
  if (collection === undefined) throw new Error(kind);
  return readCollection(source, collection, { clock: systemClock, signal: new AbortController().signal });
};

test('fields have neutral words, and unknown ones are kept', async () => {
  const cluster = { id: '1', name: 'etl', hadoop_version: '3.5', created_at: 'x' };
  const { rows, problem } = await read('Cluster', answering(200, { clusters: [cluster] }, 'sahara'));
  expect(asked.at(-1)).toBe('/v1.1/a%2Fb/clusters');
  expect(rows).toMatchObject([{ id: '1', name: 'etl', fields: { bigdata_version: '3.5', created_at: 'x' } }]);
  expect(problem).toBeUndefined();
});

test.each([
  ['no JSON', 200, '<html>', /no list of clusters/],
  ['no list', 200, { clusters: {} }, /no list of clusters/],
  ['nothing', 200, null, /no list of clusters/],
  ['a refused token', 401, {}, /refuses the token \(401\).*--token-file/],
  ['another path', 404, {}, /answers 404: check spec.endpoint/],
  ['further pages', 200, { clusters: [], markers: { next: 'x' } }, /more clusters than it lists at once/],
  ['rows without an id', 200, { clusters: [null, { name: 'x' }, { id: '' }, 5] }, /4 of the clusters cannot be read/],
])('%s is a problem', async (_what, status, body, problem) => {
  const found = await read('Cluster', answering(status, body));
  expect(found.rows).toEqual([]);
  expect(found.problem).toMatch(problem);
});

test('a service without jobs has none', async () => {
  expect(await read('Job', answering(404, {}))).toMatchObject({ rows: [] });
  expect((await read('Job', answering(404, {}))).problem).toBeUndefined();
});

test('a run has its marker as name, and a name that is null is none', async () => {
  const configs = { 'edp.dataprocessing.marker': 'x' };
  const runs = [{ id: '1', name: null, job_configs: { configs } }];
  expect((await read('JobExecution', answering(200, { job_executions: runs }))).rows).toMatchObject([{ id: '1' }]);
});

test('an error of the network is a problem without the token', async () => {
  const source = { ...answering(200, {}), get: () => Promise.reject(new Error('connect ECONNREFUSED')) };
  expect((await read('Cluster', source)).problem).toBe('the list of clusters cannot be read: connect ECONNREFUSED');
});
