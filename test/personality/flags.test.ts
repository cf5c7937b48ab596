// The flags of faults: what they mean, what is refused, and what is left to the program of the service.
import { describe, expect, test } from 'vitest';
import { faultFlags, readFaults } from '../../dev/personality/flags.ts';
import type { Personality } from '../../dev/personality/personality.ts';
import { parsePersonality } from '../../dev/personality/personality-text.ts';
import { parseFlags } from '../../src/service/program/flags/flags.ts';
import { dialects } from '../../src/wire/dialect.ts';

const parse = (args: readonly string[]) => readFaults(parseFlags(args, faultFlags), 'neutral');

describe('flags of faults', () => {
  test('without any fault there is no personality and no control', () => {
    const { faults, control, personality } = parse([]);
    expect([faults, control, personality]).toEqual([{}, undefined, undefined]);
  });

  test('the control port is local unless told otherwise', () => {
    expect(parse(['--control-port', '0']).control).toEqual({ port: 0, host: '127.0.0.1' });
    const flags = ['--control-port', '7', '--control-host', '::1', '--control-token-file', 'f'];
    expect(parse(flags).control).toEqual({ port: 7, host: '::1', tokenFile: 'f' });
  });

  test.each<readonly [string, Personality]>([
    ['--error-rate 0.1', { faults: [{ name: '--error-rate', rate: 0.1, answer: { is: 'refusal', status: 500 } }] }],
    [
      '--throttle-rate 1',
      { faults: [{ name: '--throttle-rate', rate: 1, answer: { is: 'refusal', status: 429, retryAfter: 1 } }] },
    ],
    ['--lost-answer-rate 0', { faults: [{ name: '--lost-answer-rate', rate: 0, answer: { is: 'cut' } }] }],
    [
      '--stuck Waiting --stuck Deleting',
      {
        clusters: [
          { name: '--stuck Waiting', status: 'Waiting', does: 'stuck' },
          { name: '--stuck Deleting', status: 'Deleting', does: 'stuck' },
        ],
      },
    ],
    [
      '--stuck RUNNING --stuck Waiting --execution-end fail --execution-end a=b=done-with-error',
      {
        clusters: [{ name: '--stuck Waiting', status: 'Waiting', does: 'stuck' }],
        executions: [
          { name: '--stuck RUNNING', status: 'RUNNING', does: 'stuck' },
          { name: '--execution-end a=b=done-with-error', status: 'RUNNING', does: 'done-with-error', job: 'a=b' },
          { name: '--execution-end fail', status: 'RUNNING', does: 'fail' },
        ],
      },
    ],
    [
      '--failing-scales 2',
      {
        clusters: [{ name: '--failing-scales', status: 'Validating', operation: 'scale', does: 'fail', times: 2 }],
      },
    ],
    ['--name-freed early', { names: { freed: 'early' } }],
    ['--name-freed 500', { names: { freed: 'late', ms: 500 } }],
    ['--list-lag-ms 7 --token-lifetime-ms 9', { listLagMs: 7, tokenLifetimeMs: 9 }],
  ])('%s is the personality %j', (words, personality) => {
    const { faults } = parse(words.split(' '));
    expect(faults).toEqual(personality);
    for (const dialect of dialects) expect(parsePersonality(dialect, JSON.stringify(faults))).toEqual(personality);
  });

  test.each([
    [['--control-port', 'x'], '--control-port: must be a whole number from 0 to 65535, not "x"'],
    [['--error-rate', '1.5'], '--error-rate: must be a number from 0 to 1, not "1.5"'],
    [['--lost-answer-rate', 'x'], '--lost-answer-rate: must be'],
    [['--stuck', 'Wating'], '--stuck has no status Wating; there are Waiting, '],
    [['--stuck', 'Wating'], ', PENDING, PREP, RUNNING, TOBEKILLED'],
    [['--execution-end', 'succeed'], '--execution-end: must be fail, done-with-error or stuck'],
    [['--name-freed', 'never'], '--name-freed: must be early or a number of ms'],
    [['--stuck'], '--stuck needs a value'],
    [['--stuck', '--port', '0'], '--stuck needs a value'],
  ])('%j is refused', (args, text) => {
    expect(() => parse(args)).toThrow('cannot read flags: ');
    expect(() => parse(args)).toThrow(text);
  });

  test('are given among those of the service, which does not have them itself', () => {
    const args = ['--port', '0', '--stuck', 'Waiting', '--seed', '9', '--error-rate=1'];
    const flags = parseFlags(args, faultFlags);
    expect(flags).toMatchObject({ port: 0, seed: 9, stuck: ['Waiting'], 'error-rate': 1 });
    expect(() => parseFlags(args)).toThrow('there is no option --stuck: --help tells those there are; there is no');
  });
});
