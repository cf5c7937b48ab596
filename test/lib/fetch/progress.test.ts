// A terminal gets a bar that is redrawn, a log gets lines.
import { describe, expect, it } from 'vitest';
import { createBarProgress, createLineProgress } from '../../../src/lib/fetch/progress.ts';
import type { Clock } from '../../../src/lib/ports.ts';

/** A clock that a test moves. */
function createClock(): Clock & { move(ms: number): void } {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    wall: () => now,
    monotonic: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    move(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

const state = () => ({ label: 'Spark: downloading', done: 120e6, total: 480e6 });

describe('progress', () => {
  it('is a line at once and then every five seconds', async () => {
    const clock = createClock();
    const lines: string[] = [];
    const progress = createLineProgress((line) => void lines.push(line), clock);
    await progress.during(state, async () => {
      for (let second = 1; second <= 6; second++) clock.move(1000);
    });
    clock.move(60_000);
    expect(lines).toEqual(['Spark: downloading 120 of 480 MB (0:00)', 'Spark: downloading 120 of 480 MB (0:05)']);
  });

  it('is a bar on a terminal, which is redrawn and gone in the end', async () => {
    const clock = createClock();
    let text = '';
    const terminal = { columns: 70, write: (more: string) => (text += more) };
    await createBarProgress(terminal, clock).during(state, async () => clock.move(61_000));
    const bar = 'Spark: downloading [######                  ] 120 of 480 MB';
    expect(text).toBe(`\r\x1b[K${bar} (0:00)\r\x1b[K${bar} (1:01)\r\x1b[K`);
  });

  it('never wraps on a narrow terminal', async () => {
    let text = '';
    const terminal = { columns: 20, write: (more: string) => (text += more) };
    await createBarProgress(terminal, createClock()).during(state, async () => undefined);
    expect(text).toBe('\r\x1b[KSpark: downloading \r\x1b[K');
  });

  it('shows only what is known', async () => {
    const lines: string[] = [];
    const progress = createLineProgress((line) => void lines.push(line), createClock());
    await progress.during(
      () => ({ label: 'unpacking' }),
      async () => undefined,
    );
    await progress.during(
      () => ({ label: 'downloading', done: 3e6 }),
      async () => undefined,
    );
    expect(lines).toEqual(['unpacking (0:00)', 'downloading 3 MB (0:00)']);
  });
});
