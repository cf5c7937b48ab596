// Rows of runs, clusters and images grow after they were created. Whatever makes them grow, those of a tenant stay within its quota, but for a short message in each.
import { describe, expect, test } from 'vitest';
import {
  createSimulatedEngine,
  type ExecutionOrder,
  type JobEngine,
} from '../../../../src/service/backends/job-engine.ts';
import { createSimulatedProvisioner } from '../../../../src/service/backends/simulated-provisioner.ts';
import { Transient } from '../../../../src/service/model/disk/transient.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore, type Store } from '../../../../src/service/model/store/store.ts';
import { assemble } from '../../../../src/service/program/assembly.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { scaleCluster } from '../../../../src/service/resources/clusters/change.ts';
import type { Call } from '../../../../src/service/resources/endpoints/endpoint.ts';
import { executeJob } from '../../../../src/service/resources/executions/run-requests.ts';
import { tagImage } from '../../../../src/service/resources/images/images.ts';
import { createDataSource } from '../../../../src/service/resources/jobs/create-data-source.ts';
import { createJobBinary } from '../../../../src/service/resources/jobs/job-binaries.ts';
import { ManualClock } from '../../../support/clock.ts';

const tenant = 't';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const simulated = createSimulatedEngine(createSeededRandom(3));
const idOf = (number: number) => `11111111-2222-4333-8444-${String(number).padStart(12, '0')}`;
const [cluster, source] = [idOf(1), idOf(2)];
/** Of characters that take two bytes each, and make the whole row take them. */
const long = 'Ā'.repeat(100_000);

/** Rows as they are loaded, with a job that can be run on a cluster. `most`: how much memory the rows took at most. */
function scene({ rowByteQuota, ...options }: Partial<ServerOptions> & { readonly rowByteQuota: number }) {
  const clock = new ManualClock();
  const memory = createMemoryStore();
  const seen = { most: 0 };
  const measure = () => {
    seen.most = Math.max(seen.most, memory.size(tenant));
  };
  const store: Store = {
    ...memory,
    put(kind, owner, record, bytes) {
      memory.put(kind, owner, record, bytes);
      measure();
    },
    putAll(kind, records) {
      memory.putAll(kind, records);
      measure();
    },
  };
  const dated = { created_at: 'now', updated_at: 'now' };
  memory.put('clusters', tenant, {
    ...dated,
    id: cluster,
    name: 'c',
    status: 'Active',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    info: {},
    node_groups: [],
    cluster_configs: {},
    anti_affinity: [],
  });
  memory.put('jobs', tenant, { ...dated, id: 'job', name: 'job', type: 'Shell', mains: [], libs: [], interface: [] });
  const given = { clock, random: createSeededRandom(1), store, ...options };
  const service = assemble({ ...given, catalog: { rowByteQuota } }, log);
  const call = (id: string, body: unknown): Call => ({ tenant, id, body, version: '', name: '', query: {} });
  const execute = (body: object = {}) => executeJob(service, call('job', { cluster_id: cluster, ...body }));
  const runs = () => store.list('jobExecutions', tenant);
  return { clock, service, store, seen, call, execute, runs };
}

