// Applies a JobExecution, follows its run, and reports how it ended.
import { reasonOf } from '../../lib/errors.ts';
import type { RunWish } from '../arguments/cli-flags.ts';
import { follow } from '../logs/follow.ts';
import { type Execution, endOf, Objects } from '../objects.ts';
import { type Printer, printOutput } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { readManifests, theExecution } from './read-manifests.ts';

interface RunCommandInput {
  readonly access: Reach;
  readonly printer: Printer;
  readonly hideInfo: boolean;
}

/**
 * Resolves to the exit code, as `follow` has it. Rejects with UsageError if the files cannot be applied as they are, and then nothing was
 * applied.
 */
export async function runFiles(access: Reach, { files, hideInfo }: RunWish, printer: Printer): Promise<number> {
  const manifests = await readManifests(files, printer.signal);
  const run = theExecution(manifests);
  let applied: unknown;
  for (const object of [...manifests.filter((one) => one !== run), run]) {
    printer.signal.throwIfAborted();
    applied = await access.objects.apply(object);
    printer.tell(`${object.kind} ${object.metadata.name} was applied`);
  }
  const { name, namespace = access.objects.namespace } = run.metadata;
  const hadEnded = endOf(applied as Execution) !== undefined;
  if (hadEnded)
    printer.tell(
      `${name} had ended before, so nothing runs now, and this is how it ended. To run the job again, give the JobExecution another name`,
    );
  const objects = new Objects(access.transport, namespace);
  const running = { access: { ...access, objects }, printer, hideInfo };
  try {
    return await follow({ objects, printer, printRun: (one) => printRun(running, one) }, name);
  } catch (error) {
    const patch = `kubectl patch dpje ${name} -n ${namespace} --type=merge -p '{"spec":{"cancel":true}}'`;
    if (!hadEnded) printer.tell(`${name} is not followed any more, but its run goes on. Cancel it with: ${patch}`);
    throw error;
  }
}

/** What a service does not keep is no reason to give up the run. */
async function printRun({ access, printer, hideInfo }: RunCommandInput, execution: Execution): Promise<void> {
  try {
    await printOutput(access, execution, { wish: { follow: true, tail: undefined, hideInfo }, printer });
  } catch (error) {
    printer.signal.throwIfAborted();
    printer.tell(`the output cannot be shown: ${reasonOf(error)}`);
  }
}
