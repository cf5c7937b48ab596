// What the answers of a resource manager say about the work of its cluster.
import { describe, expect, test } from 'vitest';
import type { EngineNode } from '../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import { hadoopLoad } from '../../../../src/service/engines/hadoop/load.ts';
import { node } from '../run-of-a-job.ts';

const worker = (address: string): EngineNode => {
  const plain = node('workers', address);
  const group = { ...plain.group, flavor_id: '2', node_processes: ['datanode', 'nodemanager'] };
  return { ...plain, group, processes: group.node_processes };
};
const nodes = [node('resourcemanager', '127.77.1.1'), worker('127.77.1.2'), worker('127.77.1.3')];
const load = hadoopLoad(usualFlavors);

/** As Hadoop 3.5.0 answered while a job with two maps of 1200 MiB ran on one worker, which has 1824 MiB for containers. Fields that nothing reads are left out. */
const metrics = {
  appsPending: 0,
  appsRunning: 1,
  reservedMB: 0,
  availableMB: 160,
  allocatedMB: 1664,
  pendingMB: 1280,
  containersAllocated: 2,
  containersReserved: 0,
  containersPending: 1,
  totalMB: 1824,
  activeNodes: 1,
};
const nodeState = (address: string, fields: object = {}) => ({
  state: 'RUNNING',
  id: `${address}:8041`,
  nodeHostName: address,
  version: '3.5.0',
  numContainers: 2,
  usedMemoryMB: 1664,
  availMemoryMB: 160,
  ...fields,
});

async function loadOf(clusterMetrics: object, states: readonly object[] | null) {
  const asked: string[] = [];
  const read = async (url: string) => {
    asked.push(new URL(url).pathname);
    return JSON.stringify(url.endsWith('/metrics') ? { clusterMetrics } : { nodes: states && { node: states } });
  };
  return { load: await load(nodes, read), asked };
}

describe('the load of a Hadoop cluster', () => {
  test('that is idle takes one question', async () => {
    const idle = { ...metrics, containersAllocated: 0, containersPending: 0, pendingMB: 0 };
    expect(await loadOf(idle, null)).toEqual({
      load: { workers: { wantedNodes: 0, busyNodes: 0 } },
      asked: ['/ws/v1/cluster/metrics'],
    });
  });

  test.each<readonly [string, object, readonly object[], number, number]>([
    ['has a machine for what was recorded to wait', {}, [nodeState('127.77.1.2')], 2, 1],
    ['has what runs', { containersPending: 0 }, [nodeState('127.77.1.2')], 1, 1],
    [
      'fills busy machines, and takes empty ones for the rest',
      { containersPending: 9, pendingMB: 2304 },
      [nodeState('127.77.1.2', { numContainers: 6, availMemoryMB: 300 })],
      3,
      1,
    ],
    [
      'counts a machine that leaves as busy, without room',
      { containersPending: 1, pendingMB: 256 },
      [nodeState('127.77.1.2', { numContainers: 1, state: 'DECOMMISSIONING' })],
      2,
      1,
    ],
    ['does not count containers that are too large', { containersPending: 1, pendingMB: 9000 }, [], 0, 0],
    ['counts no numbers that are none', { containersPending: -5, pendingMB: 'all' }, [], 0, 0],
  ])('%s', async (_, more, states, wantedNodes, busyNodes) => {
    const told = await loadOf({ ...metrics, ...more }, states);
    expect(told.load).toEqual({ workers: { wantedNodes, busyNodes } });
  });

  test('is that of no group where a cluster has no YARN', async () => {
    expect(await load([node('namenode', '127.77.1.1')], async () => '')).toEqual({});
  });
});
