// What the provisioner does to the objects of a cluster, which a small stand-in for the API server keeps.
import { expect, test } from 'vitest';
import type { KubeObject, ObjectKind } from '../../../../../src/service/backends/pods/api/api.ts';
import { podNames } from '../../../../../src/service/backends/pods/api/names.ts';
import type { PodObject } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { machinesOf } from '../../../../../src/service/model/records/machines.ts';
import { callWithin } from '../../../../../src/service/model/stages/interruption.ts';
import { clusterOf, groupOf, sparkCluster } from './scene.ts';
import { openService, StandIn } from './stand-in.ts';

test('whoever looks after a cluster does not undo its growth, and goes on when that has failed', async () => {
  const api = new StandIn();
  const { clock, provisioner, orderOf, reports, stop } = openService(api);
  const small = sparkCluster(1);
  await provisioner.launch(orderOf(small), []);
  expect(await provisioner.adopt(orderOf(small))).toBeUndefined();
  await clock.advance(5000);

  const growing = provisioner.launch(orderOf(sparkCluster(3)), []);
  growing.catch(() => undefined);
  for (let second = 0; second < 30; second += 1) await clock.advance(1000);
  expect([api.setOf('workers').spec.replicas, reports]).toEqual([3, []]);

  stop();
  await clock.advance(1000);
  await expect(growing).rejects.toThrow('stopped');
  await clock.advance(5000);
  expect(api.setOf('workers').spec.replicas).toBe(1);
});

test('what a cluster with machines on record needs has worked, also before the service was restarted', async () => {
  const api = new StandIn();
  const { clock, provisioner, orderOf } = openService(api);
  const cluster = sparkCluster(1);
  const without = cluster.node_groups.map((group) => ({
    ...group,
    instances: group.instances.map(({ instance_id, instance_name }) => ({ instance_id, instance_name })),
  }));
  await provisioner.launch(orderOf({ ...cluster, node_groups: without }), []);
  expect(api.recalled).toEqual(new Map());
  const up = without.map((group) => ({
    ...group,
    instances: group.instances.map((machine) => ({ ...machine, internal_ip: '10.0.0.1' })),
  }));
  await provisioner.adopt(orderOf({ ...cluster, node_groups: up }));
  expect(api.recalled.get('data')).toEqual(['StatefulSet', 'Service', 'Secret', 'NetworkPolicy', 'Pod']);
  await clock.advance(5000);
});

test('a cluster of an earlier version with too many groups is not launched', async () => {
  const api = new StandIn();
  const { provisioner, orderOf } = openService(api);
  const empty = Array.from({ length: 99 }, (_, index) => groupOf(`empty-${index}`, ['slave'], 0));
  const cluster = sparkCluster(1);
  const large = { ...cluster, node_groups: [...cluster.node_groups, ...empty] };
  await expect(provisioner.launch(orderOf(large), [])).rejects.toThrow('node_groups has 101 groups, of at most 100');
});

test('a launch that takes too long says what it has waited for', async () => {
  const cluster = sparkCluster(2);
  // The master is alone in its group.
  const [name = ''] = cluster.node_groups.flatMap((group) => podNames(cluster, group).slice(1));
  class FullCluster extends StandIn {
    override async list(kind: ObjectKind): Promise<readonly KubeObject[]> {
      const conditions = [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: Insufficient memory.' },
      ];
      const pod = { metadata: { name, namespace: 'data' }, status: { phase: 'Pending', conditions } };
      return [...(await super.list(kind)), ...(kind.kind === 'Pod' ? [pod] : [])];
    }
  }
  const { clock, provisioner, orderOf } = openService(new FullCluster());
  const limits = { clock, name: 'launch', deadlineMs: 60_000, reportIgnored: () => undefined };
  const launch = (signal: AbortSignal) => provisioner.launch({ ...orderOf(cluster), signal }, machinesOf(cluster));
  const launching = callWithin({ ...limits, signal: new AbortController().signal }, launch);
  launching.catch(() => undefined);
  for (let second = 0; second < 65; second += 1) await clock.advance(1000);
  await expect(launching).rejects.toThrow(
    `launch took longer than 60 s: pod ${name} cannot be scheduled: 0/3 nodes: Insufficient memory: choose smaller flavors, remove what else is there, or add nodes`,
  );
});

