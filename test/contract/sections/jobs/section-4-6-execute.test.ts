// Section 4.6: what `execute` asks for, by the type of the job, and in which order it looks.
import { beforeEach, describe, expect, test } from 'vitest';
import {
  bundledOnly,
  cannotTry,
  expectWords,
  type Json,
  needsJobType,
  onlyIn,
  oursOnly,
  type Peer,
  type Reply,
  scene,
  serve,
  unknownId,
  uuid,
} from '../../support.ts';
import {
  base,
  createBinary,
  createCluster,
  created,
  createJob,
  createSource,
  placeOf,
  refused,
  stamps,
} from './section-4-6-support.ts';

const jobs = `${base}/jobs`;
const list = `${base}/job-executions`;

interface Stage {
  readonly peer: Peer;
  readonly cluster: Json;
  readonly job: Json;
  readonly sources: { readonly input_id: string; readonly output_id: string };
  readonly execute: (body: object) => ReturnType<Peer['post']>;
}

/** A job of this type, a cluster and two data sources. */
async function stage(type: string, fields: object = {}, plugin: object = {}): Promise<Stage> {
  const peer = await serve();
  needsJobType(type);
  const { id } = await createBinary(peer, 'code');
  const binaries = ['Java', 'MapReduce', 'MapReduce.Streaming'].includes(type) ? { libs: [id] } : { mains: [id] };
  const job = created(await peer.post(jobs, { name: 'job', type, ...binaries, ...fields }));
  const cluster = await createCluster(peer, 'neutral', plugin);
  const [input, output] = [await createSource(peer), await createSource(peer, { name: 'out', url: placeOf('out') })];
  const execute: Stage['execute'] = (body) =>
    peer.post(`${jobs}/${job.id}/execute`, { cluster_id: cluster.id, ...body });
  return { peer, cluster, job, sources: { input_id: input.id, output_id: output.id }, execute };
}

const spark = {
  plugin_name: 'spark',
  bigdata_version: '2.3',
  name: 'spark',
  node_groups: [{ name: 'g', count: 1, flavor_id: scene.flavors.small, node_processes: ['master'] }],
};
const fake = { plugin_name: 'fake', bigdata_version: '0.1', name: 'fake' };
/** Most services tell only in a refusal which types a plugin does not run. */
function judgeType(type: string, reply: Reply): void {
  if (scene.bundled || refused(reply)[1] !== 'INVALID_REFERENCE') return;
  cannotTry(`plugin ${scene.plugin} runs no jobs of type ${type}`);
}

/** Plugins can refuse configs that mean nothing to them. */
function judgeConfigs(reply: Reply): Reply {
  if (!scene.bundled && refused(reply)[1] === 'INVALID_DATA') cannotTry(`plugin ${scene.plugin} takes no such configs`);
  return reply;
}

const mainClass = { configs: { 'edp.java.main_class': 'org.example.Main' } };
const streaming = { 'edp.streaming.mapper': '/bin/cat', 'edp.streaming.reducer': '/bin/wc' };

