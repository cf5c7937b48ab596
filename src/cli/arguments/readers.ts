// Reads the flags and arguments of each command. PURE.
import { parseArgs } from 'node:util';
import { objectNamed } from '../kind-names.ts';
import type { ConnectionName } from '../observed.ts';
import {
  accessOf,
  doctorFlags,
  givenOf,
  importFlags,
  logsFlags,
  orphansFlags,
  runFlags,
  type Shell,
  shells,
  statusFlags,
  whyFlags,
} from './cli-flags.ts';
import type { Command } from './commands.ts';
import { completionOf } from './completion-scripts.ts';
import { formatOf, parsed } from './parsing.ts';
import { readApprove, readPlan } from './plan-readers.ts';
import { UsageError } from './usage-error.ts';

/** Undefined: print the help of the command. */
type Reader = (args: readonly string[]) => Command | undefined;

/** In the order of the help. */
export const readers: Readonly<Record<string, Reader>> = {
  why: readWhy,
  status: readStatus,
  plan: readPlan,
  approve: readApprove,
  logs: readLogs,
  run: readRun,
  orphans: readOrphans,
  import: readImport,
  doctor: readDoctor,
  completion: readCompletion,
};

function readWhy(args: readonly string[]): Command | undefined {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: whyFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  const object = objectNamed(positionals);
  if (typeof object === 'string') throw new UsageError(object);
  const operatorNamespace = givenOf(values['operator-namespace']);
  return { command: 'why', object, format: formatOf(values), operatorNamespace, access: accessOf(values) };
}

function readStatus(args: readonly string[]): Command | undefined {
  const { values } = parsed(() => parseArgs({ args: [...args], options: statusFlags }));
  if (values.help) return undefined;
  const allNamespaces = values['all-namespaces'];
  return { command: 'status', format: formatOf(values), allNamespaces, access: accessOf(values) };
}

function readLogs(args: readonly string[]): Command | undefined {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: logsFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  const [execution = '', ...others] = positionals;
  if (execution === '' || others.length > 0) throw new UsageError('give the name of one JobExecution to logs');
  const tail = values.tail === undefined ? undefined : Number(values.tail);
  if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0 && tail <= 1_000_000))
    throw new UsageError('--tail must be a number of lines from 0 to 1000000');
  const name = execution.replace(/^(jobexecutions?|dpje)(\.dataprocessing\.dev)?\//, '');
  const { follow, 'hide-info': hideInfo } = values;
  return { command: 'logs', execution: name, follow, tail, hideInfo, access: accessOf(values) };
}

function readRun(args: readonly string[]): Command | undefined {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: runFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  if (positionals.length > 0)
    throw new UsageError(`run takes no argument ${JSON.stringify(positionals[0])}: use -f FILE`);
  if (values.filename.length === 0) throw new UsageError('give a file with a JobExecution to run: -f FILE');
  return { command: 'run', files: values.filename, hideInfo: values['hide-info'], access: accessOf(values) };
}

function readOrphans(args: readonly string[]): Command | undefined {
  const { values } = parsed(() => parseArgs({ args: [...args], options: orphansFlags }));
  if (values.help) return undefined;
  return {
    command: 'orphans',
    format: formatOf(values),
    connection: connectionNamed(values.connection),
    access: accessOf(values),
  };
}

/** `NAME`, or `sharedconnection/NAME` with any name that kubectl accepts for the kind. */
function connectionNamed(text: string): ConnectionName {
  if (!text.includes('/')) return { kind: 'Connection', name: text };
  const named = objectNamed([text]);
  if (typeof named === 'string') throw new UsageError(named);
  const { kind, name } = named;
  if (kind.kind === 'Connection' || kind.kind === 'SharedConnection') return { kind: kind.kind, name };
  throw new UsageError(`a ${kind.kind} leads to no service: give a Connection, or sharedconnection/NAME`);
}

function readImport(args: readonly string[]): Command | undefined {
  const { values, positionals: only } = parsed(() =>
    parseArgs({ args: [...args], options: importFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  const format = formatOf({ output: givenOf(values.output) ?? 'yaml' });
  if (format === 'text') throw new UsageError('import prints yaml or json: set -o to one of them');
  const { all } = values;
  return {
    command: 'import',
    format,
    connection: connectionNamed(values.connection),
    all,
    only,
    access: accessOf(values),
  };
}

function readDoctor(args: readonly string[]): Command | undefined {
  const { values } = parsed(() => parseArgs({ args: [...args], options: doctorFlags }));
  if (values.help) return undefined;
  const operatorNamespace = givenOf(values['operator-namespace']);
  return { command: 'doctor', format: formatOf(values), operatorNamespace, access: accessOf(values) };
}

function readCompletion([name]: readonly string[]): Command | undefined {
  if (name === '--help' || name === '-h') return undefined;
  const shell = shells.find((one): one is Shell => one === name);
  if (shell === undefined) throw new UsageError(`give a shell to completion: ${shells.join(', ')}`);
  return { command: 'print', text: completionOf(shell) };
}
