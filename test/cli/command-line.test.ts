// The arguments of the plugin.
import { describe, expect, test } from 'vitest';
import { readCommand } from '../../src/cli/command-line.ts';
import { visible } from '../../src/cli/logs.ts';

const read = (...args: readonly string[]) => readCommand(args, '1.2.3');
const nowhere = { kubeconfig: undefined, context: undefined, namespace: undefined, tokenFile: undefined };

describe('the command line', () => {
  test.each([
    [['logs', 'one'], { command: 'logs', execution: 'one', follow: false, tail: undefined, access: nowhere }],
    [
      ['logs', '-f', 'dpje/one', '--tail', '5', '-n', 'team'],
      { command: 'logs', execution: 'one', follow: true, tail: 5, access: { ...nowhere, namespace: 'team' } },
    ],
    [['run', '-f', 'a', '--filename=-'], { command: 'run', files: ['a', '-'], access: nowhere }],
    [['version'], { command: 'print', text: '1.2.3\n' }],
  ])('%j', (args, command) => {
    expect(read(...args)).toEqual(command);
  });

  test.each([[[]], [['--help']], [['logs', '--help']], [['run', '-h']], [['completion', 'bash']]])(
    '%j prints',
    (args) => {
      expect(read(...args)).toMatchObject({ command: 'print', text: expect.stringMatching(/\n$/) });
    },
  );

  test.each([
    [['log'], 'there is no command "log": use logs, run, version or completion'],
    [['logs'], 'give the name of one JobExecution to logs'],
    [['logs', 'a', 'b'], 'give the name of one JobExecution to logs'],
    [['logs', 'a', '--tail', 'x'], '--tail must be a number of lines from 0 to 1000000'],
    [['logs', 'a', '--since', '1h'], "Unknown option '--since': see kubectl dataprocessing --help"],
    [['run'], 'give a file with a JobExecution to run: -f FILE'],
    [['run', 'file'], 'run takes no argument "file": use -f FILE'],
    [['completion', 'csh'], 'give a shell to completion: bash, zsh, fish, kubectl'],
  ])('%j is refused', (args, why) => {
    expect(() => read(...args)).toThrow(why);
  });
});

test('what reaches a terminal has no control characters but tabs and ends of lines', () => {
  const shown = Buffer.from(visible(Buffer.from('a\u001b[31mb\tc\r\nd\u007f'))).toString();
  expect(shown).toBe('a?[31mb\tc\r\nd?');
});
