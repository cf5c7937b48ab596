// The arguments of the plugin.
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readCommand } from '../../../src/cli/arguments/command-line.ts';
import { help } from '../../../src/cli/arguments/help.ts';
import { readers } from '../../../src/cli/arguments/readers.ts';
import { customKind } from '../../../src/cli/kind-names.ts';
import { visible, visibleParts } from '../../../src/cli/output/visible.ts';

const read = (...args: readonly string[]) => readCommand(args, '1.2.3');
const cluster = { kind: customKind('Cluster'), name: 'etl' };
const unsaid = { yes: false, hash: undefined, wait: true };
const nowhere = { kubeconfig: undefined, context: undefined, namespace: undefined, tokenFile: undefined };

describe('the command line', () => {
  const commands = [
    ['why', 'dpc/etl'],
    ['status'],
    ['plan'],
    ['approve', 'dpc/etl'],
    ['logs', 'one'],
    ['run', '-f', 'a'],
    ['orphans'],
    ['import'],
    ['doctor'],
  ];
  test.each(commands)('%s takes the empty value of an unset variable for a flag that was not given', (...command) => {
    const empty = ['-n', '', '--context', '', '--kubeconfig='];
    expect(read(...command, ...empty)).toEqual(read(...command));
    expect(read(...command, ...empty)).toMatchObject({ access: nowhere });
  });

  test.each([
    ['why', 'dpc/etl', '--operator-namespace=', '-o', ''],
    ['doctor', '--operator-namespace', '', '--output='],
    ['import', '-o', ''],
  ])('%s has its defaults for other flags with an empty value', (command, ...rest) => {
    const unset = (word: string) => word === '' || word.startsWith('-');
    expect(read(command, ...rest)).toEqual(read(command, ...rest.filter((word) => !unset(word))));
  });

  test.each([
    [
      ['logs', 'one'],
      { command: 'logs', execution: 'one', follow: false, tail: undefined, hideInfo: false, access: nowhere },
    ],
    [
      ['logs', '-f', 'dpje/one', '--tail', '5', '-n', 'team'],
      {
        command: 'logs',
        execution: 'one',
        follow: true,
        tail: 5,
        hideInfo: false,
        access: { ...nowhere, namespace: 'team' },
      },
    ],
    [['run', '-f', 'a', '--filename=-'], { command: 'run', files: ['a', '-'], hideInfo: false, access: nowhere }],
    [['run', '-f', 'a', '--hide-info'], { command: 'run', files: ['a'], hideInfo: true, access: nowhere }],
    [
      ['why', 'dpc/etl', '--operator-namespace', 'system'],
      { command: 'why', object: cluster, format: 'text', operatorNamespace: 'system', access: nowhere },
    ],
    [
      ['why', 'Clusters.dataprocessing.dev', 'etl', '-o', 'json'],
      { command: 'why', object: cluster, format: 'json', operatorNamespace: undefined, access: nowhere },
    ],
    [['status', '-A'], { command: 'status', format: 'text', allNamespaces: true, access: nowhere }],
    [
      ['plan'],
      { command: 'plan', object: undefined, files: [], allNamespaces: false, format: 'text', access: nowhere },
    ],
    [
      ['plan', 'dpc/etl'],
      { command: 'plan', object: cluster, files: [], allNamespaces: false, format: 'text', access: nowhere },
    ],
    [
      ['plan', '-f', 'a', '-f', '-', '--token-file', 'x'],
      {
        command: 'plan',
        object: undefined,
        files: ['a', '-'],
        allNamespaces: false,
        format: 'text',
        access: { ...nowhere, tokenFile: 'x' },
      },
    ],
    [
      ['approve', 'dpc', 'etl'],
      { command: 'approve', object: cluster, ...unsaid, timeoutMs: 600_000, format: 'text', access: nowhere },
    ],
    [
      ['approve', 'dpc/etl', '-y', '--hash=ab', '--no-wait', '--timeout', '90s', '-o', 'yaml'],
      {
        command: 'approve',
        object: cluster,
        yes: true,
        hash: 'ab',
        wait: false,
        timeoutMs: 90_000,
        format: 'yaml',
        access: nowhere,
      },
    ],
    [
      ['orphans', '-c', 'far', '--token-file', 'x'],
      {
        command: 'orphans',
        connection: { kind: 'Connection', name: 'far' },
        format: 'text',
        access: { ...nowhere, tokenFile: 'x' },
      },
    ],
    [
      ['orphans', '-c', 'dpshared/platform'],
      {
        command: 'orphans',
        connection: { kind: 'SharedConnection', name: 'platform' },
        format: 'text',
        access: nowhere,
      },
    ],
    [
      ['import', 'a', '--all', 'b'],
      {
        command: 'import',
        connection: { kind: 'Connection', name: 'default' },
        format: 'yaml',
        all: true,
        only: ['a', 'b'],
        access: nowhere,
      },
    ],
    [['doctor'], { command: 'doctor', format: 'text', operatorNamespace: undefined, access: nowhere }],
    [['version'], { command: 'print', text: '1.2.3\n' }],
  ])('%j', (args, command) => {
    expect(read(...args)).toEqual(command);
  });

  test.each([[[]], [['--help']], [['completion', 'bash']]])('%j prints', (args) => {
    expect(read(...args)).toMatchObject({ command: 'print', text: expect.stringMatching(/\n$/) });
  });

  test.each(Object.keys(readers))('%s explains itself, in lines that fit', (command) => {
    const printed = read(command, '--help');
    const text = printed.command === 'print' ? printed.text : '';
    expect(text).toMatch(new RegExp(`^Usage: kubectl dataprocessing ${command}`));
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(help).toContain(`\n  ${command} `);
  });

  test.each([
    [
      ['log'],
      'there is no command "log": use why, status, plan, approve, logs, run, orphans, import, doctor, completion or version',
    ],
    [['why'], 'give one object, such as cluster/etl'],
    [['why', 'cluster/a', 'b'], 'give one object, such as cluster/etl'],
    [['why', 'clustr/a'], 'there is no kind "clustr": did you mean cluster?'],
    [['orphans', '-c', 'cluster/etl'], 'a Cluster leads to no service: give a Connection, or sharedconnection/NAME'],
    [['why', 'pod/a'], 'there is no kind "pod": use one of connection, sharedconnection, '],
    [['status', '-o', 'xml'], '-o must be json or yaml, and not "xml"'],
    [['import', '-o', 'text'], 'import prints yaml or json'],
    [['status', 'team'], "Unexpected argument 'team'"],
    [['plan', 'dpc/etl', '-A'], 'give an object or --all-namespaces, and not both'],
    [['plan', 'dpc/etl', '-f', 'x'], 'give files or an object'],
    [['plan', '-A', '-f', 'x'], 'give files or an object'],
    [['approve'], 'give one object, such as cluster/etl'],
    [['approve', 'dpc/etl', '--hash='], '--hash must be that of a plan'],
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

  test.each(['5', '0m', '25h', '1d', ''])('%j is no time to wait', (time) => {
    expect(() => read('approve', 'dpc/etl', `--timeout=${time}`)).toThrow('--timeout must be a time of up to 24 hours');
  });
});

describe('what reaches a terminal', () => {
  const shown = async (...parts: readonly Uint8Array[]) => {
    const all: Uint8Array[] = [];
    for await (const part of visibleParts(Readable.from(parts))) all.push(part);
    return Buffer.concat(all).toString();
  };

  test('has no control characters but tabs and ends of lines', async () => {
    expect(await shown(Buffer.from('a\u001b[31mb\tc\r\nd\u007f\u009b1m'))).toBe('a?[31mb\tc\r\nd??1m');
    expect(await shown(Buffer.from('\u202egpj.exe\u2066'))).toBe('?gpj.exe?');
    expect(visible('no\u001b]0;x\u0007')).toBe('no?]0;x?');
  });

  test('is decoded across the parts in which it arrives', async () => {
    const text = Buffer.from('\ufeffé€😀\u009b');
    expect(await shown(...Array.from(text, (byte) => Uint8Array.of(byte)))).toBe('\ufeffé€😀?');
    expect(await shown(Uint8Array.of(0x9b, 0x41, 0xc3))).toBe('\ufffdA\ufffd');
  });
});
