// What engines make of hostile answers, and what they hold of them while they wait for the next one.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { AskJson } from '../../../src/service/engines/engine.ts';
import { answering, hostileValues, observedJobs, place } from './hostile-answers.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** What nobody can resolve any more would be collected with whoever waits for it. */
const silence = Promise.withResolvers<never>();

describe.each(observedJobs)('a $type job', (job) => {
  test.each(['WAITING', 'RUNNING'])('takes numbers only from answers that say %s', async (state) => {
    for (const value of hostileValues) {
      const seen = await job.observe?.(place, answering(value, state));
      if (seen?.progress !== undefined) expect(seen.progress).not.toBeNaN();
      expect(typeof seen?.progress).toMatch(/^(number|undefined)$/);
      expect(seen?.waiting ?? '').not.toMatch(/xx|NaN|Infinity|object/);
    }
  });

  /** Answers so many questions, and then no more. Returns the answers as far as something holds them. */
  async function heldOf(asking: (ask: AskJson) => Promise<unknown> | undefined, answered: number) {
    const held: WeakRef<object>[] = [];
    let questions = 0;
    const ask: AskJson = (url, put) => {
      questions += 1;
      if (questions > answered) return silence.promise;
      return answering(1, 'RUNNING')(url, put).then((answer) => {
        held.push(
          ...[answer, ...Object.values(answer as object)]
            .filter((each) => typeof each === 'object')
            .map((each) => new WeakRef(each as object)),
        );
        return answer;
      });
    };
    void asking(ask)?.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    gc();
    expect(silence).toBeDefined();
    return { questions, held: held.filter((each) => each.deref() !== undefined).length };
  }

  test.each([1, 2, 3])('holds nothing of %i answers while it waits for the next one', async (answered) => {
    const { questions, held } = await heldOf((ask) => job.observe?.(place, ask), answered);
    expect(questions).toBeLessThanOrEqual(answered + 1);
    expect(held).toBe(0);
  });

  test('holds nothing of an answer while it is canceled', async () => {
    expect((await heldOf((ask) => job.cancel?.(place, ask), 1)).held).toBe(0);
  });
});

test('an identifier of an application that leads to another place is none', async () => {
  const asked: string[] = [];
  const ask: AskJson = async (url) => {
    asked.push(url);
    return [{ id: '../../metrics?x=' }];
  };
  const spark = observedJobs.find(({ type }) => type === 'Spark');
  expect(await spark?.observe?.(place, ask)).toEqual({});
  expect(asked).toHaveLength(1);
});