describe('a run of a data source whose placeholders make its URL long', () => {
  const url = `/${'%JOB_EXEC_ID%'.repeat(20_000)}`;

  test('is refused with such a source of an earlier release when there is no room for it', async () => {
    const rowByteQuota = 8 * 1024 ** 2;
    const { clock, store, seen, execute, runs } = scene({ rowByteQuota });
    store.put('dataSources', tenant, { id: source, name: 's', type: 'hdfs', url, created_at: 'now' });
    let refused = 0;
    for (let run = 0; run < 12; run += 1) {
      try {
        execute({ input_id: source });
      } catch (cause) {
        refused += 1;
        expect((cause as Error).message).toMatch(
          /^cannot keep \d{7} bytes more of a run in tenant t: .*--quota-row-bytes/,
        );
      }
      await clock.advance(1000);
    }
    expect([runs().length + refused, refused > 5, seen.most < rowByteQuota]).toEqual([12, true, true]);
  });

  test('ends with the quota when many have waited for their cluster', async () => {
    const rowByteQuota = 8 * 1024 ** 2;
    const { clock, service, store, seen, execute, runs } = scene({ rowByteQuota });
    store.put('dataSources', tenant, { id: source, name: 's', type: 'hdfs', url, created_at: 'now' });
    const record = store.get('clusters', tenant, cluster);
    if (record === undefined) throw new Error('there is no cluster');
    service.lifecycle.amend(tenant, { ...record, status: 'Waiting' });
    for (let run = 0; run < 12; run += 1) execute({ input_id: source });
    await clock.advance(1000);
    service.lifecycle.keep(tenant, record);
    await clock.advance(1000);
    const failed = runs().filter(({ info }) => info.status === 'FAILED');
    expect([runs().length, failed.length > 5, seen.most < rowByteQuota]).toEqual([12, true, true]);
    expect(failed[0]?.info.message).toMatch(/^cannot keep \d{7} bytes more of a run .*--quota-row-bytes$/);
  });

  test.each([
    [
      'with its placeholders filled in',
      `/${'%JOB_EXEC_ID%'.repeat(300)}`,
      'url has 10801 characters with its placeholders',
    ],
    ['by itself', `/${'x'.repeat(8192)}`, 'url: has more than 8192 characters'],
  ])('is not possible with a new source: too long %s', (_what, tooLong, problem) => {
    const { service, call } = scene({ rowByteQuota: 1e9 });
    const create = (name: string, at: string) => createDataSource(service, call('', { name, type: 'hdfs', url: at }));
    expect(() => create('long', tooLong)).toThrow(problem);
    expect(create('short', `/${'%JOB_EXEC_ID%'.repeat(200)}`).url).toHaveLength(2601);
  });

  test('nor are files with such URLs', () => {
    const { service, call } = scene({ rowByteQuota: 1e9 });
    const body = { name: 'b', url: `swift://c/${'x'.repeat(8192)}`, extra: { user: 'u', password: 'p' } };
    expect(() => createJobBinary(service, call('', body))).toThrow('url: has more than 8192 characters');
  });
});

const failing = async (): Promise<never> => {
  throw new Error(long);
};
const transient = async (): Promise<never> => {
  throw new Transient(long);
};
const untilAborted = ({ signal }: ExecutionOrder): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

const count = 60;
const rowByteQuota = 512 * 1024;
/** Of a message of 128 characters in two places, and of the properties of an ended run. */
const small = 1024;

