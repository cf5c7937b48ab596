// The delays after failures: their limits, their jitter, and what a service asks for.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/lib/timing/backoff.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the delays', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [2_000, 60_000],
  ])('of failure %i lie anywhere up to %i ms', (failures, ceiling) => {
    expect(backoffMs({ failures }, 0)).toBe(0);
    expect(backoffMs({ failures }, 0.5)).toBe(ceiling / 2);
    expect(backoffMs({ failures }, 0.999_999)).toBeCloseTo(ceiling, -1);
  });

  test('of failures are never below what the service asked for, nor above the cap unless it asked for more', () => {
    const failures = fc.integer({ min: 1, max: 10_000 });
    const property = fc.property(
      failures,
      fc.nat(600_000),
      fc.integer({ min: 1, max: 900_000 }),
      chance,
      (n, afterMs, maxMs, at) => {
        const delayMs = backoffMs({ failures: n, afterMs, maxMs }, at);
        expect(delayMs).toBeGreaterThanOrEqual(afterMs);
        expect(delayMs).toBeLessThanOrEqual(Math.max(maxMs, afterMs * 1.1));
      },
    );
    fc.assert(property);
  });

  test('after a Retry-After differ from key to key', () => {
    expect(backoffMs({ failures: 1, afterMs: 20_000 }, 0.1)).toBeCloseTo(20_200);
    expect(backoffMs({ failures: 1, afterMs: 20_000 }, 0.9)).toBeCloseTo(21_800);
  });

  test('begin and end where they are told to', () => {
    const limits = [1, 2, 3, 7, 5_000].map((failures) => backoffMs({ failures, firstMs: 800, maxMs: 30_000 }, 0.5));
    expect(limits).toEqual([400, 800, 1_600, 15_000, 15_000]);
  });
});
