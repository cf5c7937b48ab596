// Flink session clusters: what is started, how memory is divided, and what is asked of the job manager.
import { describe, expect, test } from 'vitest';
import { checkEngine } from '../../../src/service/engines/check-engine.ts';
import type { AskJson, EngineJob, EngineNode, EngineRun } from '../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';
import { createFlink } from '../../../src/service/engines/flink/flink.ts';
import { memoryPartsOf } from '../../../src/service/engines/flink/memory.ts';
import type { ConfigMap } from '../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../provisioning/battery.ts';
import { run } from './run-of-a-job.ts';

const flink = createFlink({ folder: '/flink', java: '/java' });

function nodeOf(process: string, address: string, node_configs: ConfigMap = {}): EngineNode {
  const machine = { instance_id: process, instance_name: process };
  const group = { ...groupOf(process, [machine]), flavor_id: '2', node_configs, volumes_per_node: 2 };
  const place = { address, folder: `/m/${address}`, secret: 'hidden' };
  return { cluster: clusterOf([group]), group, machine, processes: [process], ...place };
}
const head = nodeOf('jobmanager', '127.77.1.1');
const worker = nodeOf('taskmanager', '127.77.1.2');
const nodes = [head, worker];

const processOf = (name: string, engine = flink) => {
  const found = engine.processes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no process ${name}`);
  return found;
};
const configOf = (node: EngineNode, engine = flink) => {
  const files = processOf(node.processes[0] ?? '', engine).files?.(node, nodes) ?? {};
  return (
    Object.entries(files)
      .find(([name]) => name.endsWith('config.yaml'))?.[1]
      .split('\n') ?? []
  );
};

describe('a process', () => {
  test('listens at the address of its machine, and keeps its files there', () => {
    expect(configOf(worker)).toEqual(
      expect.arrayContaining([
        '"jobmanager.rpc.address": "127.77.1.1"',
        '"rest.address": "127.77.1.1"',
        '"taskmanager.host": "127.77.1.2"',
        '"taskmanager.bind-host": "127.77.1.2"',
        '"taskmanager.resource-id": "127.77.1.2"',
        '"taskmanager.numberOfTaskSlots": "2"',
        '"io.tmp.dirs": "/m/127.77.1.2/volumes/0,/m/127.77.1.2/volumes/1"',
        '"blob.storage.directory": "/m/127.77.1.2/flink-taskmanager/tmp"',
      ]),
    );
    expect(configOf(head)).toContain('"rest.bind-address": "127.77.1.1"');
    expect(configOf(head, createFlink({ folder: '/flink', java: '/java', isImage: true }))).toContain(
      '"rest.bind-address": "0.0.0.0"',
    );
  });

  test('runs no jar that is uploaded, whatever the options are', () => {
    expect(configOf(head)).toEqual(
      expect.arrayContaining(['"web.submit.enable": "false"', '"web.cancel.enable": "false"']),
    );
  });

  test('has a virtual machine as large as what its configuration says', () => {
    const { args } = processOf('taskmanager').command(worker, nodes);
    const sizes = Object.fromEntries(
      configOf(worker).flatMap((line) => {
        const [, name = '', size] = /^"taskmanager\.memory\.(.*)": "(\d+)m"$/.exec(line) ?? [];
        return size === undefined ? [] : [[name, Number(size)]];
      }),
    );
    const of = (name: string) => sizes[name] ?? Number.NaN;
    expect(args).toEqual(
      expect.arrayContaining([
        `-Xmx${of('framework.heap.size') + of('task.heap.size')}m`,
        `-XX:MaxDirectMemorySize=${of('framework.off-heap.size') + of('network.max')}m`,
        `-XX:MaxMetaspaceSize=${of('jvm-metaspace.size')}m`,
      ]),
    );
    const names = ['framework.heap', 'framework.off-heap', 'task.heap', 'managed', 'jvm-metaspace'];
    const sum = names.reduce((all, name) => all + of(`${name}.size`), of('network.max') + of('jvm-overhead.max'));
    expect([sum, processOf('taskmanager').memory(worker)]).toEqual([2048, 2048]);
    expect(processOf('jobmanager').command(head, nodes).args).toContain('-Xmx256m');
  });

  test.each([512, 1024, 2048, 65_536])('of %d MiB gives its tasks what nothing else has', (total) => {
    const parts = Object.values(memoryPartsOf(total));
    expect(parts.reduce((sum, each) => sum + each, 0)).toBe(total);
  });
});

describe('a cluster', () => {
  const clusterWith = (flavor_id: string, ...processes: readonly (readonly string[])[]) =>
    clusterOf(
      processes.map((node_processes, index) => ({ ...groupOf(`g${index}`, []), flavor_id, count: 1, node_processes })),
    );

  test.each([
    [clusterWith('2', ['taskmanager']), 'node_groups have 0 machines with the process jobmanager'],
    [clusterWith('2', ['jobmanager']), 'node_groups have no machine with the process taskmanager'],
    [clusterWith('tiny', ['jobmanager'], ['taskmanager']), 'leaves 40 MiB for tasks in group g1, which need 64'],
  ])('is refused with the remedy (%#)', (cluster, problem) => {
    const flavors = [...usualFlavors, { id: 'tiny', name: 'tiny', cpus: 1, memory: 512, disk: 1 }];
    expect(() => checkEngine([createFlink({ folder: '/f', java: '/j' }, flavors), cluster], flavors)).toThrow(problem);
  });

  test('is accepted with both processes on one small machine', () => {
    const cluster = clusterWith('1', ['jobmanager', 'taskmanager']);
    expect(() => checkEngine([flink, cluster], usualFlavors)).not.toThrow();
  });

  test('can be used when the job manager knows every task manager by its address', () => {
    const [probe] = flink.usable(nodes);
    expect(probe?.url).toBe('http://127.77.1.1:8081/taskmanagers');
    expect(processOf('taskmanager').ready(worker, nodes).url).toBe(probe?.url);
    expect(probe?.holds({ taskmanagers: [{ id: '127.77.1.2' }] })).toBe(true);
    expect(probe?.holds({ taskmanagers: [{ id: '127.77.1.3' }] })).toBe(false);
    expect(probe?.holds({})).toBe(false);
    expect(flink.pages(nodes)).toEqual({ Flink: { 'Web UI': 'http://127.77.1.1:8081' } });
  });

  test('gives up a task manager when no job has tasks on it, or when it is not registered', () => {
    const done = processOf('taskmanager').drain?.done(worker, nodes);
    const answer = (id: string, freeSlots: number) => ({ taskmanagers: [{ id, slotsNumber: 2, freeSlots }] });
    expect(
      [answer('127.77.1.2', 1), answer('127.77.1.2', 2), answer('127.77.1.3', 1)].map((each) => done?.holds(each)),
    ).toEqual([false, true, true]);
  });
});

describe('a job', () => {
  const job = flink.jobs.find(({ type }) => type === 'Java') as EngineJob;
  const id = '3f1c5a52-6f3c-4a61-9d0b-2f4b6f0b8d11';
  const jobId = '3f1c5a526f3c4a619d0b2f4b6f0b8d11';
  const given = (more: Partial<EngineRun> = {}) =>
    run({
      id,
      nodes,
      mains: [],
      libs: ['/runs/run-1/work/count.jar'],
      ...more,
      configs: { 'edp.java.main_class': 'Count', ...more.configs },
    });

  test('is submitted to the job manager under the identifier of its run', () => {
    const { args, files, env } = job.program(given({ args: ['--in', 'x'], configs: { 'parallelism.default': 3 } }));
    expect(args.slice(args.indexOf('run')).join(' ')).toBe(
      'run --target remote --class Count /runs/run-1/work/count.jar --in x',
    );
    expect(env['FLINK_CONF_DIR']).toBe('/runs/run-1/work/.flink');
    expect(files?.['.flink/config.yaml']?.split('\n')).toEqual(
      expect.arrayContaining([
        '"rest.address": "127.77.1.1"',
        '"parallelism.default": "3"',
        `"$internal.pipeline.job-id": "${jobId}"`,
        '"execution.shutdown-on-attached-exit": "true"',
      ]),
    );
  });

  test.each([
    [{ libs: [] }, 'it has 0 mains and 0 libs: name one jar in libs'],
    [{ libs: ['/a.jar', '/b.jar'] }, 'it has 0 mains and 2 libs'],
    [{ configs: { 'edp.java.main_class': '' } }, 'configs have no name of a class in edp.java.main_class'],
    [
      { configs: { 'parallelism.defualt': 1 } },
      'configs have parallelism.defualt, which no job can set: the known ones are',
    ],
    [{ configs: { 'parallelism.default': 'two' } }, 'configs have parallelism.default two: give a whole number'],
    [{ configs: { 'web.submit.enable': true } }, 'configs have web.submit.enable, which no job can set'],
    [{ nodes: [] }, 'its cluster has no job manager'],
  ])('is refused with the remedy: %o', (wrong, problem) => {
    expect(() => job.program(given(wrong))).toThrow(problem);
  });

  const place = { id, nodes, folder: '/run', address: '127.78.1.1' };
  const answering =
    (answer: unknown, asked: string[] = []): AskJson =>
    async (url) => {
      asked.push(url);
      return answer;
    };

  test.each([
    [{ 'job-type': 'BATCH', 'status-counts': { FINISHED: 3, RUNNING: 1 } }, { progress: 0.75 }],
    [{ 'job-type': 'STREAMING', 'status-counts': { RUNNING: 4 } }, { progress: undefined }],
    [
      { 'job-type': 'BATCH', 'status-counts': { SCHEDULED: 2 } },
      { progress: 0, waiting: 'waiting for free task slots: none of its 2 tasks has one yet' },
    ],
    [{}, { progress: undefined }],
  ])('that goes on is observed: %o', async (answer, expected) => {
    const asked: string[] = [];
    expect(await job.observe?.(place, answering(answer, asked))).toEqual(expected);
    expect(asked).toEqual([`http://127.77.1.1:8081/jobs/${jobId}`]);
  });

  test.each([
    ['RUNNING', jobId, 2],
    ['FINISHED', jobId, 1],
    ['RUNNING', 'of-another-run', 1],
  ])('that is %s is canceled if it is that of the run (%s)', async (status, found, requests) => {
    const asked: string[] = [];
    await job.cancel?.(place, answering({ jobs: [{ id: found, status }] }, asked));
    expect(asked).toEqual(
      ['http://127.77.1.1:8081/jobs', `http://127.77.1.1:8081/jobs/${jobId}/yarn-cancel`].slice(0, requests),
    );
  });
});