describe('messages', () => {
  test.each<readonly [string, Partial<JobEngine>]>([
    ['of a submission that fails', { submit: failing }],
    ['of a submission that is tried again', { submit: transient }],
    ['of the end of a program', { finish: async () => ({ status: 'FAILED', message: long }) }],
    ['of a program that cannot be observed', { finish: failing }],
    [
      'that are reported',
      {
        async finish(order) {
          order.report({ message: long });
          return await untilAborted(order);
        },
      },
    ],
    ['of a kill that is tried again', { submit: failing, kill: failing }],
  ])('%s stay within the quota', async (_what, engine) => {
    const { clock, seen, execute, runs } = scene({ rowByteQuota, engine: { ...simulated, ...engine } });
    for (let run = 0; run < count; run += 1) execute();
    for (let second = 0; second < 20; second += 1) await clock.advance(1000);
    expect(runs()).toHaveLength(count);
    expect(seen.most).toBeLessThan(rowByteQuota + count * small);
    const lengths = runs().map(({ info }) => info.message?.length);
    expect([Math.max(...lengths.map(Number)), Math.min(...lengths.map(Number))]).toEqual([4096, 128]);
    expect(runs()[0]?.info.message).toMatch(/\.\.\.$/);
  });

  test('of clusters stay within the quota, those of their provisioner and those of failures', async () => {
    const provisioner = {
      ...createSimulatedProvisioner(createSeededRandom(1)),
      async launch({ report }: { readonly report: (reported: { message: string }) => void }): Promise<never> {
        report({ message: long });
        throw new Error(long);
      },
    };
    const { clock, service, store, seen } = scene({ rowByteQuota, provisioner: provisioner as never });
    const record = store.get('clusters', tenant, cluster);
    if (record === undefined) throw new Error('there is no cluster');
    for (let each = 0; each < count; each += 1)
      service.lifecycle.keep(
        tenant,
        service.lifecycle.begin({ ...record, id: idOf(100 + each), name: `c${each}` }, { operation: 'start' }),
      );
    for (let second = 0; second < 20; second += 1) await clock.advance(1000);
    const failed = store.list('clusters', tenant).filter(({ status }) => status === 'Error');
    const lengths = failed.map(({ status_description }) => Number(status_description?.length));
    expect([failed.length, Math.max(...lengths), Math.min(...lengths)]).toEqual([count, 4096, 128]);
    expect(seen.most).toBeLessThan(rowByteQuota + count * small);
  });

  test('of an earlier release are loaded, and do not keep the end of their run from being stored', async () => {
    let kills = 0;
    const kill = async () => {
      kills += 1;
      if (kills < 3) throw new Error('it does not answer');
    };
    const { clock, service, store, runs } = scene({ rowByteQuota, engine: { ...simulated, kill } });
    const run: JobExecutionRecord = {
      id: idOf(5),
      name: idOf(5),
      job_id: 'job',
      cluster_id: cluster,
      created_at: 'now',
      job_configs: {},
      interface: {},
      data_source_urls: {},
      info: { status: 'RUNNING', message: long },
      prepared: { mains: [], libs: [] },
      work: { operation: 'fail', stage: 'TOBEKILLED', message: long },
    };
    store.put('jobExecutions', tenant, run);
    service.executions.resume();
    for (let second = 0; second < 20; second += 1) await clock.advance(1000);
    expect([kills, runs()[0]?.info.status, runs()[0]?.work]).toEqual([3, 'FAILED', undefined]);
    expect(runs()[0]?.info.message?.length).toBeLessThanOrEqual(4096);
  });
});

test('tags of images stay within the quota', () => {
  const { service, seen, call } = scene({ rowByteQuota });
  const tag = (image: number, name: string) => tagImage(service, call(idOf(image), { tags: [name] }));
  for (let image = 0; image < 10; image += 1) tag(image, 'first');
  const refusals: string[] = [];
  for (let image = 0; image < 10; image += 1)
    try {
      tag(image, 'x'.repeat(50_000));
    } catch (cause) {
      refusals.push((cause as Error).message);
    }
  expect([refusals.length > 3, refusals.length < 8, seen.most < rowByteQuota]).toEqual([true, true, true]);
  expect(refusals[0]).toMatch(/^cannot make an image larger in tenant t: .*--quota-row-bytes$/);
});

test('groups of a large template, which short requests add to clusters, stay within the quota', () => {
  const { service, store, seen, call } = scene({ rowByteQuota });
  const template = store.get('clusters', tenant, cluster);
  if (template === undefined) throw new Error('there is no cluster');
  const large = 50_000;
  const shape = { flavor_id: '1', node_processes: ['namenode'], volumes_per_node: 0, volumes_size: 0 };
  store.put('nodeGroupTemplates', tenant, {
    id: source,
    name: 'large',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    created_at: 'now',
    ...shape,
    volume_mount_prefix: `/${'x'.repeat(large)}`,
    node_configs: {},
  });
  const refusals: string[] = [];
  for (let each = 0; each < 10; each += 1) {
    store.put('clusters', tenant, { ...template, id: idOf(10 + each), name: `c${each}` });
    const add_node_groups = [{ name: 'g', count: 1, node_group_template_id: source }];
    try {
      scaleCluster(service, call(idOf(10 + each), { add_node_groups }));
    } catch (cause) {
      refusals.push((cause as Error).message);
    }
  }
  expect(refusals[0]).toMatch(/^cannot make a large change in tenant t: .*--quota-row-bytes$/);
  expect([refusals.length > 3, refusals.length < 8]).toEqual([true, true]);
  // The last one that is accepted may exceed it, as in a creation.
  expect(seen.most).toBeLessThan(rowByteQuota + 4 * large);
});
