// Prints manifests for what is in the service of a Connection and belongs to no resource.
import type { ImportWish } from '../arguments/commands.ts';
import { type ConnectionName, connectionFlag } from '../observed.ts';
import { printManifests } from '../output/formats.ts';
import type { Printer } from '../output/run-output.ts';
import type { Reach } from '../reach.ts';
import { collections } from '../service/collections.ts';
import { readInventory } from '../service/inventory.ts';
import { manifestsFor } from './manifests.ts';

/** Resolves to the exit code: 1 if something is missing. Runs are over or belong to others, so they are never imported. */
export async function printImport(reach: Reach, wish: ImportWish, printer: Printer): Promise<number> {
  const { connection, all, only, format } = wish;
  const asked = { connection, collections: collections.filter(({ kind }) => kind !== 'JobExecution') };
  const inventory = await readInventory(reach, { ...asked, signal: printer.signal });
  const { namespace } = reach.objects;
  const { manifests, notes, unknown } = manifestsFor({ inventory, namespace, connection, all, only });
  await printManifests(printer, format, manifests);
  for (const note of notes) printer.tell(`left out: ${note}`);
  if (manifests.length > 0) for (const note of await refusalNotes(reach, connection)) printer.tell(`note: ${note}`);
  for (const problem of inventory.problems) printer.tell(`warning: ${problem}`);
  for (const word of unknown)
    printer.tell(
      `error: the service has no ${JSON.stringify(word)} that belongs to no resource: see kubectl dataprocessing orphans -n ${namespace}${connectionFlag(connection)}`,
    );
  if (manifests.length === 0 && unknown.length === 0) printer.tell('there is nothing to import');
  return unknown.length > 0 || inventory.problems.length > 0 ? 1 : 0;
}

/** Why the operator refuses every manifest: each stands for an object that exists. */
async function refusalNotes({ objects }: Reach, { kind, name }: ConnectionName): Promise<readonly string[]> {
  if (kind === 'Connection') return [];
  const { spec } = await objects.get(kind, name);
  if (spec.allowAdopt === true) return [];
  return [
    `the operator refuses these manifests (ConnectionNotAllowed) until spec.allowAdopt of ${kind} ${JSON.stringify(name)} is true: ask the administrator of the cluster, who alone can set it`,
  ];
}
