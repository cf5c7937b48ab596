// What is kept of a run that goes on, whatever its pods answer.
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../../../src/service/backends/job-engine.ts';
import { observe } from '../../../../src/service/backends/runs/run-plan.ts';
import type { AskJson, EngineJob, ObservedRun } from '../../../../src/service/engines/engine.ts';
import { answering, hostileValues, malformed, observedJobs, place } from '../../engines/hostile-answers.ts';

const silent: AskJson = () => Promise.reject(new Error('nobody is asked'));
const told = (seen: unknown) =>
  observe(
    {
      type: 'Java',
      program: () => ({ file: '', args: [], env: {} }),
      observe: async () => seen as ObservedRun,
    } satisfies EngineJob,
    place,
    silent,
  );

test('what a run waits for is shortened', async () => {
  const { message = '' } = await told({ waiting: `waiting for ${'x'.repeat(4_000_000)}` });
  expect(message).toMatch(/^waiting for x+\.\.\.$/);
  expect(message).toHaveLength(400);
  expect(await told({ waiting: 'waiting for a larger worker' })).toEqual({ message: 'waiting for a larger worker' });
  for (const waiting of [undefined, null, 3, ['x'], {}]) expect(await told({ waiting })).toEqual({ message: '' });
});

test('progress is a number from 0 to 1, or not known', async () => {
  const kept = async (progress: unknown) => (await told({ progress })).progress;
  for (const [progress, expected] of [
    [0.25, 0.25],
    [-1, 0],
    [7, 1],
  ])
    expect(await kept(progress)).toBe(expected);
  for (const progress of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', null, {}, undefined])
    expect(Object.keys(await told({ progress }))).toEqual(['message']);
});

describe.each(observedJobs)('of a $type job', (job) => {
  test('a little is kept of any answer', async () => {
    const answers = [
      ...hostileValues.flatMap((value) => ['WAITING', 'RUNNING'].map((state) => answering(value, state))),
      ...malformed.map((answer) => async () => answer),
    ];
    for (const ask of answers) {
      const { message = '', progress = 0 }: RunReport = await observe(job, place, ask).catch(() => ({}));
      expect(message.length).toBeLessThanOrEqual(400);
      expect(progress >= 0 && progress <= 1).toBe(true);
    }
  });
});
