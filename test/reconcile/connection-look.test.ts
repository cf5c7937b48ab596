// How the service of a Connection is looked at: how often, and what is told of a look that fails.
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../src/api/common.ts';
import { Schedule } from '../../src/controller/schedule.ts';
import { type Category, ServiceError } from '../../src/wire/errors.ts';
import { stageConnection } from './connection-stage.ts';

const minuteMs = 60_000;
const plain = { nameTaken: false, inUse: false, ownShape: false };

describe('the look at a service that is well', () => {
  const chances = [0, 0.3, 0.5, 0.7, 0.99];
  const orders = chances.flatMap((one) => chances.map((other) => [one, other] as const));

  test.each(orders)('is taken every 10 minutes, whatever the jitter (%d, then %d)', async (one, other) => {
    const stage = stageConnection();
    const { at } = stage;
    let drawn = 0;
    const random = { next: () => (drawn++ % 2 === 0 ? one : other) };
    const schedule = new Schedule(random, { monotonic: () => at.now });
    const looks = new Map<number, number>();
    while (at.now < 120 * minuteMs) {
      const delayMs = schedule.delayMs('it', await stage.pass());
      looks.set(at.looks, looks.get(at.looks) ?? at.now);
      at.now += delayMs ?? Number.NaN;
    }
    const times = [...looks.values()];
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / minuteMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(9);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(11);
  });
});

test.each<Category>(['unreachable', 'serverFault', 'malformed'])(
  'a blip is not told, and what lasts is: %s',
  async (category) => {
    let fails = false;
    const verdict = {
      category,
      certainty: 'open',
      why: 'it is so',
      detail: '',
      ...plain,
    } as const;
    const plugins = async () => {
      if (fails) throw new ServiceError({ method: 'GET', path: '/plugins' }, verdict);
      return [];
    };
    const stage = stageConnection({ plugins });
    const ready = () => (stage.status()['conditions'] as readonly Condition[]).find((one) => one.type === 'Ready');
    await stage.pass();
    stage.at.now += 10 * minuteMs;
    fails = true;
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await stage.pass()).toEqual({ next: 'retry' });
      expect(ready()).toMatchObject({ status: 'True' });
      stage.at.now += minuteMs;
    }
    await stage.pass();
    expect(ready()).toMatchObject({ status: 'False', reason: 'UpstreamError' });
    fails = false;
    await stage.pass();
    expect(ready()).toMatchObject({ status: 'True', reason: 'Available' });
  },
);
