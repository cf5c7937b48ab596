// What a service gets that nobody set limits for: more than before, and never more refusals.
import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../../src/operator/client/limits.ts';
import { burdened, limited, queueing, type Scene, ServiceScene } from './service-scene.ts';

/** What users set for a slow service before, with the burst that was the default, and with a cautious one. */
const fixed: readonly Limits[] = [
  { requestsPerSecond: 20, burst: 100, maxInFlight: 16 },
  { requestsPerSecond: 20, burst: 4, maxInFlight: 16 },
];

async function play(scene: Scene, seconds: number): Promise<ServiceScene> {
  const played = new ServiceScene(scene);
  await played.clock.advance(seconds * 1_000);
  return played;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe('a service that answers 30 requests a second', () => {
  test.each(fixed)(
    'and lets 20 wait refuses no more than with $requestsPerSecond, and $burst at once',
    async (limits) => {
      const [adaptive, before] = await Promise.all([
        play({ answering: queueing(3, 100, 20) }, 120),
        play({ answering: queueing(3, 100, 20), fixed: limits }, 120),
      ]);
      expect(adaptive.refused).toBeLessThanOrEqual(before.refused);
      expect(adaptive.served).toBeGreaterThanOrEqual(before.served);
    },
  );

  test('and refuses the others refuses no more than before, where work comes in waves', async () => {
    const waves = { size: 300, everyMs: 30_000 };
    const [adaptive, before] = await Promise.all([
      play({ answering: limited(() => 30), waves }, 120),
      play({ answering: limited(() => 30), waves, fixed: fixed[0] as Limits }, 120),
    ]);
    expect(adaptive.refused).toBeLessThanOrEqual(before.refused);
    expect(adaptive.served).toBeGreaterThanOrEqual(before.served);
  });

  test('and refuses the others, though there is always work: a few of a thousand', async () => {
    const { refused, sent } = await play({ answering: limited(() => 30) }, 180);
    expect(refused / sent.length).toBeLessThan(0.003);
    expect(sent.length).toBeGreaterThan(20 * 180);
  });

  test('and gives most of them to another tenant for a while gets few, and then as many as before', async () => {
    const taken = (now: number) => (now > 60_000 && now < 120_000 ? 3 : 30);
    const scene = await play({ answering: limited(taken) }, 240);
    const whileTaken = sum(scene.perSecond(80, 120));
    expect(whileTaken).toBeGreaterThan(40);
    expect(whileTaken).toBeLessThan(40 * 6);
    expect(sum(scene.perSecond(200, 240)) / 40).toBeGreaterThan(20);
    expect(scene.refused / scene.sent.length).toBeLessThan(0.02);
  });
});

test('a service that becomes slow under load gets what it can take, without a single refusal', async () => {
  const scene = await play({ answering: burdened() }, 180);
  expect(scene.lowered).toContain('slow');
  expect(sum(scene.perSecond(20, 180)) / 160).toBeGreaterThan(45);
  // At 80 requests a second it takes three times as long.
  const settled = scene.perSecond(20, 180).toSorted((a, b) => a - b);
  expect(settled.at(-8)).toBeLessThan(95);
  const median = scene.times.toSorted((a, b) => a - b)[Math.floor(scene.times.length / 2)];
  expect(median).toBeLessThan(150);
});

test('a fast service gets some hundred requests a second within seconds, and never more than 500 of them, and 64 at a time', async () => {
  const scene = await play({ answering: () => ({ ms: 40 }) }, 15);
  expect(scene.perSecond(0, 1)[0]).toBeLessThanOrEqual(24);
  expect(scene.perSecond(7, 8)[0]).toBeGreaterThan(200);
  expect(scene.perSecond(12, 13)[0]).toBeGreaterThan(480);
  expect(Math.max(...scene.perSecond(0, 15))).toBeLessThanOrEqual(500);
  expect(scene.mostInFlight).toBeLessThanOrEqual(64);
  expect(scene.lowered).toEqual([]);
});

test('a service that is slow from the start gets more at a time, and never fewer', async () => {
  const scene = await play({ answering: () => ({ ms: 2_000 }) }, 60);
  expect(scene.lowered).toEqual([]);
  expect(scene.mostInFlight).toBe(64);
  expect(sum(scene.perSecond(30, 60)) / 30).toBeGreaterThan(25);
});

test('what the user sets is never exceeded', async () => {
  const ceiling = { requestsPerSecond: 40, burst: 10, maxInFlight: 3 };
  const scene = await play({ answering: () => ({ ms: 20 }), ceiling }, 20);
  expect(scene.mostInFlight).toBe(3);
  expect(Math.max(...scene.perSecond(1, 20))).toBe(40);
  const low = await play({ answering: () => ({ ms: 1 }), ceiling: { requestsPerSecond: 5 } }, 20);
  expect(Math.max(...low.perSecond(1, 20))).toBe(5);
});

test('work in waves that the first rate is enough for leaves it as it is', async () => {
  const scene = await play({ answering: () => ({ ms: 20 }), waves: { size: 12, everyMs: 30_000 } }, 600);
  expect(scene.budget.limits).toEqual({ requestsPerSecond: 20, burst: 4, maxInFlight: 12 });
});

describe('a service that wants to harm', () => {
  test('by refusing everything is still asked, and gets as much as before soon after', async () => {
    const scene = await play({ answering: (now) => ({ ms: 5, refused: now > 5_000 && now < 65_000 }) }, 90);
    expect(sum(scene.perSecond(20, 65))).toBeGreaterThan(30);
    expect(sum(scene.perSecond(85, 90)) / 5).toBeGreaterThan(40);
    expect(scene.budget.limits.requestsPerSecond).toBeGreaterThan(40);
  });

  test('by answers that take longer for no reason is still asked, and that counts as usual soon', async () => {
    const scene = await play({ answering: (now) => ({ ms: now < 5_000 ? 1 : 1_000 }) }, 120);
    expect(scene.lowered.length).toBeLessThanOrEqual(4);
    expect(sum(scene.perSecond(90, 120)) / 30).toBeGreaterThan(20);
  });
});
