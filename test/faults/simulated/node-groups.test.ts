// NodeGroups in a simulated world: what is applied to the Cluster changes nothing, a second one takes over, and the last one outlives its Cluster.
import { expect, test } from 'vitest';
import { access, etl, plain, setCount, setter } from '../tables/parts.ts';
import type { Target } from '../tables/steps.ts';
import { SimulatedTrial } from './trial.ts';

const second: Target = ['NodeGroup', 'second'];

test('the service is asked for each count of an owner once, and for nothing else', async () => {
  const trial = new SimulatedTrial({
    name: 'set count in turns',
    service: 'prompt',
    before: [...access, plain(2), { ready: [etl] }],
    steps: [
      setCount(4),
      { ready: [etl, setter] },
      plain(3),
      { ready: [etl] },
      { apply: second, spec: { clusterRef: { name: '~-etl' }, nodeGroup: 'worker', count: 1 } },
      { tells: 'DuplicateClaim', of: second },
      { remove: [setter] },
      { gone: [setter] },
      { ready: [second, etl] },
      { remove: [etl] },
      { gone: [etl] },
      { tells: 'DependencyNotReady', of: second },
      { remove: [second] },
      { gone: [second] },
    ],
    passes: [],
  });
  const { counts } = await trial.run();
  // From 2 to 4, and to 1 for the second one.
  expect(counts['resize cluster']?.tried).toBe(2);
  expect(counts['leave count']?.tried).toBe(1);
});
