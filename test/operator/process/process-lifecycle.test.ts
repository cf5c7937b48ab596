// The lifecycle: order of start and stop, failures on the way, and the deadline.
import { describe, expect, test } from 'vitest';
import { until } from '../../../src/lib/timing/wait.ts';
import { settle } from '../../support/clock.ts';
import { Stage } from '../controller/stage.ts';

const hang = () => new Promise<void>(() => undefined);

describe('a start', () => {
  test('takes the parts in order, each after the one before is ready', async () => {
    const stage = new Stage();
    let synced = false;
    const wait = (signal: AbortSignal) => until(() => synced, { clock: stage.clock, everyMs: 100, signal });
    const lifecycle = stage.lifecycle(
      stage.part('health'),
      stage.part('store'),
      { name: 'caches', start: wait },
      stage.part('controller'),
    );
    const started = lifecycle.start();
    await stage.clock.advance(1_000);
    expect([lifecycle.state(), stage.story]).toEqual(['starting', ['start health', 'start store']]);
    synced = true;
    await stage.clock.advance(100);
    await started;
    expect([lifecycle.state(), stage.story.at(-1)]).toEqual(['running', 'start controller']);
    expect(stage.clock.pending).toBe(0);
  });

  test('that fails says which part and why, and stops what has begun', async () => {
    const stage = new Stage();
    const cause = new Error('no such host');
    const broken = stage.part('store', { start: () => Promise.reject(cause) });
    const lifecycle = stage.lifecycle(stage.part('health'), broken, stage.part('controller'));
    await expect(lifecycle.start()).rejects.toMatchObject({ message: 'cannot start store: no such host', cause });
    expect(await lifecycle.stop(5_000)).toEqual([]);
    expect(stage.story).toEqual(['start health', 'stop store', 'stop health']);
    expect(lifecycle.state()).toBe('stopped');
  });

  test('is given up when the stop comes in between, even where a part hangs or throws because of it', async () => {
    for (const start of [hang, throwsWhenAborted]) {
      const stage = new Stage();
      const lifecycle = stage.lifecycle(stage.part('health'), stage.part('lease', { start }), stage.part('controller'));
      const started = lifecycle.start();
      await settle();
      expect(await lifecycle.stop(5_000)).toEqual([]);
      await started;
      expect(stage.story).toEqual(['start health', 'stop lease', 'stop health']);
      expect(lifecycle.state()).toBe('stopped');
    }
  });

  test('does nothing after a stop', async () => {
    const stage = new Stage();
    const lifecycle = stage.lifecycle(stage.part('health'));
    await lifecycle.stop(1_000);
    await lifecycle.start();
    expect([stage.story, lifecycle.state()]).toEqual([[], 'stopped']);
  });
});

describe('a stop', () => {
  test('takes the parts in reverse, each after the one before has ended', async () => {
    const stage = new Stage();
    const slow = stage.part('controller', {
      stop: async () => {
        await new Promise<void>((resolve) => void stage.clock.after(2_000, resolve));
        stage.story.push('stop controller');
      },
    });
    const lifecycle = stage.lifecycle(stage.part('health'), { name: 'nothing' }, stage.part('store'), slow);
    await lifecycle.start();
    stage.story.length = 0;
    const stopped = lifecycle.stop(10_000);
    expect(lifecycle.state()).toBe('draining');
    await stage.clock.advance(1_999);
    expect(stage.story).toEqual([]);
    await stage.clock.advance(1);
    expect(await stopped).toEqual([]);
    expect(stage.story).toEqual(['stop controller', 'stop store', 'stop health']);
    expect(lifecycle.state()).toBe('stopped');
  });

  test('goes on when a part fails or answers with what it left undone', async () => {
    const stage = new Stage();
    const lifecycle = stage.lifecycle(
      stage.part('health'),
      stage.part('events', { stop: () => '3 events were not sent' }),
      stage.part('store', { stop: () => Promise.reject(new Error('broken pipe')) }),
      stage.part('lease', { stop: () => throwNow() }),
    );
    await lifecycle.start();
    const expected = ['cannot stop lease: at once', 'cannot stop store: broken pipe', 'events: 3 events were not sent'];
    expect(await lifecycle.stop(5_000)).toEqual(expected);
    expect(stage.story.at(-1)).toBe('stop health');
    expect(stage.warnings).toEqual(expected.slice(0, 2));
  });

  test('leaves a part that hangs behind, early enough for the others', async () => {
    const stage = new Stage();
    const left: number[] = [];
    const lifecycle = stage.lifecycle(
      stage.part('health'),
      stage.part('store', { stop: (leftMs) => void left.push(leftMs) }),
      stage.part('controller', { stop: (leftMs) => (left.push(leftMs), hang()) }),
    );
    await lifecycle.start();
    const stopped = lifecycle.stop(10_000);
    await stage.clock.advance(9_000);
    expect(await stopped).toEqual(['cannot stop controller: timed out']);
    expect(left).toEqual([9_000, 500]);
    expect(stage.story.at(-1)).toBe('stop health');
    expect(stage.clock.pending).toBe(0);
  });

  test('that comes again changes nothing and gets the same answer', async () => {
    const stage = new Stage();
    const lifecycle = stage.lifecycle(stage.part('a', { stop: () => 'left something' }));
    await lifecycle.start();
    const [first, second] = [lifecycle.stop(1_000), lifecycle.stop(0)];
    expect(await first).toEqual(['a: left something']);
    expect(await second).toEqual(await first);
  });
});

function throwNow(): never {
  throw new Error('at once');
}

async function throwsWhenAborted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  throw new Error('aborted');
}
