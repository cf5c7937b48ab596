// The flags of faults: what they mean, what is refused, and what is left to the program of the service.
import { describe, expect, test } from 'vitest';
import { faultHelp, parseFaultFlags, splitFlags } from '../../dev/personality/flags.ts';
import type { Personality } from '../../dev/personality/personality.ts';
import { parsePersonality } from '../../dev/personality/personality-text.ts';
import { dialects } from '../../src/wire/dialect.ts';

const parse = (args: readonly string[]) => parseFaultFlags(splitFlags(args).own, 'neutral');

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
    [['--control-port', 'x'], '--control-port is not a whole number'],
    [['--error-rate', '1.5'], '--error-rate is not a number from 0 to 1'],
    [['--lost-answer-rate', 'x'], '--lost-answer-rate is not'],
    [['--stuck', 'Wating'], '--stuck has no status Wating; there are Waiting, '],
    [['--stuck', 'Wating'], ', PENDING, PREP, RUNNING, TOBEKILLED'],
    [['--execution-end', 'succeed'], '--execution-end is neither fail, done-with-error or stuck'],
    [['--name-freed', 'never'], '--name-freed is neither early nor a whole number'],
    [['--stuck'], "'--stuck <value>' argument missing"],
    [['--stuck', '--port', '0'], "'--stuck' argument is ambiguous"],
  ])('%j is refused', (args, text) => {
    expect(() => parse(args)).toThrow('cannot read flags: ');
    expect(() => parse(args)).toThrow(text);
  });

  test.each([
    ['--port 0 --stuck Waiting --seed 9', '--port 0 --seed 9'],
    ['--stuck=Waiting --error-rate 1 --port=0 --identity', '--port=0 --identity'],
    ['clean --machines m -h', 'clean --machines m -h'],
    ['--control-port 0', ''],
    ['--sutck Waiting', '--sutck Waiting'],
  ])('%s leaves %s to the service', (words, rest) => {
    expect(splitFlags(words.split(' ')).rest.join(' ')).toBe(rest);
  });

  test('the help has a line for each of them', () => {
    const told = [...faultHelp.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    expect(told.toSorted()).toEqual([
      'control-host',
      'control-port',
      'control-token-file',
      'error-rate',
      'execution-end',
      'failing-scales',
      'list-lag-ms',
      'lost-answer-rate',
      'name-freed',
      'personality',
      'stuck',
      'throttle-rate',
      'token-lifetime-ms',
    ]);
    for (const line of faultHelp.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});
