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

describe.each(observedJobs)('of a $type job', (job) => {
  test('a little is kept of any answer', async () => {
    const answers = [
      ...hostileValues.flatMap((value) => ['WAITING', 'RUNNING'].map((state) => answering(value, state))),
      ...malformed.map((answer) => async () => answer),
    ];
    for (const ask of answers) {
      const { message = '' }: RunReport = await observe(job, place, ask).catch(() => ({}));
      expect(message.length).toBeLessThanOrEqual(400);
    }
  });
});
