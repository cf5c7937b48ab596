// The resources of section 4.6 on the wire: answers of any release are read, requests are exact.
import { describe, expect, test } from 'vitest';
import {
  dataSource,
  dataSourceCreate,
  job,
  jobBinary,
  jobBinaryCreate,
  jobBinaryInternal,
  jobCreate,
  jobExecute,
  jobExecution,
  jobTypes,
  shownUrl,
  splitUrl,
} from '../../src/wire/jobs.ts';
import { routes } from '../../src/wire/routes.ts';

const id = '00000000-0000-4000-8000-000000000000';

describe('answers', () => {
  test('null reads as absent, and unknown fields are ignored', () => {
    const row = { id, name: 'n', description: null, updated_at: null, is_public: false };
    for (const schema of [dataSource, jobBinary, jobBinaryInternal, job])
      expect(schema.parse(row)).toEqual({ id, name: 'n' });
  });

  test('an execution needs nothing but an identifier; what the engine reports is kept', () => {
    expect(jobExecution.parse({ id, cluster_id: null })).toEqual({ id, name: '' });
    const info = { status: 'RUNNING', actions: [{ name: 'a' }] };
    expect(jobExecution.parse({ id, info })).toEqual({ id, name: '', info });
  });

  test('a job has whole binaries', () => {
    const main = { id, name: 'main', url: `internal-db://${id}` };
    expect(job.parse({ id, name: 'j', mains: [{ ...main, tenant_id: 't' }], libs: [] })).toEqual({
      id,
      name: 'j',
      mains: [main],
      libs: [],
    });
    expect(job.safeParse({ id, name: 'j', mains: [id] }).success).toBe(false);
  });

  test('a size may be written as text', () => {
    expect(jobBinaryInternal.parse({ id, name: 'n', datasize: '12' })).toMatchObject({ datasize: 12 });
  });
});

describe('requests', () => {
  test.each([
    [dataSourceCreate, { name: 'n', type: 'hdfs', url: '/x' }],
    [jobBinaryCreate, { name: 'n', url: 'swift://c/o' }],
    [jobCreate, { name: 'n', type: 'Pig' }],
    [jobExecute, { cluster_id: id }],
  ] as const)('take no unknown field: %#', (schema, body) => {
    expect(schema.safeParse(body).success).toBe(true);
    expect(schema.safeParse({ ...body, more: 1 }).success).toBe(false);
  });

  test('arguments are a list, or have names', () => {
    for (const args of [['a'], { a: 'b', c: 1 }])
      expect(jobExecute.safeParse({ cluster_id: id, job_configs: { args } }).success).toBe(true);
    for (const args of ['a', [1], { a: {} }])
      expect(jobExecute.safeParse({ cluster_id: id, job_configs: { args } }).success).toBe(false);
  });

  test('types are those of the release', () => {
    expect(jobTypes.savanna).toEqual(['Pig', 'Hive', 'Jar']);
    expect(jobTypes.neutral).toBe(jobTypes.sahara);
    expect(jobTypes.sahara).toHaveLength(9);
    for (const type of [...jobTypes.sahara, ...jobTypes.savanna])
      expect(jobCreate.safeParse({ name: 'n', type }).success).toBe(true);
  });
});

test.each([
  ['s3://bucket/key', { scheme: 's3', host: 'bucket', path: '/key' }],
  ['swift://Container', { scheme: 'swift', host: 'Container', path: '' }],
  ['manila:///x', { scheme: 'manila', host: '', path: '/x' }],
  ['/path', { scheme: '', host: '', path: '' }],
  ['a b://c', { scheme: '', host: '', path: '' }],
])('%s in parts', (url, parts) => expect(splitUrl(url)).toEqual(parts));

test('the routes of section 4.6, and only they, exist under v1.1 only', () => {
  const later = Object.entries(routes).flatMap(([key, route]) => ('version' in route ? [key] : []));
  expect(later).toEqual(['dataSources', 'jobBinaryInternals', 'jobBinaries', 'jobs', 'jobExecutions']);
});

test.each([
  ['https://ann:open-sesame@host/a.py', 'https://host/a.py'],
  ['https://ann:open?ses#ame@host/a.py', 'https://host/a.py'],
  ['hdfs://open-sesame@host', 'hdfs://host'],
  ['https://host/a.py?signature=open-sesame', 'https://host/a.py'],
  ['https://host/a@b.py#open-sesame', 'https://host/a@b.py'],
  ['/data/in', '/data/in'],
])('%s is shown without what is secret', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
