// Draws a plan from a seed: a small world, what its users do, and a few kinds of trouble, each as often as the seed says.
import type { Personality } from '../../src/server/personality.ts';
import { Dice, randomOf } from './chance.ts';
import {
  type Deed,
  endpoint,
  type Fault,
  longestLateMs,
  type Plan,
  type ReplicaPlan,
  type Step,
  type Trouble,
  tenant,
} from './plan.ts';

const vanilla = { pluginName: 'vanilla', bigdataVersion: '1.2.1' } as const;
const image = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
const nodes = {
  master: { ...vanilla, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
  worker: { ...vanilla, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
} as const;
const template = {
  ...vanilla,
  defaultImageID: image,
  nodeGroups: [
    { name: 'master', count: 1, nodeGroupTemplateRef: { name: 'master' } },
    { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
  ],
};

/** Faults begin before this, and so do deeds; in ms. */
const busyMs = 150_000;
const longestFaultMs = 60_000;

export function drawPlan(seed: number): Plan {
  const dice = new Dice(randomOf(seed, 'plan'));
  const election = dice.toss(0.5);
  const replicas = dice.times(
    election ? dice.pick([2, 2, 3]) : 1,
    (): ReplicaPlan => ({ offset: dice.number(-15_000, 15_000), rate: 1 + dice.number(-20, 20) / 1_000 }),
  );
  const auth = dice.toss(0.3);
  const steps = drawSteps(dice, auth);
  const faults = [...drawFeature(dice, seed, steps), ...drawFaults(dice, replicas.length, steps)];
  const ends = [...steps.map(({ at }) => at), ...faults.map(({ at, ms }) => at + ms)];
  return {
    seed,
    replicas,
    election,
    auth,
    oldApiServer: dice.toss(0.1),
    stageMs: dice.pick([0, 100, 2_000, 8_000]),
    latencyMs: dice.pick([5, 50, 400]),
    steps,
    faults,
    calmAt: Math.max(...ends) + 1,
  };
}

/** The same deeds in a world in which nothing goes wrong. */
export function withoutTrouble(plan: Plan): Plan {
  const [first = { offset: 0, rate: 1 }] = plan.replicas;
  return { ...plan, replicas: [{ ...first, offset: 0, rate: 1 }], election: false, faults: [] };
}

/** A Connection and the templates. */
export function firstDeeds(auth: boolean): readonly Deed[] {
  const spec = { endpoint, tenantID: tenant, ...(auth && { auth: { type: 'Token', secretRef: { name: 'token' } } }) };
  return [
    { does: 'apply', kind: 'Connection', name: 'default', spec },
    { does: 'apply', kind: 'NodeGroupTemplate', name: 'master', spec: nodes.master },
    { does: 'apply', kind: 'NodeGroupTemplate', name: 'worker', spec: nodes.worker },
    { does: 'apply', kind: 'ClusterTemplate', name: 'small', spec: template },
  ];
}

/** By the template, with so many workers. */
export const clusterOf = (workers: number): object => ({
  clusterTemplateRef: { name: 'small' },
  userKeypairID: 'demo',
  nodeGroups: [{ name: 'worker', count: workers }],
});

function drawSteps(dice: Dice, auth: boolean): readonly Step[] {
  const first = [
    ...firstDeeds(auth),
    ...dice.times(
      dice.pick([1, 1, 2]),
      (index): Deed => ({ does: 'apply', kind: 'Cluster', name: `etl-${index}`, spec: clusterSpec(dice) }),
    ),
  ];
  const shuffled = dice.toss(0.5) ? first : first.toReversed();
  const spread = dice.pick([0, 500, 20_000]);
  const begin = shuffled.map((deed): Step => ({ at: dice.number(0, spread), deed }));
  const clusters = first.flatMap((deed) => (deed.does === 'apply' && deed.kind === 'Cluster' ? [deed.name] : []));
  const ending = dice.toss(0.2);
  const edits = clusters.flatMap((name) => drawLife(dice, name, ending));
  const others: Step[] = [
    ...(dice.toss(0.3) ? [{ at: dice.number(1, busyMs), deed: { does: 'stranger', like: 'master' } as const }] : []),
    ...(auth && dice.toss(0.5) ? tokenTrouble(dice) : []),
    ...(ending ? teardown(dice, clusters, auth) : []),
  ];
  return [...begin, ...edits, ...others].toSorted((one, other) => one.at - other.at);
}

function clusterSpec(dice: Dice): object {
  const withTemplate = dice.toss(0.7);
  const nodeGroups = [{ name: 'worker', count: dice.number(1, 4) }];
  const inline = [
    { name: 'master', count: 1, nodeGroupTemplateRef: { name: 'master' } },
    { name: 'worker', count: dice.number(1, 4), nodeGroupTemplateRef: { name: 'worker' } },
  ];
  return withTemplate
    ? { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo', ...(dice.toss(0.6) && { nodeGroups }) }
    : { ...vanilla, defaultImageID: image, userKeypairID: 'demo', nodeGroups: inline };
}

/** What becomes of one cluster. One that is left to its own keeps its templates from going. */
function drawLife(dice: Dice, name: string, ending: boolean): readonly Step[] {
  const at = () => dice.number(1_000, busyMs);
  const times = dice.times(dice.pick([0, 1, 2, 3]), at).toSorted((one, other) => one - other);
  return times.flatMap((when): Step[] => {
    switch (dice.pick(['scale', 'scale', 'scale', 'group', 'vanish', 'delete', 'again', 'poke', 'orphan'])) {
      case 'scale':
        return [{ at: when, deed: { does: 'edit', kind: 'Cluster', name, spec: groups(dice, []) } }];
      case 'group':
        return [
          {
            at: when,
            deed: {
              does: 'edit',
              kind: 'Cluster',
              name,
              spec: groups(dice, [{ name: 'extra', count: 1, nodeGroupTemplateRef: { name: 'worker' } }]),
            },
          },
        ];
      case 'vanish':
        return [{ at: when, deed: { does: 'vanish', name } }];
      case 'poke':
        return [{ at: when, deed: { does: 'poke', kind: 'Cluster', name } }];
      case 'orphan':
        return [
          {
            at: when,
            deed: { does: 'edit', kind: 'Cluster', name, spec: { deletionPolicy: ending ? 'Delete' : 'Orphan' } },
          },
          { at: when + dice.number(0, 5_000), deed: { does: 'delete', kind: 'Cluster', name } },
        ];
      case 'delete':
        return [{ at: when, deed: { does: 'delete', kind: 'Cluster', name } }];
      default:
        return [
          { at: when, deed: { does: 'delete', kind: 'Cluster', name } },
          {
            at: when + dice.number(0, 40_000),
            deed: { does: 'apply', kind: 'Cluster', name, spec: clusterSpec(dice) },
          },
        ];
    }
  });
}

const groups = (dice: Dice, more: readonly object[]): object => ({
  nodeGroups: [
    { name: 'master', count: 1, nodeGroupTemplateRef: { name: 'master' } },
    { name: 'worker', count: dice.number(0, 5), nodeGroupTemplateRef: { name: 'worker' } },
    ...more,
  ],
});

function tokenTrouble(dice: Dice): Step[] {
  const at = dice.number(1_000, busyMs / 2);
  const back = at + dice.number(1_000, 40_000);
  const wrong = { type: 'dataprocessing.dev/credentials', stringData: { token: 'out-of-date' } };
  const right = { type: 'dataprocessing.dev/credentials', stringData: { token: 'open-sesame-7f3a' } };
  const first: Deed = dice.toss(0.5)
    ? { does: 'delete', kind: 'Secret', name: 'token' }
    : { does: 'edit', kind: 'Secret', name: 'token', spec: wrong };
  return [
    { at, deed: first },
    { at: back, deed: { does: 'apply', kind: 'Secret', name: 'token', spec: right } },
  ];
}

/** Everything goes, in whatever order. */
function teardown(dice: Dice, clusters: readonly string[], auth: boolean): Step[] {
  const from = dice.number(busyMs / 2, busyMs) + 40_000;
  const all: Deed[] = [
    ...clusters.map((name): Deed => ({ does: 'delete', kind: 'Cluster', name })),
    { does: 'delete', kind: 'ClusterTemplate', name: 'small' },
    { does: 'delete', kind: 'NodeGroupTemplate', name: 'master' },
    { does: 'delete', kind: 'NodeGroupTemplate', name: 'worker' },
    { does: 'delete', kind: 'Connection', name: 'default' },
    ...(auth ? [{ does: 'delete', kind: 'Secret', name: 'token' } as const] : []),
  ];
  const ordered = dice.toss(0.5) ? all : all.toReversed();
  return ordered.map((deed) => ({ at: from + 150_000 + dice.number(0, 5_000), deed }));
}

const shapes = ['service', 'framework', 'identity', 'tenant', 'proxy'] as const;
const losses = (['refused', 'before', 'after', 'late'] as const).flatMap((part) =>
  (['POST', 'PUT', 'DELETE'] as const).map((method) => ({ part, method })),
);
const personalities = 14;

/** So that seeds in a row go through all that the service can do; at a time at which it matters. */
function drawFeature(dice: Dice, seed: number, steps: readonly Step[]): readonly Fault[] {
  const which = seed % (personalities + losses.length + shapes.length + 10);
  const loss = losses[which - personalities];
  const shape = shapes[which - personalities - losses.length];
  const share = dice.pick([0.3, 0.6, 1]);
  const clusterAt = steps.find(({ deed }) => deed.does === 'apply' && deed.kind === 'Cluster')?.at ?? 0;
  const changes = steps.filter(
    ({ at, deed }) => at > 1_000 && at < busyMs && (deed.does === 'edit' || deed.does === 'delete'),
  );
  const step = dice.toss(0.6) ? changes[dice.number(0, changes.length - 1)] : undefined;
  const at = Math.max(0, (step?.at ?? clusterAt) - dice.number(0, 1_000));
  const ms = longestFaultMs;
  if (which < personalities)
    return [{ at, ms, trouble: { what: 'service', personality: drawPersonality(dice, which) } }];
  if (loss !== undefined)
    return [{ at, ms, trouble: { what: 'service loses', ...loss, share, lateMs: dice.number(1_000, longestLateMs) } }];
  if (shape !== undefined) return [{ at, ms, trouble: { what: 'service', personality: refusingIn(dice, shape) } }];
  return [];
}

function refusingIn(dice: Dice, shape: (typeof shapes)[number]): Personality {
  const status = dice.pick([400, 401, 403, 404, 409, 500, 503]);
  const rate = dice.pick([0.2, 0.5, 1]);
  return {
    seed: dice.number(0, 1_000_000),
    faults: [{ name: `shape ${shape}`, rate, answer: { is: 'refusal', status, shape } }],
  };
}

function drawFaults(dice: Dice, replicas: number, steps: readonly Step[]): readonly Fault[] {
  return dice.times(dice.number(1, 6), (): Fault => {
    const trouble = drawTrouble(dice, replicas);
    // Most often when something is being done.
    const step = steps[dice.number(0, steps.length - 1)];
    const near = dice.toss(0.6) && step !== undefined && step.at < busyMs;
    const at = near ? Math.max(0, step.at - dice.number(-1_000, 2_000)) : dice.number(0, busyMs);
    const ms = trouble.what === 'pause' ? dice.number(1_000, 45_000) : dice.number(2_000, longestFaultMs);
    return { at, ms, trouble };
  });
}

const shares = [0.05, 0.2, 0.5, 1] as const;

function drawTrouble(dice: Dice, replicas: number): Trouble {
  const replica = dice.number(0, replicas - 1);
  const share = dice.pick(shares);
  switch (dice.number(0, 17)) {
    case 0:
      return { what: 'api answers', status: dice.pick([409, 410, 429, 500, 503]), applied: dice.toss(0.5), share };
    case 1:
      return { what: 'api loses', applied: dice.toss(0.7), share };
    case 2:
      return { what: 'api is slow', ms: dice.pick([200, 3_000, 12_000]), share };
    case 3:
      return { what: 'watches end' };
    case 4:
      return { what: 'versions are forgotten' };
    case 5:
      return { what: 'watches lag', replica };
    case 6:
    case 7:
    case 8:
    case 9:
      return { what: 'service', personality: drawPersonality(dice) };
    case 10:
    case 11:
    case 12:
      return {
        what: 'service loses',
        part: dice.pick(['refused', 'before', 'after', 'late', 'late']),
        method: dice.pick([undefined, 'POST', 'POST', 'PUT', 'DELETE']),
        share,
        lateMs: dice.number(1_000, longestLateMs),
      };
    case 13:
      return { what: 'service is slow', ms: dice.pick([200, 3_000, 20_000]), share };
    case 14:
      return { what: 'crash', replica };
    case 15:
      return dice.toss(0.5) ? { what: 'stop', replica } : { what: 'crash', replica };
    case 16:
      return { what: 'pause', replica };
    default:
      return { what: 'cut off', replica, from: dice.pick(['api', 'service']) };
  }
}

function drawPersonality(dice: Dice, which = dice.number(0, personalities - 1)): Personality {
  const seed = dice.number(0, 1_000_000);
  const rate = dice.pick(shares);
  switch (which) {
    case 0:
      return {
        seed,
        faults: [
          {
            name: 'error after insert',
            method: 'POST',
            rate,
            work: 'done',
            answer: { is: 'refusal', status: 502, shape: 'proxy' },
          },
        ],
      };
    case 1:
      return refusingIn(dice, dice.pick(shapes));
    case 2:
      return {
        seed,
        faults: [
          {
            name: 'refused create',
            method: 'POST',
            rate,
            answer: { is: 'refusal', status: dice.pick([400, 409, 500]) },
          },
        ],
      };
    case 3:
      return {
        seed,
        faults: [
          {
            name: 'error row',
            method: 'POST',
            path: 'clusters',
            rate,
            work: 'error-row',
            answer: { is: 'refusal', status: 400 },
          },
        ],
      };
    case 4:
      return {
        seed,
        faults: [
          { name: 'too many requests', rate, answer: { is: 'refusal', status: 429, retryAfter: dice.number(1, 10) } },
        ],
      };
    case 5:
      return { seed, faults: [{ name: 'text', rate, answer: { is: 'text' } }] };
    case 6:
      return { seed, faults: [{ name: 'truncated', rate, answer: { is: dice.pick(['truncated', 'cut']) } }] };
    case 7:
      return { listLagMs: dice.number(1_000, 15_000) };
    case 8:
      return { names: { freed: 'early' } };
    case 9:
      return { names: { freed: 'late', ms: dice.number(1_000, 30_000) } };
    case 10:
      return {
        clusters: [{ name: 'stuck', status: dice.pick(['Waiting', 'Configuring', 'Deleting']), does: 'stuck' }],
      };
    case 11:
      return {
        seed,
        clusters: [
          {
            name: 'failed scale',
            operation: 'scale',
            status: dice.pick(['Validating', 'Scaling']),
            rate: Math.max(rate, 0.5),
            does: 'fail',
          },
        ],
      };
    case 12:
      return { statusWords: { Configuring: 'Humming', Waiting: 'Dozing' } };
    default:
      return {
        seed,
        clusters: [
          { name: 'failed delete', operation: 'delete', status: 'Deleting', rate: Math.max(rate, 0.5), does: 'fail' },
        ],
      };
  }
}
