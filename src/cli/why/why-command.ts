// Explains why an object is as it is.
import type { WhyWish } from '../arguments/commands.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { explain } from './explanation.ts';
import { readSituation } from './situation.ts';
import { whyPage } from './why-page.ts';

const wrong = 1;

/** Resolves to the exit code: 0 if time alone helps, or nothing is wrong. */
export async function printWhy({ objects, transport }: Reach, wish: WhyWish, printer: Printer): Promise<number> {
  const { object, format, operatorNamespace } = wish;
  const { namespace } = objects;
  const situation = await readSituation(transport, object, { namespace, operatorNamespace });
  const explained = explain(situation);
  const view = { now: situation.operator.now, paint: painter(printer.isColoured) };
  await printFound(printer, format, { found: explained, page: () => whyPage(explained, view) });
  return explained.cause.needsUser || explained.warning !== undefined ? wrong : 0;
}
