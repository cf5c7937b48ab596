// Every field of the resources of version 1.1 as late and early releases show them, and where the values of an interface go.
import { describe, expect, test } from 'vitest';
import {
  base,
  createCluster,
  created,
  createJob,
  swift,
  upload,
  words,
} from '../../sections/jobs/section-4-6-support.ts';
import { hasEnded, type Json, ours, type Peer, serve, timestamp, until, uuid } from '../../support.ts';

const id = expect.stringMatching(uuid);
const now = timestamp;
const branded = ['sahara', 'savanna'] as const;
const owned = { id, tenant_id: 't', created_at: now, updated_at: null };
const access = { is_public: false, is_protected: false };

const show = async (peer: Peer, path: string, { id: of }: Json): Promise<Json> =>
  Object.values((await peer.get(`${base}/${path}/${of}`)).body)[0];
const without = (fields: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const argument = { name: 'size', mapping_type: 'args', location: '0', required: true };

describe.each(branded)('%s: every field', (dialect) => {
  const late = dialect === 'sahara';
  const common = { ...owned, ...(late && access) };
  const described = { ...common, description: null };

  test('of a data source', async () => {
    const peer = await serve({ dialect });
    const made = created(await peer.post(`${base}/data-sources`, swift));
    const whole = { ...described, ...(late ? without(swift, 'credentials') : swift) };
    expect(await show(peer, 'data-sources', made)).toEqual(whole);
    expect(made).toEqual(without(whole, 'description', 'updated_at'));
  });

  test('of internal binaries and job binaries', async () => {
    const peer = await serve({ dialect });
    const internal = created(await upload(peer, 'script', 'twelve bytes'));
    expect(internal).toEqual({ ...common, name: 'script', datasize: 12 });
    expect(await show(peer, 'job-binary-internals', internal)).toEqual(internal);
    const body = { name: 'binary', url: words[dialect].internal + internal.id };
    const made = created(await peer.post(`${base}/job-binaries`, body));
    const whole = { ...described, ...body, ...(!late && { extra: null }) };
    expect(await show(peer, 'job-binaries', made)).toEqual(whole);
    expect(made).toEqual(without(whole, 'description', 'extra', 'updated_at'));
  });

  test('of a job and of its runs', async () => {
    const peer = await serve({ dialect, stageMs: (status) => (status.toUpperCase() === 'PENDING' ? 100 : 0) });
    const source = async (name: string) =>
      created(await peer.post(`${base}/data-sources`, { ...swift, name, url: `swift://c/${name}` })).id as string;
    const internal = created(await upload(peer, 'script'));
    const binary = { name: 'binary', url: words[dialect].internal + internal.id };
    const { id: main } = created(await peer.post(`${base}/job-binaries`, binary));
    const sent = { name: 'job', type: 'Pig', mains: [main], ...(late && { interface: [argument] }) };
    const made = created(await peer.post(`${base}/jobs`, sent));
    const kept = { ...argument, id, job_id: made.id, tenant_id: 't', order: 0, value_type: 'string', default: null };
    const whole = {
      ...described,
      name: 'job',
      type: 'Pig',
      mains: [{ ...described, ...binary, ...(!late && { extra: null }) }],
      libs: [],
      ...(late && { interface: [{ ...kept, description: null, created_at: now, updated_at: null }] }),
    };
    expect(await show(peer, 'jobs', made)).toEqual(whole);
    expect(made).toEqual(without(whole, 'description', 'updated_at'));

    const cluster = await createCluster(peer, dialect);
    const sources = { input_id: await source('in'), output_id: await source('out') };
    const body = { cluster_id: cluster.id, ...sources, job_configs: { configs: { a: 'b' } } };
    const run = created(
      await peer.post(`${base}/jobs/${made.id}/execute`, { ...body, ...(late && { interface: { size: '7' } }) }),
    );
    const placed = { ...body.job_configs, args: ['7'], job_execution_info: {} };
    const begun = {
      ...common,
      ...body,
      job_id: made.id,
      info: { status: late ? 'PENDING' : 'Pending' },
      start_time: null,
      end_time: null,
      return_code: null,
      oozie_job_id: null,
      ...(late ? { engine_job_id: null, data_source_urls: null, job_configs: placed } : { progress: null }),
    };
    const unset = ['start_time', 'end_time', 'return_code', 'updated_at'];
    const first = ['data_source_urls', late ? 'engine_job_id' : 'oozie_job_id', 'progress', 'updated_at'];
    expect(run).toEqual(without(begun, ...unset, ...first));

    const { body: ended } = await until(() => peer.get(`${base}/job-executions/${run.id}`), hasEnded);
    const { start_time: begins, end_time: ends, oozie_job_id: engine } = ended.job_execution;
    const urls = { [sources.input_id]: 'swift://c/in', [sources.output_id]: 'swift://c/out' };
    expect(ended.job_execution).toEqual({
      ...begun,
      updated_at: now,
      info: { status: 'SUCCEEDED' },
      // Some engines set no times, and have identifiers of their own.
      start_time: ours ? now : begins,
      end_time: ours ? now : ends,
      oozie_job_id: ours ? id : engine,
      ...(late && { engine_job_id: engine, data_source_urls: urls }),
    });
  });
});

describe('sahara: the values of an interface', () => {
  const place = (mapping_type: string, location: string, fields: object = {}) => ({
    name: `${mapping_type}-${location}`,
    mapping_type,
    location,
    required: false,
    ...fields,
  });
  const list = [
    place('args', '1', { default: 'second' }),
    place('args', '0', { default: 'first' }),
    place('configs', 'a', { default: 'of the job' }),
    place('configs', 'b'),
    place('params', 'p', { default: 'of the job' }),
  ];

  test.each([
    [{}, undefined, { args: ['first', 'second'], configs: { a: 'of the job' }, params: { p: 'of the job' } }],
    [
      { 'args-0': 'x', 'configs-b': 'y' },
      { configs: { a: 'of the run', c: 1 }, params: { q: 'z' }, args: ['more'] },
      {
        args: ['x', 'second', 'more'],
        configs: { a: 'of the run', b: 'y', c: 1 },
        params: { p: 'of the job', q: 'z' },
      },
    ],
  ])('%j go to their places, defaults where nothing else is', async (values, job_configs, placed) => {
    const peer = await serve({ dialect: 'sahara' });
    const { id: script } = created(
      await peer.post(`${base}/job-binaries`, {
        name: 's',
        url: 'manila://00000000-0000-4000-8000-000000000000/script',
      }),
    );
    const job = created(
      await peer.post(`${base}/jobs`, { name: 'job', type: 'Shell', mains: [script], interface: list }),
    );
    const { id: cluster_id } = await createCluster(peer, 'sahara');
    const body = { cluster_id, interface: values, ...(job_configs && { job_configs }) };
    const run = created(await peer.post(`${base}/jobs/${job.id}/execute`, body));
    expect(run.job_configs).toEqual({ ...placed, job_execution_info: {} });
    expect(run).not.toHaveProperty('interface');
  });
});

describe('what is told of when to run', () => {
  const told = { job_execution_type: 'simple', x: 1 };
  const args = ['a'];

  test.each([
    ['sahara', { args, job_execution_info: told }, { args, job_execution_info: {} }],
    ['sahara', { args }, { args, job_execution_info: {} }],
    ['sahara', undefined, { job_execution_info: {} }],
    ['neutral', { args, job_execution_info: told }, { args, job_execution_info: told }],
  ] as const)('%s: of %j comes %j, in every answer', async (dialect, job_configs, kept) => {
    const peer = await serve({ dialect });
    const [job, cluster] = [await createJob(peer, dialect, { type: 'Shell' }), await createCluster(peer, dialect)];
    const body = { cluster_id: cluster.id, ...(job_configs && { job_configs }) };
    const run = created(await peer.post(`${base}/jobs/${job.id}/execute`, body));
    const { job_executions: listed } = (await peer.get(`${base}/job-executions`)).body;
    const shown = [run, await show(peer, 'job-executions', run), listed[0]];
    expect(shown.map((each) => each.job_configs)).toEqual([kept, kept, kept]);
  });
});
