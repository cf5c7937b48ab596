// Plans that are not drawn: a small world in which a cluster is made, scaled and deleted, and one with two replicas.
import { imported, importedLike, importedSpec } from './imports.ts';
import { clusterFrom, clusterOf, firstDeeds } from './life.ts';
import { setter } from './node-groups.ts';
import { countOf, runAlone, runOn } from './objects.ts';
import type { Deed, Fault, Plan, Trouble } from './plan.ts';
import { allPassedMs, executionAt, schedule } from './schedules.ts';
import { select, shared } from './sharing.ts';

const begin = firstDeeds(false).map((deed) => ({ at: 0, deed }));

const from = (at: number, ms: number, trouble: Trouble): readonly Fault[] => [{ at, ms, trouble }];

type Misbehaviour = Extract<Trouble, { readonly what: 'service' }>['personality'];

/** The service is of this personality for 20 s. */
const misbehaving = (at: number, personality: Misbehaviour): readonly Fault[] =>
  from(at, 20_000, { what: 'service', personality });

/** A cluster with its templates. */
export const small: Plan = {
  seed: 1,
  replicas: [{ offset: 0, rate: 1 }],
  election: false,
  auth: false,
  oldApiServer: false,
  stageMs: 100,
  latencyMs: 5,
  failingRuns: 0,
  steps: [...begin, { at: 0, deed: { does: 'apply', kind: 'Cluster', name: 'etl', spec: clusterOf(2) } }],
  faults: [],
  calmAt: 30_000,
};

/** A run on it. */
export const calculating: Plan = {
  ...small,
  steps: [{ at: 0, deed: { does: 'bring job' } }, ...small.steps, { at: 10_000, deed: runOn('report', 'etl') }],
};

/** A run on a cluster of its own. */
export const alone: Plan = {
  ...small,
  steps: [{ at: 0, deed: { does: 'bring job' } }, ...begin, { at: 10_000, deed: runAlone('report') }],
};

/** Of a schedule that catches up after a downtime; then its user deletes what it made, and the operator dies once more. */
export const timed: Plan = {
  ...small,
  steps: [
    { at: 0, deed: { does: 'bring job' } },
    ...small.steps,
    { at: 10_000, deed: schedule('regular', { clusterRef: { name: 'etl' } }) },
    { at: 215_000, deed: { does: 'delete', kind: 'JobExecution', name: executionAt('regular', 3) } },
    { at: allPassedMs, deed: { does: 'poke', kind: 'JobSchedule', name: 'regular' } },
  ],
  faults: [
    ...from(50_000, 150_000, { what: 'crash', replica: 0 }),
    ...from(225_000, 5_000, { what: 'crash', replica: 0 }),
  ],
  calmAt: allPassedMs + 1,
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

/** Scaled while it is suspended, and resumed. */
export const suspended: Plan = {
  ...small,
  steps: [
    ...small.steps,
    { at: 10_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { suspend: true } } },
    { at: 15_000, deed: countOf('etl', 3) },
    { at: 25_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { suspend: false } } },
  ],
};

/** Scaled while its namespace is not selected, and selected again. */
export const unselected: Plan = {
  ...small,
  steps: [
    ...small.steps.map((step) => ({ ...step, deed: shared(step.deed) })),
    { at: 10_000, deed: select(false) },
    { at: 15_000, deed: countOf('etl', 3) },
    { at: 25_000, deed: select(true) },
  ],
};

/** Scaled while each write has to be approved, and managed again. */
export const planned: Plan = {
  ...small,
  steps: [
    ...small.steps,
    { at: 10_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { policy: 'Plan' } } },
    { at: 15_000, deed: countOf('etl', 3) },
    { at: 100_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { policy: 'Manage' } } },
  ],
  calmAt: 105_000,
};

/** The first plan that was shown is approved, and the one that waits by then is another one. */
export const replanned: Plan = {
  ...planned,
  steps: [
    ...planned.steps,
    { at: 35_000, deed: countOf('etl', 4) },
    { at: 70_000, deed: { does: 'approve', kind: 'Cluster', name: 'etl', which: 'waited first' } },
  ],
};

/** Deleted while it is suspended. */
export const deletedSuspended: Plan = {
  ...small,
  steps: [
    ...small.steps,
    { at: 10_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: { suspend: true } } },
    { at: 15_000, deed: { does: 'delete', kind: 'Cluster', name: 'etl' } },
  ],
};

/** An object of somebody else is observed, while its spec asks for other content. */
export const observed: Plan = {
  ...small,
  steps: [
    ...small.steps,
    { at: 1_000, deed: { does: 'stranger', like: importedLike } },
    { at: 5_000, deed: { does: 'apply', ...imported, spec: { ...importedSpec, policy: 'Observe' } } },
    { at: 15_000, deed: { does: 'edit', ...imported, spec: { flavorID: '2' } } },
  ],
};