describe('section 4.6 rule 4: POST jobs/{job_id}/execute', () => {
  test('202 with the execution, whose status is PENDING', async () => {
    onlyIn('neutral');
    const { cluster, job, sources, execute, peer } = await stage('Pig');
    const job_configs = { configs: { 'mapred.map.tasks': '3', a: 1, b: true }, params: { p: 'v' }, args: ['x', 'y'] };
    const reply = await execute({ ...sources, job_configs });
    judgeType('Pig', reply);
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({
      job_execution: {
        id: expect.stringMatching(uuid),
        job_id: job.id,
        cluster_id: cluster.id,
        ...sources,
        job_configs,
        interface: {},
        info: { status: 'PENDING' },
        data_source_urls: {},
        ...stamps,
      },
    });
    const { id } = reply.body.job_execution;
    expect((await peer.get(`${list}/${id}`)).body.job_execution.job_configs).toEqual(job_configs);
    expect((await peer.get(list)).body.job_executions.map((row: Json) => row.id)).toEqual([id]);
  });

  test('every call is a new run', async () => {
    const { execute, peer } = await stage('Shell');
    const ids = [created(await execute({})).id, created(await execute({})).id];
    expect(new Set(ids).size).toBe(2);
    expect((await peer.get(list)).body.job_executions).toHaveLength(2);
  });

  test('section 4.6 rule 1: secrets of object stores come back empty', async () => {
    const { execute, peer } = await stage('Shell');
    const secrets = {
      'fs.swift.service.sahara.username': 'me',
      'fs.swift.service.sahara.password': 'hidden',
      'fs.s3a.access.key': 'hidden',
      'fs.s3a.secret.key': 'hidden',
    };
    const { id, job_configs } = created(
      judgeConfigs(await execute({ job_configs: { configs: { ...secrets, other: 'shown' } } })),
    );
    const empty = Object.fromEntries(Object.keys(secrets).map((key) => [key, '']));
    expect(job_configs.configs).toEqual({ ...empty, other: 'shown' });
    for (const path of [list, `${list}/${id}`]) expect((await peer.get(path)).text).not.toContain('hidden');
  });

  test.each([
    ['Pig', {}, 'sources', {}],
    ['Hive', {}, 'sources', {}],
    ['MapReduce', {}, 'sources', {}],
    ['MapReduce.Streaming', { configs: streaming }, 'sources', {}],
    ['Java', mainClass, 'none', {}],
    ['Shell', {}, 'none', {}],
    ['Shell', {}, 'none', spark],
    ['Spark', mainClass, 'none', spark],
    ['Spark', mainClass, 'none', fake],
    ['Storm', mainClass, 'none', fake],
    ['Storm.Pyleus', mainClass, 'none', fake],
  ])('%s runs with %j and %s data sources', async (type, job_configs, given, plugin) => {
    const { execute, sources } = await stage(type, {}, plugin);
    const reply = await execute({ job_configs, ...(given === 'sources' ? sources : {}) });
    judgeType(type, reply);
    // What these need is a rule of each plugin.
    const isStrict = !scene.bundled && type.startsWith('Storm') && reply.status === 400;
    if (isStrict && (await execute({ job_configs, ...sources })).status === 202)
      cannotTry(`plugin ${scene.plugin} runs jobs of type ${type} only with data sources`);
    created(reply);
  });

  test.each([
    ['Pig', {}, 'none', 'input_id and output_id'],
    ['Pig', {}, 'input', 'input_id and output_id'],
    ['Hive', {}, 'same', '://container/in'],
    ['MapReduce', {}, 'none', 'input_id and output_id'],
    ['MapReduce.Streaming', {}, 'sources', 'edp.streaming.mapper'],
    ['MapReduce.Streaming', { configs: { 'edp.streaming.mapper': 'x' } }, 'sources', 'edp.streaming.reducer'],
    ['Java', {}, 'none', 'edp.java.main_class'],
    ['Java', { configs: { 'edp.java.main_class': '' } }, 'none', 'edp.java.main_class'],
  ])('%s with %j and %s data sources: 400 INVALID_DATA', async (type, job_configs, given, text) => {
    onlyIn('neutral', 'sahara');
    const { execute, sources, peer } = await stage(type);
    const { input_id } = sources;
    const bodies: Readonly<Record<string, object>> = {
      sources,
      input: { input_id },
      same: { input_id, output_id: input_id },
    };
    const reply = await execute({ job_configs, ...bodies[given] });
    judgeType(type, reply);
    expect(refused(reply)).toEqual([400, 'INVALID_DATA']);
    expectWords(reply.body, text);
    expect((await peer.get(list)).body).toEqual({ job_executions: [] });
  });

  test.each([[{ cluster_id: unknownId }], [{ input_id: unknownId }], [{ output_id: unknownId }]])(
    '%j, which does not exist: 400 INVALID_REFERENCE',
    async (fields) => {
      const { execute, sources } = await stage('Pig');
      expect(refused(await execute({ ...sources, ...fields }))).toEqual([400, 'INVALID_REFERENCE']);
    },
  );

  test('a type that the plugin of the cluster does not run: 400 INVALID_REFERENCE', async () => {
    bundledOnly('the types of jobs');
    const { execute } = await stage('Spark');
    const reply = await execute({ job_configs: mainClass });
    expect(refused(reply)).toEqual([400, 'INVALID_REFERENCE']);
    expectWords(reply.body, 'Shell');
  });

  test.each([
    [{ cluster_id: undefined }, 'cluster_id: is required'],
    [{ cluster_id: 'cluster-1' }, 'cluster_id: '],
    [{ input_id: null }, 'input_id: '],
    [{ job_configs: { args: 'x' } }, 'job_configs[args]: '],
    [{ job_configs: { args: { x: 'y' } } }, 'job_configs[args]: '],
    [{ job_configs: { configs: { a: { b: 1 } } } }, 'job_configs[configs][a]'],
    [{ job_configs: { params: { a: 1.5 } } }, 'job_configs[params][a]'],
    [{ job_configs: { more: {} } }, 'job_configs[more]: unknown field'],
    [{ name: 'run' }, 'name: unknown field'],
    [{ info: { status: 'SUCCEEDED' } }, 'info: unknown field'],
  ])('%j is refused: 400 VALIDATION_ERROR', async (fields, text) => {
    const { execute } = await stage('Shell');
    const reply = await execute(fields);
    expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expectWords(reply.body, text);
  });

  test('first the job, then the body, then the cluster, then its plugin, then the interface, then the rest', async () => {
    oursOnly('which problem is told first');
    const argument = { name: 'a', mapping_type: 'configs', location: 'a', required: true };
    const { execute, peer } = await stage('Spark', { interface: [argument] }, spark);
    const wrong = { cluster_id: unknownId, more: 1 };
    expect(refused(await peer.post(`${jobs}/${unknownId}/execute`, wrong))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await execute(wrong))).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused(await execute({ cluster_id: unknownId }))).toEqual([400, 'INVALID_REFERENCE']);
    const { id } = await createCluster(peer, 'neutral', { name: 'other' });
    expect(refused(await execute({ cluster_id: id }))).toEqual([400, 'INVALID_REFERENCE']);
    expect((await execute({})).body.error_message).toContain('interface');
    expect((await execute({ interface: { a: 'x' } })).body.error_message).toContain('edp.java.main_class');
    expect((await execute({ interface: { a: 'x' }, job_configs: mainClass })).status).toBe(202);
  });

  test('identifiers may come without hyphens', async () => {
    oursOnly('that identifiers may lack hyphens');
    const { execute, cluster, sources } = await stage('Pig');
    const bare = Object.fromEntries(Object.entries(sources).map(([key, id]) => [key, id.replaceAll('-', '')]));
    const reply = await execute({ cluster_id: cluster.id.replaceAll('-', ''), ...bare });
    judgeType('Pig', reply);
    const execution = created(reply);
    expect(execution).toMatchObject({ cluster_id: cluster.id, ...sources });
  });
});

