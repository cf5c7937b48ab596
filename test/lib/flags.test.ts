// The flags of a program as one table: what is read, what is refused, and what the help says.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { flagsHelp, flagsWith, helpFlag, integer, oneOf, readFlags } from '../../src/lib/flags.ts';

const count = z.string().regex(/^\d+$/, { error: 'must be a number' }).transform(Number);
const table = {
  count: { schema: count, value: 'N', default: '3', help: 'how many' },
  name: { value: 'NAME', help: 'whose' },
  quick: { help: `without a pause, ${'and '.repeat(30)}at once` },
  ...helpFlag,
} as const;

describe('what is read', () => {
  test.each<readonly [string, readonly string[], Readonly<Record<string, string>>, object]>([
    ['the defaults', [], {}, { count: 3, quick: false, help: false }],
    ['a value beside its flag, or behind a sign', ['--count', '5', '--name=a'], {}, { count: 5, name: 'a' }],
    ['a flag without a value', ['--quick', '-h'], {}, { quick: true, help: true }],
    ['the last of two', ['--count', '5', '--count', '6'], {}, { count: 6 }],
    ['others, before the defaults', [], { count: '7' }, { count: 7 }],
    ['arguments, before others', ['--count', '5'], { count: '7' }, { count: 5 }],
    ['a value that begins with a hyphen', ['--name', '-x'], {}, { name: '-x' }],
  ])('%s', (_name, args, others, expected) => {
    expect(readFlags(table, args, { others })).toMatchObject({ values: expected, words: [], problems: [] });
  });
});

describe('what is refused', () => {
  test.each<readonly [string, readonly string[]]>([
    ['--count few', ['--count: must be a number']],
    ['--count', ['--count needs a value']],
    ['--count --quick', ['--count needs a value']],
    ['--quick=yes', ['--quick takes no value']],
    ['--quik', ['there is no option --quik: --help tells those there are']],
    ['--constructor', ['there is no option --constructor: --help tells those there are']],
    ['word', ['there is no argument "word"']],
    ['word --name --count x', ['there is no argument "word"', '--name needs a value', 'there is no argument "x"']],
    ['--quik --count few', ['there is no option --quik: --help tells those there are', '--count: must be a number']],
  ])('%s', (words, problems) => {
    expect(readFlags(table, words.split(' '))).toEqual({ words: [], problems });
  });
});

describe('flags that need another', () => {
  const needing = {
    kind: { schema: oneOf(['real', 'simulated']), value: 'KIND', default: 'simulated', help: 'which kind' },
    pages: { value: 'WORD', repeatable: true, default: 'one', help: 'which pages' },
    ...flagsWith(
      { flag: 'kind', values: ['real'] },
      { size: { schema: integer(1, 9), value: 'N', help: 'how large' } },
    ),
    port: { value: 'N', default: '80', needs: { flag: 'pages', values: ['two', 'three'] }, help: 'where' },
    fake: { needs: { flag: 'kind', values: ['simulated'], remedy: 'leave it out' }, help: 'without effect' },
  } as const;

  test.each<readonly [string, object]>([
    ['', { kind: 'simulated', pages: ['one'], port: '80', fake: false }],
    ['--kind real --size 9', { size: 9 }],
    ['--pages one --pages two --pages=one --port 81', { pages: ['two', 'one'], port: '81' }],
    ['--fake', { fake: true }],
  ])('are read with it: %s', (words, values) => {
    expect(readFlags(needing, words.split(' ').filter(Boolean))).toMatchObject({ values, problems: [] });
  });

  test.each<readonly [string, readonly string[]]>([
    ['--size 9', ['--size needs --kind real']],
    ['--port 80', ['--port needs --pages two or three']],
    ['--fake --kind real', ['--fake needs --kind simulated: leave it out']],
    ['--size 10 --kind real', ['--size: must be a whole number from 1 to 9, not "10"']],
    ['--kind odd', ['--kind: must be one of real, simulated']],
    ['--pages=', ['--pages: must not be empty']],
  ])('are refused without it: %s', (words, problems) => {
    expect(readFlags(needing, words.split(' '))).toEqual({ words: [], problems });
  });

  test('need nothing where the other one is no flag', () => {
    expect(readFlags({ size: needing.size }, ['--size', '9'])).toMatchObject({ values: { size: 9 } });
  });

  test('can be repeated, as the help says', () => {
    expect(flagsHelp(needing)).toContain('  --pages WORD  which pages. Can be repeated (default one)\n');
  });
});

test('words beside the flags are read where they are taken', () => {
  const args = ['one', '--count', '5', 'two', '--', '--three'];
  expect(readFlags(table, args, { takesWords: true })).toMatchObject({
    values: { count: 5 },
    words: ['one', 'two', '--three'],
  });
  expect(readFlags(table, args).problems).toHaveLength(3);
});

test('the help has each flag with its default, and its lines are at most 120 columns wide', () => {
  const lines = flagsHelp(table).split('\n');
  expect(lines.slice(0, 2)).toEqual(['  --count N    how many (default 3)', '  --name NAME  whose']);
  expect(lines[2]).toMatch(/^ {2}--quick {6}without a pause, and /);
  expect(lines[3]).toMatch(/^ {15}and .*at once$/);
  expect(lines.slice(4)).toEqual(['  --help       print this text', '']);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
});
