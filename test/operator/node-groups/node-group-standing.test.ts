// What a NodeGroup reports of its Cluster.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { standingOf } from '../../../src/operator/node-groups/node-group-standing.ts';
import { clusterOf, nodeGroupOf } from './support.ts';

const spec = { clusterRef: { name: 'etl' }, nodeGroup: 'worker', count: 5 };
const row = (desired: number, ready: number, scaledBy = 'workers') => ({ name: 'worker', desired, ready, scaledBy });
const done = [row(5, 5)];
const observed = ['True', 'Available', 'observed only: it would scale'] as const;
const older = 'scaling worker from 2 to 8; count 5 of worker waits until this has ended';

test.each<readonly [string, RawResource | undefined, object]>([
  [
    'the Cluster has the count',
    clusterOf({ groups: done }),
    { state: 'ready', message: 'node group worker of Cluster etl has 5 nodes' },
  ],
  [
    'there is no Cluster, but one of a similar name',
    undefined,
    {
      state: 'progressing',
      reason: 'DependencyNotReady',
      message: expect.stringMatching(/does not exist.*did you mean etl2\? Create it, or delete/),
    },
  ],
  [
    'the Cluster is being deleted',
    clusterOf({ deleting: true }),
    { reason: 'DependencyNotReady', message: expect.stringContaining('being deleted') },
  ],
  [
    'it has no such group',
    clusterOf({ entries: [{ name: 'head', count: 1 }] }),
    {
      reason: 'DependencyNotReady',
      message: expect.stringContaining('(its entries: head). Add one with name and count'),
    },
  ],
  ['the Cluster was never reconciled', clusterOf({ ready: ['Unknown', 'Pending'] }), { reason: 'DependencyNotReady' }],
  [
    'it has not seen the count yet',
    clusterOf({ groups: [row(2, 2, '')] }),
    { state: 'progressing', reason: 'Scaling' },
  ],
  [
    'it scales',
    clusterOf({ groups: [row(5, 2)], ready: ['False', 'Scaling', 'worker from 2 to 5'] }),
    { reason: 'Scaling', message: 'scaling node group worker of Cluster etl from 2 to 5' },
  ],
  [
    'it scales to an older count first, and waits for room',
    clusterOf({ groups: [row(5, 2)], ready: ['False', 'Scaling', `${older}. The service reports: no room`] }),
    {
      message: `scaling node group worker of Cluster etl from 2 to 5. Cluster etl: ${older}. The service reports: no room`,
    },
  ],
  [
    'it is started',
    clusterOf({ groups: [row(5, 0)], ready: ['False', 'Provisioning', 'Spawning'] }),
    { reason: 'DependencyNotReady', message: 'Cluster etl is not ready: Spawning' },
  ],
  [
    'the service refuses the count',
    clusterOf({ groups: [row(5, 2)], ready: ['False', 'ScaleHasNoEffect', 'no quota'], stalled: true }),
    { state: 'stalled', reason: 'ScaleHasNoEffect', message: 'Cluster etl: no quota' },
  ],
  [
    'the Cluster is stalled for an unknown reason',
    clusterOf({ groups: done, ready: ['False', 'Odd'], stalled: true }),
    { state: 'stalled', reason: 'DependencyNotReady' },
  ],
  [
    'the service cannot be observed',
    clusterOf({ groups: done, ready: ['Unknown', 'ObservationFailed', 'no answer'] }),
    { state: 'unobserved' },
  ],
  [
    'the Cluster is Ready and only observed',
    clusterOf({ groups: [row(5, 2)], ready: observed, restraints: { policy: 'Observe' } }),
    {
      state: 'progressing',
      reason: 'DependencyNotReady',
      message:
        'node group worker of Cluster etl has 2 nodes, and not 5, because spec.policy of Cluster etl is Observe. Set it to Manage or Plan, or correct the count of this NodeGroup. Cluster etl: observed only: it would scale',
    },
  ],
  [
    'the Cluster is only observed, and reports no groups',
    clusterOf({ ready: observed, restraints: { policy: 'Observe' } }),
    { reason: 'DependencyNotReady', message: expect.stringContaining('is not scaled to 5, because spec.policy') },
  ],
  [
    'the Cluster is only observed, and is not there',
    clusterOf({
      groups: [row(2, 2, '')],
      ready: ['False', 'ExternalNotFound', 'it is gone'],
      restraints: { policy: 'Observe' },
    }),
    { reason: 'DependencyNotReady', message: 'Cluster etl is not ready: it is gone' },
  ],
  [
    'the Cluster is only observed, and has as many',
    clusterOf({ groups: done, ready: observed, restraints: { policy: 'Observe' } }),
    { state: 'ready' },
  ],
  [
    'the Cluster stays Ready, suspended, and somebody else scaled it',
    clusterOf({ groups: [row(5, 2)], paused: 'spec.suspend is true', restraints: { suspend: true } }),
    {
      state: 'suspended',
      message: 'node group worker of Cluster etl has 2 nodes, and not 5. Cluster etl: spec.suspend is true',
    },
  ],
  [
    'the Cluster was resumed a moment ago',
    clusterOf({ groups: [row(5, 2)], paused: 'spec.suspend is true', restraints: { suspend: false } }),
    { state: 'progressing', reason: 'Scaling' },
  ],
])('%s', (_, cluster, standing) => {
  const resource = nodeGroupOf('workers');
  expect(standingOf({ resource, spec, cluster, names: ['etl2'] })).toMatchObject(standing);
});

test('a group without nodes is not listed by the Cluster', () => {
  const cluster = clusterOf({ groups: [{ name: 'head', desired: 1, ready: 1 }] });
  const none = { ...spec, count: 0 };
  expect(standingOf({ resource: nodeGroupOf('workers', { count: 0 }), spec: none, cluster, names: [] })).toMatchObject({
    state: 'ready',
  });
});
