// A Cluster that expires: announced, deleted with its object, or kept without its cluster for what is in Git.
import type { Scene } from '../scene.ts';
import type { Trial } from '../trial.ts';

const minute = 60_000;

/** A time that is near enough to be announced, and not before this. */
const soon = ({ stage }: Trial): string => new Date(stage.clock.wall() + 10 * minute).toISOString();

export const lifecycleScenes: readonly Scene[] = [
  {
    cause: 'its time comes, it stays without its cluster, and is wanted again',
    shows: ['ready', 'expiring', 'expired', 'ready'],
    only: 'Cluster',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      await trial.createReady();
      await trial.edit({ lifecycle: { deleteAt: soon(trial), onExpiry: 'Release' } });
      await trial.shows('expiring');
      await trial.leapUntil('expired');
      await trial.edit({ lifecycle: null });
      await trial.shows('ready');
    },
  },
  {
    cause: 'its time comes, and it goes with its cluster',
    shows: ['ready', 'expiring'],
    only: 'Cluster',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      await trial.createReady();
      await trial.edit({ lifecycle: { deleteAt: soon(trial) } });
      await trial.shows('expiring');
      await trial.leapUntilGone();
    },
  },
  {
    cause: 'its time has passed before it was applied',
    shows: ['expired'],
    only: 'Cluster',
    async run(trial) {
      await trial.operate();
      await trial.ground();
      await trial.create({ lifecycle: { deleteAt: '2020-01-01T00:00:00Z', onExpiry: 'Release' } });
      await trial.shows('expired');
    },
  },
];
