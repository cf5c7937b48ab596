// Draws what users do with a small world: a Connection, templates and clusters that are made, changed and deleted.
import { Dice, randomOf } from './chance.ts';
import type { Made } from './feature.ts';
import { drawFeatures } from './features.ts';
import { busyMs, credentials, type Deed, endpoint, type Plan, type Step, tenant, token } from './plan.ts';
import { drawSharing } from './sharing.ts';

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

/** Names of the groups of every ClusterTemplate here. */
export const templateGroups: readonly string[] = template.nodeGroups.map(({ name }) => name);

/** By groups of its own, each from the NodeGroupTemplate of this name. */
export const clusterFrom = (master: string, worker: string): object => ({
  ...vanilla,
  defaultImageID: image,
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'master', count: 1, nodeGroupTemplateRef: { name: master } },
    { name: 'worker', count: 1, nodeGroupTemplateRef: { name: worker } },
  ],
});

const clusterNamed = (name: string): Made => ({ kind: 'Cluster', name });

export type Life = Pick<Plan, 'auth' | 'stageMs' | 'steps'>;

/** Lives before this one share nothing: seeds that found something still mean the same. */
export const firstShared = 500_000_000;

export function drawLife(life: number): Life {
  const dice = new Dice(randomOf(life, 'life'));
  const auth = dice.toss(0.3);
  const stageMs = dice.pick([0, 100, 2_000, 8_000]);
  const steps = drawSteps(dice, auth, life);
  const sharing = new Dice(randomOf(life, 'sharing'));
  return { auth, stageMs, steps: life >= firstShared && sharing.toss(0.7) ? drawSharing(sharing, steps) : steps };
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

function drawSteps(dice: Dice, auth: boolean, life: number): readonly Step[] {
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
  // Nobody changes what is not there yet.
  const madeAt = (name: string) => begin.find(({ deed }) => 'name' in deed && deed.name === name)?.at ?? 0;
  const edits = clusters.flatMap((name) =>
    drawChanges(dice, name, ending).map((step) => ({ ...step, at: Math.max(step.at, madeAt(name)) })),
  );
  const more = drawFeatures(life, { clusters });
  const others: Step[] = [
    ...(dice.toss(0.3) ? [{ at: dice.number(1, busyMs), deed: { does: 'stranger', like: 'master' } as const }] : []),
    ...(auth && dice.toss(0.5) ? tokenTrouble(dice) : []),
    ...more.steps,
    ...(ending ? teardown(dice, [...clusters.map(clusterNamed), ...more.made], auth) : []),
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
function drawChanges(dice: Dice, name: string, ending: boolean): readonly Step[] {
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

const rightToken = credentials(token);

function tokenTrouble(dice: Dice): Step[] {
  const at = dice.number(1_000, busyMs / 2);
  const back = at + dice.number(1_000, 40_000);
  const wrong = credentials('out-of-date');
  const first: Deed = dice.toss(0.5)
    ? { does: 'delete', kind: 'Secret', name: 'token' }
    : { does: 'edit', kind: 'Secret', name: 'token', spec: wrong };
  return [
    { at, deed: first },
    { at: back, deed: { does: 'apply', kind: 'Secret', name: 'token', spec: rightToken } },
  ];
}

/** Everything goes, in whatever order. */
function teardown(dice: Dice, made: readonly Made[], auth: boolean): Step[] {
  const from = dice.number(busyMs / 2, busyMs) + 190_000;
  const all: Deed[] = [
    ...made.map(({ kind, name }): Deed => ({ does: 'delete', kind, name })),
    { does: 'delete', kind: 'ClusterTemplate', name: 'small' },
    { does: 'delete', kind: 'NodeGroupTemplate', name: 'master' },
    { does: 'delete', kind: 'NodeGroupTemplate', name: 'worker' },
    { does: 'delete', kind: 'Connection', name: 'default' },
    ...(auth ? [{ does: 'delete', kind: 'Secret', name: 'token' } as const] : []),
  ];
  const ordered = dice.toss(0.5) ? all : all.toReversed();
  const steps = ordered.map((deed): Step => ({ at: from + dice.number(0, 5_000), deed }));
  // As a namespace goes: everything at once, first of all what the rest needs.
  const ending = auth && dice.toss(0.4) ? all.toReversed().map((deed): Step => ({ at: from, deed })) : steps;
  // With a Secret nobody could: the old one stays as long as the new Connection refers to it.
  return dice.toss(0.3) && !auth ? [...ending, ...rebuild(from + dice.number(5_000, 30_000))] : ending;
}

/** All of it anew, each as soon as the one before is gone. */
function rebuild(at: number): readonly Step[] {
  const cluster: Deed = { does: 'apply', kind: 'Cluster', name: 'etl-0', spec: clusterOf(2) };
  return [...firstDeeds(false), cluster].map((deed) => ({ at, deed }));
}
