// Applies a JobExecution, follows its run, and tells how it ended.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { type Document, parseAllDocuments } from 'yaml';
import { sleep } from '../lib/wait.ts';
import type { Condition, Reason } from '../operator/api/common.ts';
import { UsageError } from './command-line.ts';
import { type LogAccess, type LogSource, openSource } from './log-source.ts';
import { noOutput, type Printer, printFrom } from './logs.ts';
import { type Execution, endOf, type KubeObject, Objects } from './objects.ts';

const pollMs = 1_000;

/** Reasons of Stalled that only a change by a user ends. With any other, the operator tries again by itself. */
const finalReasons: readonly Reason[] = [
  'InvalidSpec',
  'NameConflict',
  'DuplicateClaim',
  'OwnershipUnconfirmed',
  'ConnectionChanged',
  'ExternalDeleted',
  'OutcomeUnknown',
];

/**
 * Resolves to the exit code: 0 if the run succeeded, 1 if it did not. Rejects with UsageError if the files cannot be applied as they are,
 * and then nothing was applied.
 */
export async function runFiles(access: LogAccess, files: readonly string[], printer: Printer): Promise<number> {
  const all = (await Promise.all(files.map(filesIn))).flat();
  const objects = (await Promise.all(all.map((file) => readObjects(file, printer.signal)))).flat();
  const run = theExecution(objects);
  for (const object of [...objects.filter((one) => one !== run), run]) {
    printer.signal.throwIfAborted();
    await access.objects.apply(object);
    printer.tell(`${object.kind} ${object.metadata.name} was applied`);
  }
  const { name, namespace = access.objects.namespace } = run.metadata;
  const there = { ...access, objects: new Objects(access.transport, namespace) };
  try {
    const { execution, end } = await follow(there, name, printer);
    printer.tell(endText(execution, end));
    return end.type === 'Complete' ? 0 : 1;
  } catch (error) {
    const patch = `kubectl patch dpje ${name} -n ${namespace} --type=merge -p '{"spec":{"cancel":true}}'`;
    printer.tell(`${name} is not followed any more, but its run goes on. Cancel it with: ${patch}`);
    throw error;
  }
}

/** Says so if the run may still happen although nobody waits for it any more. */
function endText({ metadata: { name }, status }: Execution, { type, reason, message }: Condition): string {
  if (type !== 'Stalled') return `${name} ended as ${reason}: ${message}`;
  const what = `${name} needs a change by you: ${reason}: ${message}`;
  if (reason === 'ExternalDeleted') return what;
  if (reason === 'OutcomeUnknown') return `${what}. The run may have taken place, or may still appear`;
  if (status?.id !== undefined) return `${what}. The run in the service may go on`;
  return `${what}. The run starts once this is corrected: delete the JobExecution if it must not`;
}

/** Of a folder, the files that kubectl would apply. */
async function filesIn(path: string): Promise<readonly string[]> {
  const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return [path];
  const names = (await readdir(path).catch(unreadable(path))).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

async function readObjects(file: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const text = file === '-' ? textOf(addAbortSignal(signal, process.stdin)) : readFile(file, 'utf8');
  return parseAllDocuments(await text.catch(unreadable(file))).flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new UsageError(`${file}: ${problem.message.split('\n')[0]}`);
    const value = valueOf(document, file);
    return value === null ? [] : [checked(value, file)];
  });
}

/** Throws UsageError, for example if an alias has no anchor or there are too many of them. */
function valueOf(document: Document, file: string): KubeObject | null {
  try {
    return document.toJS() as KubeObject | null;
  } catch (error) {
    throw new UsageError(`${file} is not valid`, { cause: error });
  }
}

const unreadable = (file: string) => (error: unknown) => {
  throw new UsageError(`cannot read ${file}`, { cause: error });
};

function checked(value: KubeObject, file: string): KubeObject {
  const { apiVersion, kind, metadata } = value as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new UsageError(`${file}: an object without apiVersion or kind`);
  const { name, namespace, generateName } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  if (namespace !== undefined && typeof namespace !== 'string')
    throw new UsageError(`${file}: metadata.namespace of the ${kind} must be text`);
  if (typeof name === 'string') return value;
  const why = generateName === undefined ? '' : 'generateName is not supported: ';
  throw new UsageError(`${file}: ${why}give metadata.name to the ${kind}`);
}

function theExecution(objects: readonly KubeObject[]): KubeObject {
  const executions = objects.filter(({ kind }) => kind === 'JobExecution');
  const [run] = executions;
  if (run === undefined || executions.length > 1)
    throw new UsageError(`give exactly one JobExecution: the files have ${executions.length}`);
  return run;
}

interface Rest {
  readonly execution: Execution;
  readonly end: Condition;
}

/** Prints states and output until the run has ended, or waits for its user. */
async function follow(access: LogAccess, name: string, printer: Printer): Promise<Rest> {
  let told = '';
  let printed: string | undefined;
  for (;;) {
    printer.signal.throwIfAborted();
    const execution = await access.objects.get('JobExecution', name);
    const { id, state } = execution.status ?? {};
    const { line, topic } = stateOf(execution);
    if (topic !== told) printer.tell(line);
    told = topic;
    const end = restOf(execution);
    if (id !== undefined && id !== printed && (end !== undefined || state === 'Running')) {
      printed = id;
      await printRun(access, execution, printer);
      continue;
    }
    if (end !== undefined) return { execution, end };
    await sleep(printer.clock, pollMs, printer.signal);
  }
}

/** The line is told when its topic changes: what a service answers to each try may differ in no more than the number of a request. */
function stateOf({ metadata: { name }, status }: Execution): { readonly line: string; readonly topic: string } {
  const { state = 'Pending', conditions = [] } = status ?? {};
  const { reason, message } = conditions.find(({ type }) => type === 'Ready') ?? {};
  const isRetried = stalledOf(status) !== undefined && !finalReasons.some((one) => one === reason);
  const line = `${name} is ${state}${isRetried ? `: ${reason}` : ''}${message === undefined ? '' : `: ${message}`}`;
  return { line, topic: isRetried ? `${state} ${reason}` : line };
}

/** The condition with which this generation has ended, or waits for its user. */
function restOf(execution: Execution): Condition | undefined {
  const { status, metadata } = execution;
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const stalled = stalledOf(status);
  return endOf(execution) ?? (finalReasons.some((one) => one === stalled?.reason) ? stalled : undefined);
}

const stalledOf = (status: Execution['status']): Condition | undefined =>
  status?.conditions?.find(({ type, status: holds }) => type === 'Stalled' && holds === 'True');

/** What a service does not keep is no reason to give up the run. */
async function printRun(access: LogAccess, execution: Execution, printer: Printer): Promise<void> {
  const id = execution.status?.id ?? '';
  let source: LogSource | undefined;
  try {
    source = await openSource(access, execution);
    const found = await printFrom(source, { id, wish: { follow: true, tail: undefined }, printer });
    if (!found) printer.tell(await noOutput(access, source, execution));
  } catch (error) {
    printer.signal.throwIfAborted();
    printer.tell(`the output cannot be shown: ${(error as Error).message}`);
  }
}
