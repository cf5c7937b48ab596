// What the simulation judges of retries: few and not in step.
import { describe, expect, it } from 'vitest';
import { randomOf } from '../plan/chance.ts';
import { small } from '../plan/worlds.ts';
import { run } from '../run.ts';
import { inStep } from './economy.ts';

const bare = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60].map((seconds) => seconds * 1_000);

describe('retries', () => {
  it('are in step where they come after the bare backoff', () => {
    expect(inStep(bare.map((ms, index) => ms + index))).toMatchObject([{ invariant: 'E3' }]);
  });

  it('are not where chance is in each, nor where there are few', () => {
    const random = randomOf(1, 'retries');
    expect(inStep(bare.map((ms) => ms * random.next()))).toEqual([]);
    expect(inStep(bare.slice(0, 8))).toEqual([]);
  });

  it('may come together when the service has asked for that wait, and not without', () => {
    const asked = Array.from({ length: 12 }, (_, index) => 8_000 + 12 * index);
    expect(inStep(asked, [8_000])).toEqual([]);
    expect(inStep(asked, [2_000])).toMatchObject([{ invariant: 'E3' }]);
  });

  it('stay few although each write takes effect, is not answered, and is seen as a change by somebody', async () => {
    const trouble = { what: 'api loses', applied: true, share: 1 } as const;
    const { violations, peaks } = await run({ ...small, faults: [{ at: 0, ms: 42_000, trouble }], calmAt: 45_000 });
    expect(violations).toEqual([]);
    expect(peaks.failures).toBeLessThan(20);
  });
});
