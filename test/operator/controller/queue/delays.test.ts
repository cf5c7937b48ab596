// One timer for many times: each comes when it is due and in order, whoever else left before.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Delay, DelayQueue } from '../../../../src/operator/controller/queue/delays.ts';
import { ManualClock } from '../../../support/clock.ts';

function open() {
  const clock = new ManualClock();
  const come: string[] = [];
  const timetable = new DelayQueue(clock, (value) => come.push(value));
  const enter = (value: string, ms: number) => timetable.enter(value, { at: clock.monotonic() + ms, priority: 'poll' });
  return { clock, come, timetable, enter };
}

describe('a timetable', () => {
  test('tells of each when its time has come, and not before', async () => {
    const { clock, come, enter } = open();
    enter('late', 50);
    enter('soon', 20);
    await clock.advance(19);
    expect(come).toEqual([]);
    await clock.advance(1);
    expect(come).toEqual(['soon']);
    await clock.advance(30);
    expect(come).toEqual(['soon', 'late']);
  });

  test('one that is entered while another is told has its turn', async () => {
    const clock = new ManualClock();
    const come: string[] = [];
    const timetable: DelayQueue = new DelayQueue(clock, (value) => {
      come.push(value);
      if (come.length < 3) timetable.enter('again', { at: clock.monotonic() + 10, priority: 'poll' });
    });
    timetable.enter('first', { at: clock.monotonic() + 10, priority: 'poll' });
    await clock.advance(30);
    expect(come).toEqual(['first', 'again', 'again']);
  });

  test('has one timer, and none when nobody is left', () => {
    const { clock, timetable, enter } = open();
    const entered = Array.from({ length: 100 }, (_, index) => enter(`${index}`, 1 + ((index * 37) % 100)));
    expect(clock.pending).toBe(1);
    for (const appointment of entered) timetable.leave(appointment);
    expect(clock.pending).toBe(0);
  });

  test('any that stay come in the order of their times, those of one time in the order of their entry', async () => {
    const wish = fc.record({ ms: fc.integer({ min: 1, max: 20 }), leaves: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 60 }), async (wishes) => {
        const { clock, come, timetable, enter } = open();
        const entered: Delay[] = wishes.map(({ ms }, index) => enter(`${index}`, ms));
        wishes.forEach(({ leaves }, index) => {
          if (leaves) timetable.leave(entered[index] as Delay);
        });
        await clock.advance(20);
        const staying = wishes.map(({ ms, leaves }, index) => ({ ms, leaves, index })).filter(({ leaves }) => !leaves);
        expect(come).toEqual(staying.toSorted((a, b) => a.ms - b.ms).map(({ index }) => `${index}`));
      }),
      { numRuns: 200 },
    );
  });
});
