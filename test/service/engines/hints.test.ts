// The configuration hints of real engines: what can run, and with which options, which the engines accept.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineJob, EngineRun } from '../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { createHadoop } from '../../../src/service/engines/hadoop/hadoop.ts';
import { pluginOf } from '../../../src/service/engines/plugin.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import { isForService } from '../../../src/service/model/references.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { type Json, serve } from '../../contract/support.ts';
import { temporaryFolder } from '../../plane/support.ts';
import { openJobs } from '../backends/processes/jobs/job-scene.ts';
import { clusterOf, groupOf } from '../provisioning/battery.ts';

async function createEngines() {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'jars'));
  writeFileSync(join(folder, 'jars', 'hadoop-streaming-3.4.2.jar'), '');
  const home = { folder, java: '/usr/bin/java', javaHome: '/usr' };
  return [createSpark({ ...home, hadoop: home }), createHadoop(home, usualFlavors)];
}

async function open() {
  const engines = await createEngines();
  const plugins = engines.map((engine) => pluginOf({ engine, version: `${engine.version}.0` }));
  const engine = openJobs({ engines }).create();
  return { engines, plugins, peer: await serve({ dialect: 'sahara', engine, catalog: { plugins } }) };
}

const node = (process: string) => ({
  cluster: clusterOf([]),
  group: groupOf(process, []),
  machine: { instance_id: process, instance_name: process },
  processes: [process],
  address: '127.77.1.1',
  folder: '/machine',
  secret: '',
});

/** A run that any job can make. */
const runOf = ({ type }: EngineJob): EngineRun => ({
  id: 'run',
  nodes: ['master', 'slave', 'namenode', 'resourcemanager'].map(node),
  folder: '/run',
  address: '127.78.1.1',
  mains: type === 'Spark' ? ['/run/main.jar'] : type === 'Shell' ? ['/run/main.sh'] : [],
  libs: ['/run/lib.jar'],
  args: [],
  configs: {},
  params: {},
  input: '/in',
  output: '/out',
});

/** Values that the hints leave to the user. */
const own: Readonly<Record<string, string>> = {
  'edp.java.main_class': 'Main',
  'edp.streaming.mapper': 'cat',
  'edp.streaming.reducer': 'wc',
  'mapred.mapper.class': 'M',
};

test('every option that is suggested is accepted, with its default', async () => {
  const { engines } = await open();
  const jobs = engines.flatMap((engine) => engine.jobs);
  expect(jobs.filter(({ hints }) => hints === undefined)).toEqual([]);
  for (const job of jobs) {
    const options = job.hints?.options ?? [];
    const configs = Object.fromEntries(
      options.map(({ name, default: value }) => [name, own[name] ?? value]).filter(([, value]) => value !== ''),
    );
    expect(() => job.program({ ...runOf(job), configs }), job.type).not.toThrow();
    expect(options.filter(({ description }) => description === '')).toEqual([]);
  }
});

test('hints name the options of the engine, with description and default', async () => {
  const { peer } = await open();
  const hints = async (type: string): Promise<Json> =>
    (await peer.get(`${base}/jobs/config-hints/${type}`)).body.job_config;
  const spark = await hints('Spark');
  expect(spark.configs).toEqual(
    expect.arrayContaining([
      { name: 'edp.java.main_class', value: '', description: 'The main class of the program' },
      { name: 'spark.executor.memory', value: '512m', description: 'Memory of an executor' },
      expect.objectContaining({ name: 'fs.s3a.endpoint', value: '' }),
      expect.objectContaining({ name: 'edp.substitute_data_source_for_name', value: 'false' }),
    ]),
  );
  expect(spark.configs.map(({ name }: Json) => name)).not.toContain('spark.history.retainedApplications');
  expect([Object.keys(spark), spark.args]).toEqual([['configs', 'args'], []]);
  const { configs } = await hints('MapReduce');
  expect(configs).toContainEqual({ name: 'mapreduce.job.reduces', value: '1', description: 'Reduce tasks of a job' });
  const shell = await hints('Shell');
  expect(shell.configs.every(({ name }: Json) => isForService(name))).toBe(true);
  expect(shell).toMatchObject({ params: {}, args: [] });
});

describe('types of jobs', () => {
  test('that cannot run have no hints', async () => {
    const { peer } = await open();
    expect((await peer.get(`${base}/jobs/config-hints/Pig`)).status).toBe(404);
  });
});
