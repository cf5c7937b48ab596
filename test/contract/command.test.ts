// The command that points the suite at another service: what it tells of a good one, and of wrong flags.
import { describe, expect, test } from 'vitest';
import { good } from './command/verdicts.ts';
import { readOrder } from './foreign/command/flags.ts';

describe('npm run contract, neutral', () => {
  good('neutral');
});

describe('flags', () => {
  test.each([
    [['--endpoint', 'ftp://host'], '--endpoint must be an http or https address without query and fragment'],
    [['--endpoint', 'http://h?x'], '--endpoint must be an http or https address without query and fragment'],
    [['--endpoint', 'http://h', '--dialect', 'klingon'], '--dialect must be one of neutral, sahara, savanna'],
    [['--endpoint', 'http://h', '--timeout-s', 'x'], '--timeout-s must be a positive number'],
    [['--endpoint', 'http://h', '--ours', 'perhaps'], '--ours must be yes or no'],
    [['--endpoint', 'http://h', '--max-clusters', 'many'], '--max-clusters must be a whole number'],
    [['--endpoint', 'http://h', '--worker-processes', 'a,,b'], '--worker-processes has an empty name'],
    [['--endpoint', 'http://h', '--clean-up', '../x'], '--clean-up must be the mark of a run'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('%j: told what is wrong', (flags, problem) => {
    expect(() => readOrder(flags)).toThrow(problem);
  });

  test('help needs nothing else', () => {
    expect(readOrder(['--help'])).toBeUndefined();
  });
});
