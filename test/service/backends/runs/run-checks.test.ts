// What is checked before a run is stored: it reads little, whatever the job consists of, because others wait for it.
import { expect, test, vi } from 'vitest';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { JobExecutionRecord, JobRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { checkRun, prepare } from '../../../../src/service/resources/executions/prepare.ts';
import { clusterOf } from '../../provisioning/battery.ts';
import { tinyEngine } from '../processes/clusters/tiny-engine.ts';
import { openJobs, orderOf, script } from '../processes/jobs/job-scene.ts';

const at = 'now';
const internal = 'ea34d320-09d7-4dc1-acbf-75b57cec81c9';
const ids = Array.from({ length: 4000 }, (_, index) => `b${index}`);
const job: JobRecord = {
  id: 'j',
  name: 'j',
  type: 'Shell',
  mains: ids.slice(0, 1),
  libs: ids.slice(1),
  interface: [],
  created_at: at,
};
const cluster = clusterOf([]);

function execution(job_configs: JobExecutionRecord['job_configs'] = {}): JobExecutionRecord {
  return {
    id: 'e',
    name: 'e',
    job_id: 'j',
    cluster_id: cluster.id,
    job_configs,
    interface: {},
    info: { status: '' },
    data_source_urls: {},
    created_at: at,
  };
}

/** A job of which all binaries are one upload. */
function scene() {
  const store = createMemoryStore();
  store.put('jobs', 't', job);
  for (const id of ids)
    store.put('jobBinaries', 't', { id, name: id, url: `internal-db://${internal}`, created_at: at });
  const datasize = 5 * 1024 ** 2;
  const upload = () =>
    store.put(
      'jobBinaryInternals',
      't',
      { id: internal, name: 'i', datasize, created_at: at } as never,
      new Uint8Array(datasize),
    );
  upload();
  const bytes = vi.spyOn(store, 'bytes');
  const engine = openJobs().create();
  const given = { store, engine, dialect: 'neutral' as const };
  const check = (configs?: JobExecutionRecord['job_configs']) =>
    checkRun(given, { tenant: 't', cluster, job }, execution(configs));
  return { store, bytes, given, check };
}

test('that the bytes of binaries exist is found without reading them', () => {
  const { store, bytes, check } = scene();
  check();
  expect(bytes).not.toHaveBeenCalled();
  store.remove('jobBinaryInternals', 't', internal);
  expect(check).toThrow('its bytes were deleted: upload them again');
});

test('the data sources are listed once, whatever number of texts name one', () => {
  const { store, given } = scene();
  for (const id of ['s1', 's2', 's3'])
    store.put('dataSources', 't', { id, name: 'words', type: 'hdfs', url: `/${id}`, created_at: at });
  const listed = vi.spyOn(store, 'listed');
  const args = Array.from({ length: 1000 }, () => 'datasource://words');
  const configs = { 'edp.substitute_data_source_for_name': true };
  const random = createSeededRandom(1);
  const { prepared } = prepare({ ...given, store, random }, 't', execution({ args, configs }));
  expect(prepared?.references).toEqual({ 'datasource://words': 's1' });
  expect(listed).toHaveBeenCalledTimes(1);
});

test('arguments and settings are bounded with the URLs that stand in them, however short what names these is', () => {
  const { checks } = openJobs().create();
  const url = `hdfs://h/${'x'.repeat(8000)}`;
  const orderWith = (args: readonly string[], params = {}) => ({
    ...orderOf(script('true'), { args, params }),
    references: new Map([['datasource://d', { id: 's', name: 'd', url, type: 'hdfs' } as never]]),
  });
  const named = (times: number) => Array.from({ length: times }, () => 'datasource://d');
  expect(() => checks.run(orderWith(named(32)))).not.toThrow();
  expect(() => checks.run(orderWith(named(33)))).toThrow(
    /args, configs and params have \d+ characters.*read the rest from a file/,
  );
  expect(() => checks.run(orderWith([], { x: 'x'.repeat(262_143) }))).not.toThrow();
  expect(() => checks.run(orderWith(['y'], { x: 'x'.repeat(262_143) }))).toThrow('have 262145 characters');
});

test('of libs, none is read unless it lists Python packages', () => {
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const environment = { from: 'environment.tar.gz', archive: 'environment.tar.gz' };
  const jobs = tiny.jobs.map((each): typeof each => ({
    ...each,
    program: (run) => ({ ...each.program(run), environment }),
  }));
  const read = vi.fn(() => new Uint8Array());
  const libs = ['environment.tar.gz', 'other.whl'].map((name) => ({ ...script('', name), read }));
  openJobs({ engines: [{ ...tiny, jobs }] })
    .create()
    .checks.run(orderOf(script(''), { libs }));
  expect(read).not.toHaveBeenCalled();
});
