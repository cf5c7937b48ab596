// Identifiers and time stamps have the form of section 2; the same seed gives the same ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createId, createSeededRandom, timestamp } from '../../../../src/service/model/records/identifiers.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('identifiers', () => {
  test('are of version 4, whatever chance says', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) =>
        uuid.test(createId({ next: () => value })),
      ),
    );
    expect(createId({ next: () => 0 })).toBe('00000000-0000-4000-8000-000000000000');
    expect(createId({ next: () => 1 - 2 ** -53 })).toMatch(/^ffffffff-ffff-4fff-bfff-ffffffffffff$/);
  });

  test('are the same for the same seed, and others for another', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const [first, again] = [createSeededRandom(one), createSeededRandom(one)];
        expect([createId(first), createId(first)]).toEqual([createId(again), createId(again)]);
        if (one !== other) expect(createId(createSeededRandom(one))).not.toBe(createId(createSeededRandom(other)));
      }),
    );
  });

  test('do not repeat', () => {
    const random = createSeededRandom(1);
    expect(new Set(Array.from({ length: 10_000 }, () => createId(random))).size).toBe(10_000);
  });
});

describe('chance', () => {
  test('is in [0, 1) and spread evenly', () => {
    const random = createSeededRandom(42);
    const values = Array.from({ length: 10_000 }, () => random.next());
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const share = values.filter((value) => Math.floor(value * 10) === tenth).length;
      expect(share).toBeGreaterThan(850);
      expect(share).toBeLessThan(1150);
    }
  });
});

test('a time stamp is UTC, without zone and fractions', () => {
  const clock = { wall: () => Date.parse('2014-02-03T04:05:06.789+02:00'), monotonic: () => 0, after: () => () => {} };
  expect(timestamp(clock)).toBe('2014-02-03T02:05:06');
});
