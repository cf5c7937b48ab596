// Runs that come when a cluster is about to go, or has just begun to.
import { expect, test } from 'vitest';
import { type Hand, subject } from '../remedies/hand.ts';
import { clusterIn, later, ready, runSpec } from './ground.ts';

const begin = (): Promise<Hand> => ready({ idleDeleteAfterSeconds: 600 });

/** In a world of the same plan in which nobody comes, the moment at which its object begins to be deleted. */
let known: Promise<number> | undefined;
const dueAt = (): Promise<number> => {
  known ??= begin().then(async (hand) => {
    let at = Number.NaN;
    hand.world.server.onChange(({ object }) => {
      if (object.kind === 'Cluster' && object.metadata.name === subject && object.metadata.deletionTimestamp)
        at = Number.isNaN(at) ? hand.world.scheduler.now : at;
    });
    await hand.gone('Cluster', subject);
    expect(hand.end()).toEqual([]);
    return at;
  });
  return known;
};

/** `moments`: in ms after the deletion of a cluster that becomes due at that time after its announcement. */
export function comeAt(moments: readonly number[]): void {
  test.each(moments)(
    'a run that comes %i ms after the deletion began runs to its end, or never began',
    async (moment) => {
      const hand = await begin();
      const due = await dueAt();
      await hand.world.advance(due + moment);
      hand.apply('JobExecution', 'run', runSpec);
      await later(hand, 5 * 60_000);
      const run = hand.object('JobExecution', 'run');
      const { state, attempts } = (run?.status ?? {}) as { readonly state?: string; readonly attempts?: number };
      if (moment <= -100) expect(clusterIn(hand)).toBeDefined();
      if (clusterIn(hand) !== undefined) expect(state).toBe('Succeeded');
      else expect([state, attempts]).toEqual(['Pending', undefined]);
      expect(hand.end()).toEqual([]);
    },
  );
}
