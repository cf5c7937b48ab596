// Executions between YAML and the wire.
import { describe, expect, test } from 'vitest';
import {
  type ExecutionSpec,
  mentions,
  ownedContent,
  references,
  request,
  settings,
} from '../../../../src/operator/kinds/job-execution/mapping.ts';
import { expected, progress, report } from '../../../../src/operator/kinds/job-execution/report.ts';
import type { MappingContext } from '../../../../src/operator/reconcile/kind/kind.ts';
import { executionMarker, jobExecute, jobExecution } from '../../../../src/wire/jobs.ts';

const uuid = (n: number): string => `2b97ba2c-4e0f-4f5d-9c1a-00000000000${n}`;
const ids: Readonly<Record<string, string>> = { words: uuid(1), small: uuid(2), books: uuid(3), counts: uuid(4) };
const given = (dialect: MappingContext['dialect'] = 'neutral') =>
  ({ externalName: 'u-1', dialect, idOf: ({ name }) => ids[name] ?? '' }) as MappingContext;
const spec: ExecutionSpec = { jobRef: { name: 'words' }, clusterRef: { name: 'small' } };
const at = { spec, name: 'words-1', endpoint: 'https://jobs.example.com:8386/api/' };
const row = (fields: object) => jobExecution.parse({ id: uuid(9), ...fields });

describe('the request', () => {
  test('has the marker, and what the spec says', () => {
    const full: ExecutionSpec = {
      ...spec,
      inputRef: { name: 'books' },
      outputID: uuid(5),
      configs: { 'edp.java.main_class': 'WordCount' },
      params: { LIMIT: '10' },
      args: ['a', ''],
      interface: { text: 'x' },
    };
    const { job, body } = request(full, 'u-1', given());
    expect(job).toBe(uuid(1));
    expect(body).toEqual({
      cluster_id: uuid(2),
      input_id: uuid(3),
      output_id: uuid(5),
      job_configs: {
        configs: { 'edp.java.main_class': 'WordCount', [executionMarker]: 'u-1' },
        params: { LIMIT: '10' },
        args: ['a', ''],
      },
      interface: { text: 'x' },
    });
    expect(jobExecute.safeParse(body).success).toBe(true);
  });

  test('is small where the spec says little', () => {
    const { body } = request(spec, 'u-1', given());
    expect(body).toEqual({ cluster_id: uuid(2), job_configs: { configs: { [executionMarker]: 'u-1' } } });
  });

  test('of early releases has arguments by name', () => {
    const { body } = request(spec, 'u-1', given('savanna'));
    expect(body.job_configs).toEqual({ configs: { [executionMarker]: 'u-1' }, params: {}, args: {} });
  });

  test('needs the Cluster to be Ready, and the rest to be there', () => {
    const names = references({ ...spec, inputRef: { name: 'books' }, outputRef: { name: 'counts' } }, 'words-1');
    expect(names.map(({ kind, name, ready = false }) => [kind, name, ready])).toEqual([
      ['Job', 'words', false],
      ['Cluster', 'small', true],
      ['DataSource', 'books', false],
      ['DataSource', 'counts', false],
    ]);
  });

  test('has a job and a cluster of its own with its name', () => {
    const cluster = { clusterTemplateRef: { name: 'small' }, keepOnFailureSeconds: 60 };
    const job = { type: 'Spark' as const, mains: [{ jobBinaryRef: { name: 'words' } }] };
    const own: ExecutionSpec = { job, cluster };
    const [first, second, ...rest] = references(own, 'words-1');
    expect([first, second, rest]).toEqual([
      { field: 'spec.job', kind: 'Job', name: 'words-1', owned: true },
      { field: 'spec.cluster', kind: 'Cluster', name: 'words-1', ready: true, owned: true },
      [],
    ]);
    expect([first, second].map((one) => one && ownedContent(own, one))).toEqual([
      job,
      { clusterTemplateRef: { name: 'small' } },
    ]);
    expect(settings(own)).toMatchObject({ keepClusterMs: 60_000 });
    const told = { job: { name: 'words-1' }, cluster: { name: 'words-1' } };
    expect(expected(own, 'words-1')).toEqual(told);
    expect(report(row({}), { ...at, spec: own })).toMatchObject(told);
  });
});

