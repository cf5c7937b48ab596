// Lists what is in the service of a Connection and belongs to no resource.
import type { OrphansWish } from '../arguments/commands.ts';
import { connectionText } from '../observed.ts';
import { printFound } from '../output/formats.ts';
import { painter } from '../output/page.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { collections } from './collections.ts';
import { readInventory } from './inventory.ts';
import { orphansIn } from './orphans.ts';
import { orphansPage } from './orphans-page.ts';

/** Resolves to the exit code: 1 if the list may be incomplete, or too long. */
export async function printOrphans(reach: Reach, wish: OrphansWish, printer: Printer): Promise<number> {
  const { connection, format } = wish;
  const inventory = await readInventory(reach, { connection, collections, signal: printer.signal });
  const { read, claimed, ownMarks, problems, source } = inventory;
  const orphans = orphansIn(read, claimed, ownMarks).map(({ row: _row, ...orphan }) => orphan);
  const found = { connection: connectionText(connection), endpoint: source.endpoint, orphans, problems };
  const view = { now: printer.clock.wall(), paint: painter(printer.isColoured) };
  await printFound(printer, format, { found, page: () => orphansPage(found, view) });
  if (format !== 'text') for (const problem of problems) printer.tell(`warning: ${problem}`);
  return problems.length > 0 ? 1 : 0;
}
