// What the Tab key offers: by the rules, in a real bash, and as kubectl asks for it.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessOf, type Shell, shells } from '../../../src/cli/arguments/cli-flags.ts';
import { offerAt } from '../../../src/cli/arguments/completion.ts';
import { completionOf } from '../../../src/cli/arguments/completion-scripts.ts';
import { readers } from '../../../src/cli/arguments/readers.ts';
import { customKind } from '../../../src/cli/kind-names.ts';
import { runCommand } from '../../support/command.ts';

const common = ['--kubeconfig', '--context', '--namespace', '--help'];
const ofRuns = [...common, '--token-file', '--hide-info'];
const flagsOfLogs = [...ofRuns, '--follow', '--tail'];
const flagsOfRun = [...ofRuns, '--filename'];
const commands = [...Object.keys(readers), 'version', 'help'];

test.each<[string, readonly string[]]>([
  ['', commands],
  ['r', ['run']],
  ['completion ', shells],
  ['completion bash ', []],
  ['version ', []],
  ['lgos ', []],
  ['run ', flagsOfRun],
  ['run -f a --f', ['--filename']],
  ['logs --f', ['--follow']],
  ['logs one ', flagsOfLogs],
  ['logs -n ', []],
  ['why cl', ['clustertemplate', 'cluster']],
  ['why cluster etl ', [...common, '--output', '--operator-namespace']],
  ['why dpc/etl --o', ['--output', '--operator-namespace']],
  ['approve dpc/etl --h', ['--help', '--hash']],
  ['status -o ', ['json', 'yaml']],
  ['logs one --tail ', []],
])('%j completes to words', (line, words) => {
  expect(offerAt(line.split(' '))).toEqual({ offer: 'words', words });
});

test.each([
  'run -f ',
  'run --filename a',
  'run --filename = a',
  'run --filename =',
  'plan -f ',
  'logs one --token-file ',
  'logs --kubeconfig ',
])('%j completes to files', (line) => {
  expect(offerAt(line.split(' '))).toEqual({ offer: 'files' });
});

test.each([
  ['logs wo', {}, 'wo'],
  ['logs -f ', {}, ''],
  ['logs -n team --context=far ', { namespace: 'team', context: 'far' }, ''],
])('%j completes to JobExecutions', (line, access, begin) => {
  const kind = customKind('JobExecution');
  expect(offerAt(line.split(' '))).toEqual({ offer: 'names', kind, access: accessOf(access), after: '', begin });
});

test.each([
  ['why cluster ', 'Cluster', '', ''],
  ['why -n team dpc/et', 'Cluster', 'dpc/', 'et'],
  ['approve dpc/et', 'Cluster', 'dpc/', 'et'],
  ['plan dpjob ', 'Job', '', ''],
  ['orphans --connection fa', 'Connection', '', 'fa'],
])('%j completes to objects of the kind', (line, kind, after, begin) => {
  expect(offerAt(line.split(' '))).toMatchObject({ offer: 'names', kind: customKind(kind), after, begin });
});

describe('the script', () => {
  let folder: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  /** There is no cluster to ask for names. */
  const run = (command: string, ...args: readonly string[]) => {
    const path = `${folder}${delimiter}${process.env['PATH']}`;
    return runCommand(command, args, { PATH: path, KUBECONFIG: join(folder, 'none') }).ended;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'completion-'));
    file('kubectl-dataprocessing', `#!/bin/sh\nexec '${process.execPath}' src/cli/main.ts "$@"\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['"ru"', 'run'],
    ['completion ""', 'bash zsh fish kubectl'],
    ['run ""', flagsOfRun.join(' ')],
    ['run --filename = --x', ''],
    ['run -f ""', ''],
    ['logs one --t', '--token-file --tail'],
    ['logs ""', ''],
  ])('works in bash for %s', async (words, offered) => {
    const script = file('script', completionOf('bash'));
    const line = `COMP_WORDS=(kubectl-dataprocessing ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`;
    const ask = `. ${script}; complete -p kubectl-dataprocessing; ${line}; _kubectl_dataprocessing; echo "\${COMPREPLY[*]}"`;
    const { code, output, errors } = await run('bash', '-euc', ask);
    const registered = 'complete -o default -F _kubectl_dataprocessing kubectl-dataprocessing';
    expect([code, output, errors]).toEqual([0, `${registered}\n${offered}\n`, '']);
  });

  test.each([
    [['logs', 'one', '--ta'], '--tail\n:4\n'],
    [['run', '-f', ''], ':0\n'],
    [['logs', ''], ':4\n'],
  ])('answers kubectl, asked for %j', async (words, answer) => {
    const { code, output, errors } = await run(
      file('kubectl_complete-dataprocessing', completionOf('kubectl')),
      ...words,
    );
    expect([code, output, errors]).toEqual([0, answer, '']);
  });

  test.for<Shell>(['bash', 'zsh', 'fish'])('is valid for %s', async (shell, { skip }) => {
    if ((await run('sh', '-c', `command -v ${shell}`)).code !== 0) skip(`${shell} is not installed`);
    expect(await run(shell, '-n', file('script', completionOf(shell)))).toMatchObject({ code: 0, errors: '' });
  });
});