/** Scaled by one of two NodeGroups, and again by the user once both are gone. */
export const counted: Plan = {
  ...small,
  steps: [
    ...small.steps,
    { at: 15_000, deed: setter('first', 'etl', 3) },
    { at: 20_000, deed: setter('second', 'etl', 5) },
    { at: 25_000, deed: countOf('etl', 1) },
    { at: 35_000, deed: { does: 'delete', kind: 'NodeGroup', name: 'first' } },
    { at: 45_000, deed: { does: 'delete', kind: 'NodeGroup', name: 'second' } },
    { at: 55_000, deed: countOf('etl', 4) },
  ],
  calmAt: 60_000,
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
  faults: from(0, 2_000, { what: 'service loses', part: 'after', method: 'POST', share: 0.5, lateMs: 0 }),
};

const withoutStarts = from(10_000, 10_000, {
  what: 'service loses',
  part: 'before',
  method: 'POST',
  share: 1,
  lateMs: 0,
});

/** Two NodeGroups of one group, of which the younger one, which counts as older, is known before the other one has the finalizer. */
const together: Plan = {
  ...small,
  seed: 2,
  latencyMs: 400,
  steps: [
    ...small.steps,
    { at: 26_860, deed: setter('second', 'etl', 0) },
    { at: 26_924, deed: setter('first', 'etl', 5) },
  ],
};

const tidied = { kind: 'ClusterTemplate', name: 'small' } as const;
const editOf = (spec: object): Deed => ({ does: 'edit', ...tidied, spec });

/** An old revision is due to go, and the lists that a DELETE of it waits for take up to 40 s each. Meanwhile, it is forbidden for two minutes. */
const forbidden = (forbid: Deed, allow: Deed, made = (deed: Deed): Deed => deed): Plan => ({
  ...small,
  steps: [
    ...begin.map((step) => ({ ...step, deed: made(step.deed) })),
    { at: 15_000, deed: editOf({ antiAffinity: ['datanode'] }) },
    { at: 60_000, deed: forbid },
    { at: 180_000, deed: allow },
  ],
  faults: from(14_000, 120_000, { what: 'service is slow', ms: 20_000, share: 1 }),
  calmAt: 180_001,
});

/** Troubles that seldom meet what they trouble by chance. */
export const hardToMeet: readonly Plan[] = [
  together,
  forbidden(editOf({ suspend: true }), editOf({ suspend: false })),
  forbidden(editOf({ policy: 'Plan' }), editOf({ policy: 'Manage' })),
  forbidden(select(false), select(true), shared),
  { ...small, faults: from(0, 5_000, { what: 'api answers', status: 429, applied: false, share: 0.5 }) },
  {
    ...small,
    faults: from(0, 2_000, { what: 'service loses', part: 'refused', method: 'POST', share: 0.5, lateMs: 0 }),
  },
  {
    ...scaled,
    faults: from(14_000, 10_000, { what: 'service loses', part: 'late', method: 'PUT', share: 1, lateMs: 20_000 }),
  },
  {
    ...deleted,
    faults: misbehaving(14_000, {
      clusters: [{ name: 'failed delete', operation: 'delete', status: 'Deleting', times: 1, does: 'fail' }],
    }),
    calmAt: 40_000,
  },
  { ...calculating, faults: withoutStarts },
  {
    ...calculating,
    steps: [...calculating.steps.slice(0, -1), { at: 10_000, deed: runOn('report', 'etl', { onUnknown: 'Retry' }) }],
    faults: withoutStarts,
  },
  {
    ...calculating,
    steps: [...calculating.steps, { at: 10_000, deed: runOn('nightly', 'etl', { onUnknown: 'Retry' }) }],
    faults: from(10_000, 10_000, { what: 'service loses', part: 'before', method: 'POST', share: 1, lateMs: 0 }),
  },
  {
    ...deleted,
    faults: from(14_000, 10_000, { what: 'service loses', part: 'after', method: 'DELETE', share: 1, lateMs: 0 }),
  },
  {
    ...small,
    faults: misbehaving(0, {
      names: { freed: 'late', ms: 15_000 },
      faults: [
        {
          name: 'error row',
          method: 'POST',
          path: 'clusters',
          times: 1,
          work: 'error-row',
          answer: { is: 'refusal', status: 400 },
        },
      ],
    }),
  },
];

/** Groups that are to be made of something else: the change that takes them away fails when their nodes are gone and their names are not. */
export const remade: Plan = {
  ...small,
  steps: [
    ...begin,
    { at: 0, deed: { does: 'apply', kind: 'Cluster', name: 'etl', spec: clusterFrom('master', 'worker') } },
    { at: 15_000, deed: { does: 'edit', kind: 'Cluster', name: 'etl', spec: clusterFrom('worker', 'master') } },
  ],
  faults: misbehaving(14_000, {
    clusters: [{ name: 'failed scale', operation: 'scale', status: 'Scaling', times: 1, does: 'fail' }],
  }),
  calmAt: 40_000,
};
