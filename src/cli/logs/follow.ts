// Follows a JobExecution to its end: states, the output of each of its runs, and the outcome.
import { sleep } from '../../lib/timing/wait.ts';
import type { Condition, Reason } from '../../operator/api/shared-api.ts';
import { type Execution, endOf, type Objects } from '../objects.ts';
import type { Printer } from '../output/run-output.ts';

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

export interface FollowInput {
  readonly objects: Objects;
  readonly printer: Printer;
  /** Prints the output of the run of the execution. */
  readonly printRun: (execution: Execution) => Promise<void>;
}

/** Resolves when the execution has ended, or waits for its user, to the exit code of the plugin. Prints states until then, and the result. */
export async function follow({ objects, printer, printRun }: FollowInput, name: string): Promise<number> {
  let told = '';
  let printed: string | undefined;
  for (;;) {
    printer.signal.throwIfAborted();
    const execution = await objects.get('JobExecution', name);
    const { id, state } = execution.status ?? {};
    const end = restOf(execution);
    const { line, topic } = stateOf(execution);
    if (end === undefined && topic !== told) printer.tell(line);
    told = topic;
    if (id !== undefined && id !== printed && (end !== undefined || state === 'Running')) {
      printed = id;
      await printRun(execution);
    } else if (end !== undefined) {
      printer.tell(endText(execution, end));
      return exitCodeOf(execution, end);
    } else {
      await sleep(printer.clock, pollMs, printer.signal);
    }
  }
}

const largestCode = 255;

/** That of the program if it failed with one that a process can have, otherwise 0 for success and 1 for anything else. */
function exitCodeOf({ status }: Execution, { type }: Condition): number {
  if (type === 'Complete') return 0;
  const code = type === 'Failed' ? status?.termination?.exitCode : undefined;
  return code !== undefined && code > 0 && code <= largestCode ? code : 1;
}

/** A line is printed when its topic changes: answers of a service to several tries may differ only in the number of a request. */
function stateOf({ metadata: { name }, status }: Execution): { readonly line: string; readonly topic: string } {
  const { state = 'Pending', conditions = [] } = status ?? {};
  const { reason, message } = conditions.find(({ type }) => type === 'Ready') ?? {};
  const isRetried = stalledOf(status) !== undefined && reason !== state && !finalReasons.some((one) => one === reason);
  const line = `${name} is ${state}${isRetried ? `: ${reason}` : ''}${message === undefined ? '' : `: ${message}`}`;
  return { line, topic: isRetried ? `${state} ${reason}` : line };
}

/** Warns if the run may still happen after the command has stopped waiting for it. */
function endText({ metadata: { name }, status }: Execution, { type, reason, message }: Condition): string {
  if (type !== 'Stalled') return `${name} ended as ${reason}: ${message}`;
  const what = `${name} needs a change by you: ${reason}: ${message}`;
  if (reason === 'ExternalDeleted') return what;
  if (reason === 'OutcomeUnknown') return `${what}. The run may have taken place, or may still appear`;
  if (status?.id !== undefined) return `${what}. The run in the service may go on`;
  return `${what}. The run starts once this is corrected: delete the JobExecution if it must not`;
}

/** The condition with which this generation has ended, or waits for its user. */
function restOf(execution: Execution): Condition | undefined {
  const { status, metadata } = execution;
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const stalled = stalledOf(status);
  return endOf(execution) ?? (finalReasons.some((one) => one === stalled?.reason) ? stalled : undefined);
}

function stalledOf(status: Execution['status']): Condition | undefined {
  return status?.conditions?.find(({ type, status: holds }) => type === 'Stalled' && holds === 'True');
}
