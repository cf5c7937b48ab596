// Prints the output of a JobExecution.
import type { LogWish } from '../arguments/cli-flags.ts';
import type { Execution } from '../objects.ts';
import { type Printer, printOutput } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { follow } from './follow.ts';

/** Resolves to the exit code: if the run is followed, as `follow` has it. Rejects with what is wrong in one line. */
export async function printLogs(access: Reach, wish: LogWish, printer: Printer): Promise<number> {
  const { objects } = access;
  const printRun = (one: Execution): Promise<void> => printOutput(access, one, { wish, printer });
  if (wish.follow) return follow({ objects, printer, printRun }, wish.execution);
  const execution = await objects.get('JobExecution', wish.execution);
  const { id, state = 'Pending', conditions = [] } = execution.status ?? {};
  if (id === undefined) {
    const { message } = conditions.find(({ type }) => type === 'Ready') ?? {};
    const why = message === undefined ? '' : `: ${message}`;
    throw new Error(`${wish.execution} has no run: it is ${state}${why}`);
  }
  await printRun(execution);
  return 0;
}
