// Plans that are not drawn: a small world in which a cluster is made, scaled and deleted, and one with two replicas.
import { clusterOf, firstDeeds } from './draw.ts';
import type { Plan } from './plan.ts';

const begin = firstDeeds(false).map((deed) => ({ at: 0, deed }));

/** A cluster with its templates. */
export const small: Plan = {
  seed: 1,
  replicas: [{ offset: 0, rate: 1 }],
  election: false,
  auth: false,
  oldApiServer: false,
  stageMs: 100,
  latencyMs: 5,
  steps: [...begin, { at: 0, deed: { does: 'apply', kind: 'Cluster', name: 'etl', spec: clusterOf(2) } }],
  faults: [],
  calmAt: 30_000,
};

export const scaled: Plan = {
  ...small,
  steps: [
    ...small.steps,
    {
      at: 15_000,
      deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { nodeGroups: [{ name: 'worker', count: 3 }] } },
    },
  ],
};

export const deleted: Plan = {
  ...small,
  steps: [...small.steps, { at: 15_000, deed: { does: 'delete', kind: 'Cluster', name: 'etl' } }],
};

export const two: Plan = { ...scaled, replicas: [...small.replicas, { offset: 0, rate: 1 }], election: true };

export const withToken: Plan = {
  ...small,
  auth: true,
  steps: [...firstDeeds(true).map((deed) => ({ at: 0, deed })), ...small.steps.slice(-1)],
};

/** One answered POST of the cluster is lost. */
export const withLoss: Plan = {
  ...small,
  faults: [
    { at: 0, ms: 2_000, trouble: { what: 'service loses', part: 'after', method: 'POST', share: 0.5, lateMs: 0 } },
  ],
};

/** Troubles of a delete, which seldom meet one by chance. */
export const hardToDelete: readonly Plan[] = [
  {
    ...deleted,
    faults: [
      {
        at: 14_000,
        ms: 20_000,
        trouble: {
          what: 'service',
          personality: {
            clusters: [{ name: 'failed delete', operation: 'delete', status: 'Deleting', times: 1, does: 'fail' }],
          },
        },
      },
    ],
    calmAt: 40_000,
  },
  {
    ...deleted,
    faults: [
      {
        at: 14_000,
        ms: 10_000,
        trouble: { what: 'service loses', part: 'after', method: 'DELETE', share: 1, lateMs: 0 },
      },
    ],
  },
];
