// A NodeGroup and its Cluster in Git, while something else scales the NodeGroup: who has the last word, and that nobody writes for ever.
import { expect } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { statusOf } from '../../operator/kinds/support/invariants.ts';
import type { Json } from '../../operator/kinds/support/sample.ts';
import { haveKubectl } from '../readers/kubectl-wait.ts';
import type { Scene } from '../scene.ts';
import { type InGit, scale, sync, syncByKubectl } from '../tool.ts';
import type { Trial } from '../trial.ts';

/** What is in Git: a NodeGroup that asks for 2 nodes, and a Cluster that does, too. */
class Repository {
  readonly #trial: Trial;
  readonly nodeGroup: InGit;
  readonly cluster: InGit;

  constructor(trial: Trial) {
    const { actor, name, stage } = trial;
    const cluster = actor.needs.find(({ kind }) => kind === 'Cluster');
    if (cluster === undefined) throw new Error('a NodeGroup needs a Cluster');
    this.#trial = trial;
    this.nodeGroup = { kind: actor.kind, name, spec: actor.spec(stage) };
    this.cluster = cluster;
  }

  withCount(count: unknown): InGit {
    return { ...this.nodeGroup, spec: { ...this.nodeGroup.spec, count } };
  }

  withoutCount(): InGit {
    const { count: _unset, ...spec } = this.nodeGroup.spec;
    return { ...this.nodeGroup, spec };
  }

  /** As the ignore rules of both tools make it: with the count that is there. */
  async withLiveCount(): Promise<InGit> {
    const { spec } = await this.#trial.stage.fetch(this.nodeGroup.kind, this.nodeGroup.name);
    return this.withCount((spec as Json)['count']);
  }

  /** Whether anything of both had to be written. */
  async sync(nodeGroup: InGit): Promise<boolean> {
    const wrote = [await sync(this.#trial.stage, this.cluster), await sync(this.#trial.stage, nodeGroup)];
    return wrote.includes(true);
  }
}

const has = (count: number) => (one: RawResource) => statusOf(one)['count'] === count;

/** How often the operator has scaled the cluster. */
const scaled = ({ stage }: Trial): number =>
  stage.proxy.sent.filter(({ method, collection }) => method === 'PUT' && collection === 'clusters').length;

/** Its first sync, by `first`; then it is scaled to 4. */
async function scaleOnce(trial: Trial, first: (repository: Repository) => Promise<unknown>): Promise<Repository> {
  await trial.operate();
  await trial.ground();
  const repository = new Repository(trial);
  await first(repository);
  await trial.shows('ready', has(2));
  await scale(trial.stage, repository.nodeGroup, 4);
  await trial.shows('ready', has(4));
  return repository;
}

/** The tool finds nothing to write, and the NodeGroup and the cluster were changed so often in all. */
async function rests(trial: Trial, repository: Repository, nodeGroup: InGit, changes: number): Promise<void> {
  const before = await trial.stage.fetch(nodeGroup.kind, nodeGroup.name);
  for (let round = 0; round < 3; round += 1) expect(await repository.sync(nodeGroup)).toBe(false);
  const after = await trial.stage.fetch(nodeGroup.kind, nodeGroup.name);
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  expect(after.metadata.generation).toBe(1 + changes);
  expect(scaled(trial)).toBe(changes);
}

const required = /spec\.count: Required value/;

export const nodeGroupScenes: readonly Scene[] = [
  {
    cause: 'it is scaled, and Git has another count: Git wins, once',
    shows: ['ready', 'ready', 'ready'],
    only: 'NodeGroup',
    smooth: true,
    async run(trial) {
      const repository = await scaleOnce(trial, (one) => one.sync(one.nodeGroup));
      await repository.sync(repository.nodeGroup);
      await trial.shows('ready', has(2));
      await rests(trial, repository, repository.nodeGroup, 2);
    },
  },
  {
    cause: 'it is scaled, and the tool ignores its count: the count stays',
    shows: ['ready', 'ready', 'ready'],
    only: 'NodeGroup',
    smooth: true,
    async run(trial) {
      const repository = await scaleOnce(trial, (one) => one.sync(one.nodeGroup));
      await rests(trial, repository, await repository.withLiveCount(), 1);
      await scale(trial.stage, repository.nodeGroup, 3);
      await trial.shows('ready', has(3));
      await rests(trial, repository, await repository.withLiveCount(), 2);
    },
  },
  {
    cause: 'it is scaled, and Git has a count no longer: the count stays',
    shows: ['ready', 'ready'],
    only: 'NodeGroup',
    smooth: true,
    async run(trial) {
      const repository = await scaleOnce(trial, async (one) => {
        // The API server requires a count until something else has set one.
        await expect(one.sync(one.withoutCount())).rejects.toThrow(required);
        await one.sync(one.nodeGroup);
        await expect(one.sync(one.withoutCount())).rejects.toThrow(required);
      });
      await rests(trial, repository, repository.withoutCount(), 1);
    },
  },
  {
    cause: 'it is scaled, and applied on the side of the client',
    shows: ['ready', 'ready', 'ready'],
    only: 'NodeGroup',
    without: () => (haveKubectl ? undefined : 'there is no kubectl on PATH'),
    smooth: true,
    async run(trial) {
      const { stage } = trial;
      const repository = await scaleOnce(trial, (one) => syncByKubectl(stage, one.nodeGroup));
      await syncByKubectl(stage, await repository.withLiveCount());
      await expect(syncByKubectl(stage, repository.withoutCount())).rejects.toThrow(required);
      expect(scaled(trial)).toBe(1);
      await syncByKubectl(stage, repository.nodeGroup);
      await trial.shows('ready', has(2));
      await rests(trial, repository, repository.nodeGroup, 2);
    },
  },
  {
    cause: 'it is scaled and pruned, and Git has another count in its Cluster: Git wins, once',
    shows: ['ready', 'ready'],
    only: 'NodeGroup',
    smooth: true,
    async run(trial) {
      const { stage } = trial;
      const { cluster, nodeGroup } = await scaleOnce(trial, (one) => one.sync(one.nodeGroup));
      const countIs = (count: number) => (one: RawResource) =>
        (one.spec as { readonly nodeGroups: readonly Json[] }).nodeGroups[0]?.['count'] === count;
      await stage.delete(nodeGroup.kind, nodeGroup.name);
      await trial.gone();
      await stage.recorder.until(cluster, 'it has the count that was left', countIs(4));
      expect(await sync(stage, cluster)).toBe(true);
      const isScaled = (one: RawResource) => countIs(2)(one) && statusOf(one)['nodes'] === '3/3';
      await stage.recorder.until({ ...cluster, from: 'latest' }, 'it has the count of Git', isScaled);
      expect(await sync(stage, cluster)).toBe(false);
      // The first of them was the scale.
      expect(scaled(trial)).toBe(2);
    },
  },
];
