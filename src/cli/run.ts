// Applies a JobExecution, follows its run, and tells how it ended.
import { sleep } from '../lib/wait.ts';
import type { Condition, Reason } from '../operator/api/common.ts';
import { type LogAccess, type LogSource, openSource } from './log-source.ts';
import { noOutput, type Printer, printFrom } from './logs.ts';
import { readManifests, theExecution } from './manifests.ts';
import { type Execution, endOf, Objects } from './objects.ts';

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
  const objects = await readManifests(files, printer.signal);
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
