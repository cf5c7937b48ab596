// Applies a JobExecution, follows its run, and tells how it ended.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { sleep } from '../lib/wait.ts';
import type { Condition } from '../operator/api/common.ts';
import { UsageError } from './command-line.ts';
import { type LogAccess, type LogSource, openSource } from './log-source.ts';
import { noOutput, type Printer, printFrom } from './logs.ts';
import { type Execution, endOf, type KubeObject } from './objects.ts';

const pollMs = 1_000;

/** Resolves to the exit code: 0 if the run succeeded, 1 if it did not. Rejects with UsageError if the files cannot be applied as they are. */
export async function runFiles(access: LogAccess, files: readonly string[], printer: Printer): Promise<number> {
  const all = (await Promise.all(files.map(filesIn))).flat();
  const objects = (await Promise.all(all.map(readObjects))).flat();
  const run = theExecution(objects);
  for (const object of [...objects.filter((one) => one !== run), run]) {
    await access.objects.apply(object);
    printer.tell(`${object.kind} ${object.metadata.name} was applied`);
  }
  const { reason, message, type } = await follow(access, run.metadata.name, printer);
  printer.tell(`${run.metadata.name} ended as ${reason}: ${message}`);
  return type === 'Complete' ? 0 : 1;
}

/** Of a folder, the files that kubectl would apply. */
async function filesIn(path: string): Promise<readonly string[]> {
  const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return [path];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

async function readObjects(file: string): Promise<readonly KubeObject[]> {
  const text = file === '-' ? await textOf(process.stdin) : await readText(file);
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new UsageError(`${file}: ${problem.message.split('\n')[0]}`);
    const value = document.toJS() as KubeObject | null;
    return value === null ? [] : [checked(value, file)];
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function checked(value: KubeObject, file: string): KubeObject {
  const { apiVersion, kind, metadata = {} } = value as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new UsageError(`${file}: an object without apiVersion or kind`);
  const { name } = metadata as { readonly name?: unknown };
  if (typeof name === 'string') return value;
  const why = 'generateName' in metadata ? 'generateName is not supported: ' : '';
  throw new UsageError(`${file}: ${why}give metadata.name to the ${kind}`);
}

function theExecution(objects: readonly KubeObject[]): KubeObject {
  const executions = objects.filter(({ kind }) => kind === 'JobExecution');
  const [run] = executions;
  if (run === undefined || executions.length > 1)
    throw new UsageError(`give exactly one JobExecution: the files have ${executions.length}`);
  return run;
}

/** Prints states and output until the end of the run, which is one of its conditions. */
async function follow(access: LogAccess, name: string, printer: Printer): Promise<Condition> {
  let told = '';
  let printed: string | undefined;
  for (;;) {
    const execution = await access.objects.get('JobExecution', name);
    const { id, state = 'Pending', conditions = [] } = execution.status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    const line = `${name} is ${state}${ready === undefined ? '' : `: ${ready.message}`}`;
    if (line !== told) printer.tell(line);
    told = line;
    const end = restOf(execution);
    if (id !== undefined && id !== printed && (end !== undefined || state === 'Running')) {
      printed = id;
      await printRun(access, execution, printer);
      continue;
    }
    if (end !== undefined) return end;
    await sleep(printer.clock, pollMs, printer.signal);
    printer.signal.throwIfAborted();
  }
}

/** The condition with which this generation has ended, or waits for its user. */
function restOf(execution: Execution): Condition | undefined {
  const { status, metadata } = execution;
  if (status?.observedGeneration !== metadata.generation) return undefined;
  return endOf(execution) ?? status?.conditions?.find((one) => one.type === 'Stalled' && one.status === 'True');
}

/** What a service does not keep is no reason to give up the run. */
async function printRun(access: LogAccess, execution: Execution, printer: Printer): Promise<void> {
  const id = execution.status?.id ?? '';
  let source: LogSource | undefined;
  try {
    source = await openSource(access, execution);
    const found = await printFrom(source, { id, wish: { follow: true, tail: undefined }, printer });
    if (!found) printer.tell(noOutput(source, execution));
  } catch (error) {
    printer.signal.throwIfAborted();
    printer.tell(`the output cannot be shown: ${(error as Error).message}`);
  }
}