describe('section 4.6 rule 4: values by name', () => {
  beforeEach(() => oursOnly('values by name'));

  const argument = {
    name: 'heap',
    mapping_type: 'configs',
    location: 'java.heap',
    required: true,
    value_type: 'number',
  };
  const shell = (fields: object = {}) => stage('Shell', { interface: [{ ...argument, ...fields }] });

  test('are read back', async () => {
    onlyIn('neutral');
    const reply = judgeConfigs(await (await shell()).execute({ interface: { heap: '7' } }));
    expect(created(reply).interface).toEqual({ heap: '7' });
  });

  test.each([
    ['not passed at all', {}, undefined],
    ['without a required one', {}, {}],
    ['with an unknown one', {}, { heap: '7', more: 'x' }],
    ['with text where a number is due', {}, { heap: 'x' }],
    ['with a number where text is due', { value_type: 'string' }, { heap: 7 }],
    ['with what is no location', { value_type: 'data_source' }, { heap: 'x' }],
  ])('%s: 400 INVALID_DATA', async (_what, fields, values) => {
    const { execute } = await shell(fields);
    expect(refused(await execute({ interface: values }))).toEqual([400, 'INVALID_DATA']);
  });

  test('may be empty where nothing is required', async () => {
    created(await (await shell({ required: false })).execute({ interface: {} }));
  });

  test('name data sources or their URLs', async () => {
    const { execute, sources } = await shell({ value_type: 'data_source' });
    created(judgeConfigs(await execute({ interface: { heap: sources.input_id } })));
    created(await execute({ interface: { heap: 'hdfs://host/x' } }));
    expect(refused(await execute({ interface: { heap: unknownId } }))).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('must not say other than the configs at the same place', async () => {
    const { execute } = await shell();
    const at = (value: string) =>
      execute({ interface: { heap: '7' }, job_configs: { configs: { 'java.heap': value } } });
    expect(refused(await at('8'))).toEqual([400, 'INVALID_DATA']);
    created(judgeConfigs(await at('7')));
  });

  test('are refused where the job describes none', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    const execute = (values: object) =>
      peer.post(`${jobs}/${job.id}/execute`, { cluster_id: cluster.id, interface: values });
    expect(refused(await execute({ a: 'x' }))).toEqual([400, 'INVALID_DATA']);
    created(await execute({}));
  });
});
