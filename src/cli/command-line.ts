// What kubectl passes to the plugin: its commands, their flags and their help. PURE.
import { parseArgs } from 'node:util';
import {
  type Access,
  type AccessFlags,
  accessOf,
  type LogWish,
  logsFlags,
  type RunWish,
  runFlags,
  type Shell,
  shells,
} from './cli-flags.ts';
import { askCommand, completionOf, type Offer, offerAt } from './completion.ts';
import { help, logsHelp, runHelp } from './help.ts';

export type Command =
  | { readonly command: 'print'; readonly text: string }
  | { readonly command: 'complete'; readonly offer: Offer }
  | ({ readonly command: 'logs'; readonly access: Access } & LogWish)
  | ({ readonly command: 'run'; readonly access: Access } & RunWish);

/** The message is one line that names the argument and the remedy. */
export class UsageError extends Error {}

/** Throws UsageError. `version`: of this program. */
export function readCommand([command, ...rest]: readonly string[], version: string): Command {
  switch (command) {
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return { command: 'print', text: help };
    case 'version':
    case '--version':
      return { command: 'print', text: `${version}\n` };
    case 'completion':
      return { command: 'print', text: completionOf(shellIn(rest)) };
    case askCommand:
      return { command: 'complete', offer: offerAt(rest) };
    case 'logs':
      return readLogs(rest);
    case 'run':
      return readRun(rest);
    default:
      throw new UsageError(`there is no command ${JSON.stringify(command)}: use logs, run, version or completion`);
  }
}

function shellIn([name]: readonly string[]): Shell {
  const shell = shells.find((one) => one === name);
  if (shell === undefined) throw new UsageError(`give a shell to completion: ${shells.join(', ')}`);
  return shell;
}

function readLogs(args: readonly string[]): Command {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: logsFlags, allowPositionals: true }),
  );
  if (values.help) return { command: 'print', text: logsHelp };
  const [execution = '', ...others] = positionals;
  if (execution === '' || others.length > 0) throw new UsageError('give the name of one JobExecution to logs');
  const tail = values.tail === undefined ? undefined : Number(values.tail);
  if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0 && tail <= 1_000_000))
    throw new UsageError('--tail must be a number of lines from 0 to 1000000');
  const name = execution.replace(/^(jobexecutions?|dpje)(\.dataprocessing\.dev)?\//, '');
  return { command: 'logs', execution: name, follow: values.follow, tail, ...commonOf(values) };
}

function readRun(args: readonly string[]): Command {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: runFlags, allowPositionals: true }),
  );
  if (values.help) return { command: 'print', text: runHelp };
  if (positionals.length > 0)
    throw new UsageError(`run takes no argument ${JSON.stringify(positionals[0])}: use -f FILE`);
  if (values.filename.length === 0) throw new UsageError('give a file with a JobExecution to run: -f FILE');
  return { command: 'run', files: values.filename, ...commonOf(values) };
}

function commonOf(values: AccessFlags & { readonly 'hide-info': boolean }) {
  return {
    hideInfo: values['hide-info'],
    access: accessOf(values),
  };
}

/** Only the first sentence of the error: parseArgs explains at length how to pass arguments that begin with a hyphen. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${first}: see kubectl dataprocessing --help`);
  }
}
