// Shows what applying files would do in the service, and applies nothing.
import { reasonOf } from '../../lib/errors.ts';
import type { PlanWish } from '../arguments/commands.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { readManifests } from '../run/read-manifests.ts';
import { exitCodeOf } from './file-plans.ts';
import { filePlansPage } from './file-plans-page.ts';
import { planFile } from './plan-file.ts';

/** Whatever goes wrong: 1 means that something would change. */
const failed = 2;

/** Resolves to the exit code, as that of `kubectl diff`. */
export async function printFilePlans(
  reach: Reach,
  { files, format }: Pick<PlanWish, 'files' | 'format'>,
  printer: Printer,
): Promise<number> {
  try {
    const found = await planFile(reach, await readManifests(files, printer.signal), printer.signal);
    await printFound(printer, format, { found, page: () => filePlansPage(found, painter(printer.isColoured)) });
    return exitCodeOf(found);
  } catch (error) {
    if (printer.signal.aborted || error instanceof UsageError) throw error;
    printer.tell(`error: ${reasonOf(error)}`);
    return failed;
  }
}