describe('what the service says of a run', () => {
  test.each([
    ['PENDING', 'queued'],
    ['Pending', 'queued'],
    ['PREP', 'queued'],
    ['READYTORUN', 'queued'],
    [undefined, 'queued'],
    ['RUNNING', 'running'],
    ['Running', 'running'],
    ['SUSPENDED', 'running'],
    ['constructor', 'running'],
    ['TOBEKILLED', 'stopping'],
    ['SUCCEEDED', 'succeeded'],
    ['Succeeded', 'succeeded'],
    ['KILLED', 'killed'],
    ['FAILED', 'failed'],
    ['DONEWITHERROR', 'failed'],
    ['SUSPENDFAILED', 'killed'],
  ])('%s: %s', (status, state) => {
    expect(progress(row({ info: status === undefined ? {} : { status } }))).toEqual({ state });
  });

  test('a run waits in a queue only before it begins', () => {
    const waiting = { state: 'queued', waitsInQueue: true };
    expect(progress(row({ info: { status: 'PREP', queued: true } }))).toEqual(waiting);
    expect(progress(row({ info: { status: 'RUNNING', queued: true } }))).toEqual({ state: 'running' });
    expect(progress(row({ info: { status: 'PREP', queued: 'yes' } }))).toEqual({ state: 'queued' });
  });

  test.each([
    ['2026-01-02T03:04:05', 90_000],
    ['2026-01-02 03:04:05', 90_000],
    ['2026-01-02T03:04:05.678Z', 89_322],
    ['2026-01-02T05:04:05+02:00', 90_000],
    ['2026-01-02T05:04:05', undefined],
    ['yesterday', undefined],
    ['2026-01-02T03:04:05'.padEnd(5_000, ' '), undefined],
  ])('how long it ran since %s', (start_time, ranMs) => {
    const { ranMs: told } = progress(row({ start_time, end_time: '2026-01-02T03:05:35' }));
    expect(told).toBe(ranMs);
  });

  test('is told in the status', () => {
    const remote = row({
      job_id: uuid(1),
      cluster_id: uuid(2),
      info: { status: 'FAILED', message: 'exit code 1', secret: 'x' },
    });
    expect(report(remote, at)).toEqual({
      externalStatus: 'FAILED',
      statusMessage: 'exit code 1',
      job: { name: 'words', id: uuid(1) },
      cluster: { name: 'small', id: uuid(2) },
    });
  });

  interface Told {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly signal?: string;
  }

  test.each<[what: string, fields: object, told: Told | undefined, exit?: string]>([
    ['nothing', { info: { status: 'FAILED' } }, undefined],
    [
      'a code',
      { info: { status: 'FAILED', termination: { reason: 'Error' } }, return_code: 3 },
      { reason: 'Error', exitCode: 3 },
      'exit code 3',
    ],
    [
      'a signal, and the code as a text, as upstream',
      { info: { status: 'FAILED', termination: { reason: 'Signal', signal: 'SIGKILL' } }, return_code: '137' },
      { reason: 'Signal', exitCode: 137, signal: 'SIGKILL' },
      'exit code 137 (SIGKILL)',
    ],
    [
      'too much memory',
      { info: { status: 'FAILED', termination: { reason: 'OOMKilled', signal: 'SIGKILL' } }, return_code: 137 },
      { reason: 'OOMKilled', exitCode: 137, signal: 'SIGKILL' },
      'exit code 137 (OOMKilled)',
    ],
    ['a lost process', { info: { status: 'FAILED', termination: { reason: 'Lost' } } }, { reason: 'Lost' }],
    [
      'success',
      { info: { status: 'SUCCEEDED', termination: { reason: 'Completed' } }, return_code: 0 },
      { reason: 'Completed', exitCode: 0 },
      'exit code 0 (Completed)',
    ],
    ['what Sahara says of a killed run', { info: { status: 'KILLED' }, return_code: null }, { reason: 'Cancelled' }],
    [
      'nothing before the end',
      { info: { status: 'RUNNING', termination: { reason: 'Error' } }, return_code: 3 },
      undefined,
    ],
    ['a code alone', { info: { status: 'FAILED' }, return_code: 3 }, { exitCode: 3 }, 'exit code 3'],
    ['an unknown reason', { info: { status: 'FAILED', termination: { reason: 'Bored' } } }, undefined],
    ['a list', { info: { status: 'FAILED', termination: [] }, return_code: [3] }, undefined],
    ['a huge code', { info: { status: 'FAILED' }, return_code: 2 ** 31 }, undefined],
    ['a code that is no number', { info: { status: 'FAILED' }, return_code: 'three' }, undefined],
    ['a fraction', { info: { status: 'FAILED' }, return_code: 1.5 }, undefined],
    [
      'a long signal',
      { info: { status: 'FAILED', termination: { reason: 'Signal', signal: `SIG${'X'.repeat(100_000)}` } } },
      undefined,
    ],
    [
      'a signal with control characters',
      { info: { status: 'FAILED', termination: { reason: 'Signal', signal: 'SIG\u001b[31m' } } },
      undefined,
    ],
  ])('how it ended: %s', (_what, fields, told, exit) => {
    const remote = row(fields);
    const { termination, exitCode } = report(remote, at);
    expect([termination, exitCode, progress(remote).exit]).toEqual([told, told?.exitCode, exit]);
  });

  test.each([
    [0, 0],
    [0.37, 30],
    [1, 100],
    [undefined, undefined],
    [null, undefined],
    [-1, undefined],
    [7, undefined],
    ['half', undefined],
  ])('has come to %s', (share, percent) => {
    expect(report(row({ progress: share }), at)['progress']).toBe(percent);
  });

  test('is cut where it is long', () => {
    const { statusMessage } = report(row({ info: { status: 'FAILED', message: 'x'.repeat(100_000) } }), at);
    expect(String(statusMessage).length).toBeLessThanOrEqual(1_024);
  });

  test('has links, sorted, and paths below the endpoint', () => {
    const urls = { 'Spark Web UI': 'http://10.0.0.1:8080?token=hunter2', Logs: '/v1.1/demo/job-executions/1/logs' };
    const told = report(row({ info: { status: 'RUNNING', urls } }), at);
    expect(told['urls']).toEqual({
      Logs: 'https://jobs.example.com:8386/api/v1.1/demo/job-executions/1/logs',
      'Spark Web UI': 'http://10.0.0.1:8080',
    });
    expect(Object.keys(told['urls'] as object)).toEqual(['Logs', 'Spark Web UI']);
  });

  test.each<[what: string, urls: unknown]>([
    ['none', {}],
    ['a text', 'http://host'],
    ['a list', ['http://host']],
    ['null', null],
    ['what is no text', { Logs: 7, 'Web UI': { href: 'http://host' } }],
    [
      'what is no web page',
      { Master: 'spark://host:7077', Output: 'hdfs://host/out', Script: 'javascript://host/%0aalert(1)' },
    ],
    ['a password', { Logs: 'http://admin:hunter2@host/logs' }],
    ['a user', { Logs: 'http://hunter2@host/logs' }],
    ['a path that leaves the endpoint', { Logs: '/\\other.example.com' }],
    ['control characters in the link', { Logs: 'http://host/\u001b[31m', Other: '/logs\n' }],
    ['control characters in the name', { 'Lo\u0007gs': 'http://host/logs', '\u202Esgol': 'http://host/logs' }],
    ['no name', { '': 'http://host/logs' }],
    ['the name of the prototype', JSON.parse('{"__proto__": "http://host/logs"}')],
    ['a long link', { Logs: `http://host/${'x'.repeat(2048)}` }],
    ['a long name', { ['x'.repeat(129)]: 'http://host/logs' }],
  ])('shows no link: %s', (_what, urls) => {
    expect(report(row({ info: { status: 'RUNNING', urls } }), at)).not.toHaveProperty('urls');
  });

  test('stays with its service where a path looks like another one', () => {
    const told = report(row({ info: { urls: { Logs: '//other.example.com/logs' } } }), at);
    expect(told['urls']).toEqual({ Logs: 'https://jobs.example.com:8386/api//other.example.com/logs' });
  });

  test('shows the first links of many', () => {
    const urls = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`Page ${n + 100}`, `http://host/${n}`]));
    const told = report(row({ info: { urls } }), at);
    expect(Object.keys(told['urls'] as object)).toEqual(Object.keys(urls).slice(0, 20));
  });

  test('refers to its job and to its data', () => {
    const remote = row({
      job_id: uuid(1),
      input_id: uuid(3),
      output_id: uuid(4),
      data_source_urls: { [uuid(3)]: 'hdfs:///a', [uuid(5)]: 'hdfs:///b' },
    });
    expect(mentions(remote)).toEqual([
      { route: 'jobs', id: uuid(1) },
      ...[3, 4, 5].map((n) => ({ route: 'dataSources', id: uuid(n) })),
    ]);
  });

  test('has the marker as its name, if it has one', () => {
    expect(row({ job_configs: { configs: { [executionMarker]: 'u-1' } } }).name).toBe('u-1');
    for (const job_configs of [{}, { configs: 'x' }, { configs: { [executionMarker]: 7 } }, { configs: null }])
      expect(row({ job_configs }).name).toBe('');
  });
});
