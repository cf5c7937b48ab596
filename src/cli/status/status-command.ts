// Counts the objects of a namespace, and lists those that are not ready.
import type { ResourceKind } from '../../kube/resource.ts';
import { messageOf } from '../../lib/errors.ts';
import type { StatusWish } from '../arguments/commands.ts';
import { customKinds } from '../kind-names.ts';
import type { Objects } from '../objects.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { type KindList, readAll } from '../read-all.ts';
import { needsUser, overviewOf } from './overview.ts';
import { statusPage } from './status-page.ts';

/** Resolves to the exit code: 1 if something needs a user or cannot be read. */
export async function printStatus({ objects }: Reach, wish: StatusWish, printer: Printer): Promise<number> {
  const { format, allNamespaces } = wish;
  const results = await Promise.all(customKinds.map((kind) => tryRead(objects, kind, allNamespaces)));
  const lists = results.filter((one) => 'items' in one);
  const overview = overviewOf(
    lists,
    results.filter((one) => 'why' in one),
  );
  const view = { namespace: allNamespaces ? undefined : objects.namespace, paint: painter(printer.isColoured) };
  await printFound(printer, format, { found: overview, page: () => statusPage(overview, view) });
  return needsUser(overview) ? 1 : 0;
}

async function tryRead(
  objects: Objects,
  kind: ResourceKind,
  everywhere: boolean,
): Promise<KindList | { readonly kind: string; readonly why: string }> {
  try {
    return await readAll(objects, kind, everywhere);
  } catch (error) {
    return { kind: kind.kind, why: messageOf(error) };
  }
}
