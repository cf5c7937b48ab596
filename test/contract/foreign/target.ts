// The service that `npm run contract` was given; without it every test has a bundled one of its own.
import { inject, TestRunner } from 'vitest';
import type { Spoken, Target } from './command/description.ts';

export type { Spoken, Target } from './command/description.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly contract: Target | undefined;
  }
  interface TaskMeta {
    /** The last requests of the test, each with its answer. */
    answers?: readonly string[];
  }
}

export const target: Target | undefined = inject('contract');

/** The dialect of the service that `serve()` gives; the words of the tests are neutral all the same. */
export const spoken: Spoken = target?.dialect ?? 'neutral';

/** Whether wording, order and choices of the bundled service are judged. */
export const ours: boolean = target?.ours ?? true;

/** Ends the test that runs: it is not applicable, and the report says why. */
export function cannotTry(why: string): never {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error(`cannot leave out what is no test: ${why}`);
  return test.context.skip(why);
}

/** For what the dialects do differently and the test has literals of only some. */
export function onlyIn(...written: readonly Spoken[]): void {
  if (!written.includes(spoken)) cannotTry(`it is written for ${written.join(' and ')}`);
}
