// A run of a job, as the programs of engines get it.
import type { EngineNode, EngineRun } from '../../../src/service/engines/engine.ts';
import { clusterOf, groupOf } from '../provisioning/battery.ts';

export const secret = 'secret-of-the-cluster';
/** A machine with one process. */
export const node = (process: string, address: string): EngineNode => ({
  cluster: clusterOf([]),
  group: groupOf(process, []),
  machine: { instance_id: address, instance_name: address },
  processes: [process],
  address,
  folder: `/machines/${address}`,
  secret,
});

/** A run on a Spark cluster with two workers. */
export const run = (given: Partial<EngineRun> = {}): EngineRun => ({
  id: 'run-1',
  nodes: [node('master', '127.77.1.1'), node('slave', '127.77.1.2'), node('slave', '127.77.1.3')],
  folder: '/runs/run-1/work',
  address: '127.78.3.4',
  mains: ['/runs/run-1/work/main.jar'],
  libs: [],
  args: [],
  configs: {},
  params: {},
  input: undefined,
  output: undefined,
  ...given,
});