test('a data node whose container does not run is not taken for drained', async () => {
  class WithDeadNode extends StandIn {
    async exec(): Promise<string> {
      return '';
    }
  }
  const get = async () => ({ ok: true, text: JSON.stringify({ beans: [{ LiveNodes: '{}' }] }) });
  const { clock, provisioner, orderOf, reports } = openService(new WithDeadNode(), { get });
  const groups = [groupOf('master', ['master', 'namenode'], 1), groupOf('workers', ['slave', 'datanode'], 1)];
  const configs = { HDFS: { 'Data Node Decommission Timeout': 60 } };
  const cluster = { ...clusterOf('spark', groups), cluster_configs: configs };
  await provisioner.launch(orderOf(cluster), []);
  const drain = provisioner.drain(orderOf(cluster), machinesOf(cluster).slice(1));
  drain.catch(() => undefined);
  for (let second = 0; second < 70; second += 1) await clock.advance(1000);
  const problem = 'the name node does not report on all blocks: ';
  expect(reports.at(-1)).toContain(`waiting until c1-workers-001 is decommissioned, for 60 s at most: ${problem}`);
  await expect(drain).rejects.toThrow(`datanode on c1-workers-001 has not been drained within 60 s: ${problem}`);
});

test('a drain says what it waits for, tells what starts late, and does not wait for ever', async () => {
  const commands: string[] = [];
  class WithWorker extends StandIn {
    async exec(_place: unknown, command: readonly string[]): Promise<string> {
      commands.push(command[2]?.includes('/proc/[0-9]') === true ? 'children' : 'process');
      return '';
    }
    override async list(kind: ObjectKind): Promise<readonly KubeObject[]> {
      const containerStatuses = ['master', 'slave'].map((name) => ({ name, state: { running: {} } }));
      return (await super.list(kind)).map((each) => ({
        ...each,
        status: { ...(each as PodObject).status, containerStatuses },
      }));
    }
  }
  const text = JSON.stringify({ executors: [{}] });
  const { clock, provisioner, orderOf, reports } = openService(new WithWorker(), {
    get: async () => ({ ok: true, text }),
  });
  const cluster = { ...sparkCluster(1), cluster_configs: { Spark: { 'Worker Decommission Timeout': 60 } } };
  await provisioner.launch(orderOf(cluster), []);
  const order = orderOf(cluster);
  const worker = machinesOf(cluster).filter(({ instance_id }) => instance_id.startsWith('workers'));
  let ended = false;
  const drain = provisioner.drain(order, worker).then(() => {
    ended = true;
  });
  for (let second = 0; second < 55; second += 1) await clock.advance(1000);
  expect([reports.at(-1), ended]).toEqual([
    'draining c1-workers-001: waiting until no executor is left, for 60 s at most',
    false,
  ]);
  expect(commands.slice(0, 3)).toEqual(['process', 'children', 'children']);
  for (let second = 0; second < 10; second += 1) await clock.advance(1000);
  await drain;
});

test('the load of a cluster is asked for at the pod of its master', async () => {
  const asked: string[] = [];
  const get = async (url: string) => {
    asked.push(url);
    return { ok: true, text: '{}' };
  };
  const { provisioner, orderOf } = openService(new StandIn(), { get });
  expect(await provisioner.load(orderOf(sparkCluster()))).toEqual({ workers: { wantedNodes: 0, busyNodes: 0 } });
  expect(asked).toEqual([expect.stringMatching(/^http:\/\/analytics-[\w-]*master-0\.[\w.-]+:8080\/json\/$/)]);
});
