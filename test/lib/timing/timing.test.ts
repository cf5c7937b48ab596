// The small pieces that wait: deadline, sleep, one fetch for all, the token bucket.
import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../../src/kube/http/deadline.ts';
import { singleFlight } from '../../../src/lib/timing/single-flight.ts';
import { TokenBucket } from '../../../src/lib/timing/token-bucket.ts';
import { sleep } from '../../../src/lib/timing/wait.ts';
import { ManualClock, settle } from '../../support/clock.ts';

describe('a deadline', () => {
  it('aborts with its reason when the time is up', async () => {
    const clock = new ManualClock();
    const deadline = startDeadline({ clock, ms: 100, parent: undefined, reason: 'no answer' });
    await clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.reason).toEqual(new Error('no answer'));
    expect(deadline.missed).toBe(true);
  });

  it('starts anew with every touch', async () => {
    const clock = new ManualClock();
    const deadline = startDeadline({ clock, ms: 100, parent: undefined, reason: 'idle' });
    for (let index = 0; index < 10; index += 1) {
      await clock.advance(60);
      deadline.touch();
    }
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(100);
    expect(deadline.signal.aborted).toBe(true);
  });

  it('follows its parent, also one that has given up before', () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const early = startDeadline({ clock, ms: 100, parent: parent.signal, reason: 'idle' });
    parent.abort(new Error('stopped'));
    const late = startDeadline({ clock, ms: 100, parent: parent.signal, reason: 'idle' });
    expect(early.signal.reason).toEqual(new Error('stopped'));
    expect(late.signal.reason).toEqual(new Error('stopped'));
    expect([early.missed, late.missed]).toEqual([false, false]);
  });

  it('leaves no timer and no listener behind', async () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const deadline = startDeadline({ clock, ms: 100, parent: parent.signal, reason: 'idle' });
    deadline.done();
    expect(clock.pending).toBe(0);
    parent.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe('sleep', () => {
  it('lasts as long as it says', async () => {
    const clock = new ManualClock();
    let awake = false;
    void sleep(clock, 100, new AbortController().signal).then(() => (awake = true));
    await clock.advance(99);
    expect(awake).toBe(false);
    await clock.advance(1);
    expect(awake).toBe(true);
  });

  it('ends at once when it is interrupted, and leaves no timer', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const asleep = sleep(clock, 100, controller.signal);
    controller.abort();
    await asleep;
    expect(clock.pending).toBe(0);
    await sleep(clock, 100, controller.signal);
  });
});

describe('one fetch for all', () => {
  it('answers all who ask at the same time', async () => {
    let fetches = 0;
    const value = singleFlight(new ManualClock(), 1000, async () => (fetches += 1));
    expect(await Promise.all([value.get(), value.get(), value.get()])).toEqual([1, 1, 1]);
  });

  it('is repeated when the value is old or was dropped', async () => {
    const clock = new ManualClock();
    let fetches = 0;
    const value = singleFlight(clock, 1000, async () => (fetches += 1));
    await value.get();
    await clock.advance(999);
    expect(await value.get()).toBe(1);
    await clock.advance(1);
    expect(await value.get()).toBe(2);
    value.drop();
    expect(await value.get()).toBe(3);
  });

  it('does not keep a failure', async () => {
    let fetches = 0;
    const value = singleFlight(new ManualClock(), 1000, async () => {
      fetches += 1;
      if (fetches === 1) throw new Error('not yet');
      return fetches;
    });
    await expect(value.get()).rejects.toThrow('not yet');
    await settle();
    expect(await value.get()).toBe(2);
  });
});

describe('the token bucket', () => {
  const bucketOf = (perSecond: number, burst: number) => {
    const clock = new ManualClock();
    return { clock, bucket: new TokenBucket(clock, { perSecond, burst }) };
  };

  it('gives its burst at once and then one token at a time', async () => {
    const { clock, bucket } = bucketOf(2, 3);
    for (const left of [3, 2, 1]) {
      expect([bucket.count(), bucket.waitMs()]).toEqual([left, 0]);
      bucket.take();
    }
    expect([bucket.count(), bucket.waitMs()]).toEqual([0, 500]);
    await clock.advance(300);
    expect([bucket.count(), bucket.waitMs()]).toEqual([0, 200]);
    await clock.advance(200);
    expect([bucket.count(), bucket.waitMs()]).toEqual([1, 0]);
  });

  it('never holds more than its burst', async () => {
    const { clock, bucket } = bucketOf(100, 2);
    await clock.advance(60_000);
    expect(bucket.count()).toBe(2);
  });

  it('keeps what it has when its rate changes, as far as that fits', () => {
    const { bucket } = bucketOf(1, 5);
    bucket.configure({ perSecond: 4, burst: 10 });
    expect(bucket.count()).toBe(5);
    bucket.configure({ perSecond: 4, burst: 1 });
    bucket.take();
    expect(bucket.waitMs()).toBe(250);
  });
});
