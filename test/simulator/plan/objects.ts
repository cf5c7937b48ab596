// Draws what some lives have beside clusters of their own: edited templates, a fixed name, an image, a copy, clusters made anew.
import { runOfForeignJob } from '../../support/service/runs.ts';
import type { Dice } from './chance.ts';
import { type Draw, someTime } from './feature.ts';
import { type Deed, image, type Step } from './plan.ts';

/** Edits of templates, some of them taken back later, some that change nothing in the service. */
export const revisions: Draw = (dice) =>
  dice.times(dice.number(1, 3), (): Step => {
    const kind = dice.pick(['NodeGroupTemplate', 'NodeGroupTemplate', 'ClusterTemplate']);
    const spec =
      kind === 'ClusterTemplate'
        ? dice.pick<object>([{ antiAffinity: ['datanode'] }, { antiAffinity: null }, { description: 'for tests' }])
        : dice.pick<object>([{ flavorID: '4' }, { flavorID: '2' }, { volumesPerNode: 1, volumesSize: 10 }]);
    const name = kind === 'ClusterTemplate' ? 'small' : dice.pick(['worker', 'worker', 'master']);
    return { at: someTime(dice), deed: { does: 'edit', kind, name, spec } };
  });

export const ofTemplate = { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' };

export const named = (name: string, more: object = {}): Deed => ({
  does: 'apply',
  kind: 'Cluster',
  name,
  spec: { ...ofTemplate, ...more },
});

export const countOf = (name: string, count: number): Deed => ({
  does: 'edit',
  kind: 'Cluster',
  name,
  spec: { nodeGroups: [{ name: 'worker', count }] },
});

/** A cluster under a name that the user fixes, which somebody else may have taken before. */
export const fixedName: Draw = (dice) => {
  const [name, at] = ['prod', dice.number(0, 20_000)];
  const taken: Step[] = dice.toss(0.4) ? [{ at: 0, deed: { does: 'take name', name: 'prod-etl' } }] : [];
  const freed: Step[] =
    taken.length > 0 && dice.toss(0.6) ? [{ at: someTime(dice), deed: { does: 'free name', name: 'prod-etl' } }] : [];
  const changes = dice.times(
    dice.number(0, 2),
    (): Step => ({
      at: someTime(dice, 25_000),
      deed: dice.pick<Deed>([
        countOf(name, dice.number(0, 4)),
        { does: 'vanish', name },
        { does: 'poke', kind: 'Cluster', name },
        { does: 'recreate', kind: 'Cluster', name },
      ]),
    }),
  );
  // Who waits for an object of their own would wait for ever where the name stays taken.
  const possible = changes.filter(({ deed }) => taken.length === freed.length || deed.does !== 'recreate');
  return [...taken, { at, deed: named(name, { name: 'prod-etl' }) }, ...freed, ...possible];
};

const drawTags = (dice: Dice): readonly string[] =>
  dice.pick<readonly string[]>([
    ['vanilla', '1.2.1'],
    ['vanilla', '1.2.1', 'tested'],
    ['1.2.1', 'vanilla', 'new.1'],
  ]);

/** A registered image, whose tags are edited, and a cluster of it. */
export const images: Draw = (dice) => {
  const base = { imageID: image, username: 'ubuntu' };
  const register: Deed = {
    does: 'apply',
    kind: 'ImageRegistration',
    name: 'ubuntu',
    spec: { ...base, tags: drawTags(dice) },
  };
  const edits = dice.times(
    dice.number(0, 2),
    (): Step => ({
      at: someTime(dice, 25_000),
      deed: { does: 'edit', kind: 'ImageRegistration', name: 'ubuntu', spec: { tags: drawTags(dice) } },
    }),
  );
  const before: Step[] = dice.toss(0.3) ? [{ at: 0, deed: { does: 'register', image } }] : [];
  const cluster: Step = {
    at: dice.number(0, 20_000),
    deed: named('pictured', { imageRef: { name: 'ubuntu' } }),
  };
  const used = dice.toss(0.7) ? [cluster] : [];
  const gone: Step[] =
    used.length === 0 && dice.toss(0.5)
      ? [{ at: someTime(dice, 60_000), deed: { does: 'delete', kind: 'ImageRegistration', name: 'ubuntu' } }]
      : [];
  return [...before, { at: dice.number(1, 20_000), deed: register }, ...used, ...edits, ...gone];
};

/** YAML with all that an object shows is applied under another name, and goes again or stays. */
export const copied: Draw = (dice) => {
  const at = someTime(dice, 20_000);
  const leaves = dice.toss(0.5);
  const scales = dice.times(
    dice.number(0, 2),
    (): Step => ({ at: someTime(dice), deed: countOf('origin', dice.number(0, 4)) }),
  );
  return [
    { at: dice.number(0, 20_000), deed: named('origin') },
    { at, deed: { does: 'copy', kind: 'Cluster', name: 'origin', to: 'likeness' } },
    ...scales,
    ...(leaves
      ? [{ at: at + dice.number(0, 60_000), deed: { does: 'delete', kind: 'Cluster', name: 'likeness' } as const }]
      : []),
  ];
};

/** A run of the job that somebody else has made. */
export const runOn = (name: string, cluster: string, more: object = {}): Deed => ({
  does: 'apply',
  kind: 'JobExecution',
  name,
  spec: { ...runOfForeignJob, clusterRef: { name: cluster }, ...more },
});

const runChanges = (name: string): readonly [Deed, ...Deed[]] => {
  const edit = (spec: object): Deed => ({ does: 'edit', kind: 'JobExecution', name, spec });
  return [
    edit({ cancel: true }),
    edit({ suspend: true }),
    edit({ suspend: false }),
    edit({ suspend: false }),
    edit({ ttlSecondsAfterFinished: 5 }),
    { does: 'poke', kind: 'JobExecution', name },
    { does: 'delete', kind: 'JobExecution', name },
    { does: 'vanish run', name },
    { does: 'stop run', name },
  ];
};

/** Runs of a job on a cluster of their own, which are cancelled, suspended, deleted, or end. */
export const runs: Draw = (dice) => {
  const cluster = 'calculating';
  const names = ['report', 'nightly'].slice(0, dice.number(1, 2));
  const steps = names.flatMap((name): readonly Step[] => {
    const at = dice.number(0, 40_000);
    const retries = dice.number(0, 2);
    const repeated = retries === 1 && { onUnknown: 'Retry' };
    const more = { retries, ...repeated, ...(dice.toss(0.2) && { suspend: true }) };
    const changes = dice.times(
      dice.number(0, 2),
      (): Step => ({ at: someTime(dice, at + 1), deed: dice.pick(runChanges(name)) }),
    );
    return [{ at, deed: runOn(name, cluster, more) }, ...changes];
  });
  return [{ at: 0, deed: { does: 'bring job' } }, { at: dice.number(0, 20_000), deed: named(cluster) }, ...steps];
};

/** The same on a cluster of its own. */
export const runAlone = (name: string, more: object = {}): Deed => ({
  does: 'apply',
  kind: 'JobExecution',
  name,
  spec: { ...runOfForeignJob, cluster: ofTemplate, ...more },
});

/** A run with a cluster of its own, which is cancelled, suspended, deleted, or ends. */
export const runsAlone: Draw = (dice) => {
  const name = 'alone';
  const at = dice.number(0, 40_000);
  const more = {
    retries: dice.number(0, 1),
    ...(dice.toss(0.2) && { suspend: true }),
    ...(dice.toss(0.3) && { cluster: { ...ofTemplate, keepOnFailureSeconds: dice.number(0, 30) } }),
  };
  const changes = dice.times(
    dice.number(0, 2),
    (): Step => ({
      at: someTime(dice, at + 1),
      deed: dice.pick<Deed>([...runChanges(name), { does: 'delete', kind: 'Cluster', name }, { does: 'vanish', name }]),
    }),
  );
  return [{ at: 0, deed: { does: 'bring job' } }, { at, deed: runAlone(name, more) }, ...changes];
};

export const renewed: Draw = (dice, { clusters }) =>
  clusters.map((name): Step => ({ at: someTime(dice, 10_000), deed: { does: 'recreate', kind: 'Cluster', name } }));
