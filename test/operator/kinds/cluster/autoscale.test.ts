// How many nodes an autoscaled group is to have.
import { expect, test } from 'vitest';
import { type AutoscaleInput, decideCount } from '../../../../src/operator/kinds/cluster/autoscale.ts';
import type { AutoscalingReason } from '../../../../src/operator/reconcile/kind/kind.ts';

const bounds = { minCount: 2, maxCount: 10, scaleDownAfterMs: 300_000 };
const fills = (wantedNodes: number, busyNodes = 0, ageMs = 1_000) => ({ load: { wantedNodes, busyNodes, ageMs } });
const quiet = { lessForMs: 300_000 };
const has = (count: number, asked = count) => ({ has: count, asked });

type Row = readonly [string, Partial<AutoscaleInput>, count: number, reason: AutoscalingReason, wanted?: number];

const rows: readonly Row[] = [
  ['more work: at once all that it needs', fills(7), 7, 'WithinRange', 7],
  ['as much work as there are nodes', fills(5, 5), 5, 'WithinRange', 5],
  ['more busy nodes than wanted ones', fills(0, 6), 6, 'WithinRange', 6],
  ['more than the bounds allow', fills(11), 10, 'AtMaximum', 10],
  ['more than they allow, and it has that many', { ...has(10), ...fills(10_000) }, 10, 'AtMaximum', 10],
  ['exactly as much as they allow', fills(10), 10, 'WithinRange', 10],
  ['less than they allow', { ...has(2), ...fills(0) }, 2, 'AtMinimum', 2],
  ['less work: it waits', { ...fills(3), lessForMs: 299_999 }, 5, 'ScalingDown', 3],
  ['less work for long enough: one node', { ...fills(3), ...quiet }, 4, 'ScalingDown', 3],
  ['no work for long enough: one node, too', { ...fills(0), ...quiet }, 4, 'ScalingDown', 2],
  ['no work, and one node above the smallest', { ...has(3), ...fills(0), ...quiet }, 2, 'ScalingDown', 2],
  ['less work, and all but one busy', { ...fills(0, 4), ...quiet }, 4, 'ScalingDown', 4],
  ['less work, and all busy', { ...fills(0, 5), ...quiet }, 5, 'WithinRange', 5],
  ['no time to wait', { ...fills(3), bounds: { ...bounds, scaleDownAfterMs: 0 } }, 4, 'ScalingDown', 3],
  ['no load', { load: undefined, ...quiet }, 5, 'NoSignal'],
  ['an old load that wants more', fills(9, 9, 60_001), 5, 'TooOld'],
  ['an old load that wants less', { ...fills(0, 0, 60_001), ...quiet }, 5, 'TooOld'],
  ['a load that is just not too old', fills(9, 0, 60_000), 9, 'WithinRange', 9],
  ['a scale up goes on, and more work comes', { ...has(3, 5), state: 'scaling', ...fills(8) }, 8, 'WithinRange', 8],
  [
    'a scale up goes on, and the work goes',
    { ...has(3, 5), state: 'scaling', ...fills(0), ...quiet },
    5,
    'ScalingDown',
    2,
  ],
  ['a scale down goes on', { ...has(5, 4), state: 'scaling', ...fills(0), ...quiet }, 4, 'ScalingDown', 2],
  ['a scale down goes on, and work comes', { ...has(5, 4), state: 'scaling', ...fills(5) }, 5, 'WithinRange', 5],
  ['a scale down had no effect', { ...has(5, 4), ...fills(0), ...quiet }, 4, 'ScalingDown', 2],
  ['a scale up had no effect: it is still wanted', { ...has(3, 5), ...fills(5) }, 5, 'WithinRange', 5],
  ['a scale up had no effect, and the work goes', { ...has(3, 8), ...fills(0), ...quiet }, 3, 'ScalingDown', 2],
  ['as well, but some of it stays', { ...has(3, 8), ...fills(6), ...quiet }, 6, 'ScalingDown', 6],
  ['the cluster is not ready', { state: 'other', ...fills(9), ...quiet }, 5, 'ClusterNotReady'],
  ['too few without a load', { ...has(1), load: undefined }, 2, 'NoSignal'],
  ['too many with an old load', { ...has(12), ...fills(9, 9, 90_000) }, 10, 'TooOld'],
  [
    'too many, and less work for long enough: the bounds count first',
    { ...has(12), ...fills(0), ...quiet },
    10,
    'ScalingDown',
    2,
  ],
  ['too many, of which all are busy: the bounds count', { ...has(12), ...fills(12, 12) }, 10, 'AtMaximum', 10],
  ['too few, and more work', { ...has(0), ...fills(4) }, 4, 'WithinRange', 4],
];

test.each(rows.map(([title, ...row]) => ({ title, row })))('$title', ({ row: [given, count, reason, wanted] }) => {
  const usual = { bounds, ...has(5), state: 'resting', load: undefined, freshMs: 60_000, lessForMs: 0 } as const;
  const input: AutoscaleInput = { ...usual, ...given };
  expect(decideCount(input)).toEqual({ count, reason, ...(wanted === undefined ? {} : { wanted }) });
});

const counts = [0, 1, 2, 3, 5, 9, 10, 11];
const quadruples = counts.flatMap((a) =>
  counts.flatMap((b) => counts.flatMap((c) => counts.map((d) => [a, b, c, d] as const))),
);
const inputs = quadruples.flatMap(([asked, had, wantedNodes, busyNodes]): readonly AutoscaleInput[] =>
  (['resting', 'scaling', 'other'] as const).flatMap((state) =>
    [undefined, fills(wantedNodes, busyNodes).load, fills(wantedNodes, busyNodes, 70_000).load].flatMap((load) =>
      [0, 300_000].map((lessForMs) => ({ bounds, ...has(had, asked), state, load, freshMs: 60_000, lessForMs })),
    ),
  ),
);
const boundedOf = (asked: number) => Math.min(bounds.maxCount, Math.max(bounds.minCount, asked));
const isFresh = ({ load, state }: AutoscaleInput) => (load?.ageMs ?? 70_000) <= 60_000 && state !== 'other';

test.each<readonly [string, (input: AutoscaleInput, count: number) => boolean]>([
  ['the count is within its bounds', (_, count) => count >= bounds.minCount && count <= bounds.maxCount],
  ['without a fresh load it stays', (input, count) => isFresh(input) || count === boundedOf(input.asked)],
  [
    'it is never below what is busy',
    (input, count) => !isFresh(input) || count >= Math.min(input.load?.busyNodes ?? 0, bounds.maxCount),
  ],
  [
    'it goes down by one node at most, and only at rest and after the time',
    (input, count) =>
      count >= boundedOf(input.asked) ||
      (input.state === 'resting' && input.lessForMs > 0 && count >= Math.min(input.has, boundedOf(input.asked) - 1)),
  ],
])('whatever is reported: %s', (_, holds) => {
  expect(inputs.filter((input) => !holds(input, decideCount(input).count))).toEqual([]);
});
