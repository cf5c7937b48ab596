// Counts the objects of a namespace and the SharedConnections, and lists those that are not ready.
import type { StatusWish } from '../arguments/commands.ts';
import { allKinds } from '../kind-names.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { readKinds } from '../read-all.ts';
import { needsUser, overviewOf } from './overview.ts';
import { statusPage } from './status-page.ts';

/** Resolves to the exit code: 1 if something needs a user or cannot be read. */
export async function printStatus({ objects }: Reach, wish: StatusWish, printer: Printer): Promise<number> {
  const { format, allNamespaces } = wish;
  const { lists, unread } = await readKinds(objects, allKinds, allNamespaces);
  const overview = overviewOf(lists, unread);
  const view = { namespace: allNamespaces ? undefined : objects.namespace, paint: painter(printer.isColoured) };
  await printFound(printer, format, { found: overview, page: () => statusPage(overview, view) });
  return needsUser(overview) ? 1 : 0;
}
