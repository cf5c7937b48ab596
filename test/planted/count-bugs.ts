// Bugs around the counts that NodeGroups set: whose count has effect, and what a NodeGroup leaves when it is deleted.
import { finalizer } from '../../src/operator/api/shared-api.ts';
import type { leave } from '../../src/operator/node-groups/leaving.ts';
import type { ownedCounts, ownerAmong } from '../../src/operator/reconcile/resource/scalers.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';

type Leave = typeof leave;
type OwnedCounts = typeof ownedCounts;

const setting = { replicas: 1, bounds: { setters: 2 } };

export const countBugs: readonly Bug[] = [
  {
    name: 'a NodeGroup without the finalizer sets the count',
    breaks: 'I8',
    suite: { world: setting },
    plant: replacing<OwnedCounts>('scalers.ownedCounts', (real) => (all, cluster) => {
      const held = [...all].map((one) => ({ ...one, metadata: { ...one.metadata, finalizers: [finalizer] } }));
      return real(held, cluster);
    }),
  },
  {
    name: 'what is being deleted sets no count any more, before the Cluster has it',
    breaks: 'I8',
    suite: { world: setting },
    plant: replacing<OwnedCounts>(
      'scalers.ownedCounts',
      (real) => (all, cluster) =>
        real(
          [...all].filter(({ metadata }) => metadata.deletionTimestamp === undefined),
          cluster,
        ),
    ),
  },
  {
    name: 'a NodeGroup that is deleted leaves the count that the Cluster had',
    breaks: 'I17',
    suite: { world: setting },
    plant: replacing<Leave>('leaving.leave', (real) => (ports, resource) => real(ports, resource, undefined)),
  },
  {
    name: 'the second of two NodeGroups sets the count',
    breaks: 'I17',
    suite: { tests: 'operator/node-groups/node-group-pass' },
    plant: replacing<typeof ownerAmong>(
      'scalers.ownerAmong',
      (real) => (claimants) =>
        claimants.length > 1 ? real(claimants.filter((one) => one !== real(claimants))) : real(claimants),
    ),
  },
];
