// The flavor of a run, which bounds what its program can take.
import type { Command } from '../../engines/engine.ts';
import { memorySettings } from '../../engines/index.ts';
import { flavorsFor } from '../../model/catalog/catalog.ts';
import { flavorConfig, noSuchFlavor } from '../../model/references.ts';
import type { Flavors, OfferedFlavor } from '../flavors-file.ts';
import type { RunPlan } from '../job-engine.ts';

/** In MiB. */
const heapUnits: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 };

/** In MiB: the heap that the command names. A heap of more than 9 digits is none: it can be an argument of a user. */
function heapOf({ args }: Command): number | undefined {
  const [, size, unit = ''] =
    args.map((word) => /^-Xmx([1-9]\d{0,8})([kmgt])$/i.exec(word)).find((found) => found !== null) ?? [];
  return size === undefined ? undefined : Number(size) * (heapUnits[unit.toLowerCase()] ?? 1);
}

/** In MiB: a heap with what a program takes besides. */
const withHeap = (heap: number): number => Math.ceil(heap * 1.25) + 384;

/** In MiB: what a program without a flavor gets. */
export const memoryOf = (command: Command): number => Math.max(withHeap(heapOf(command) ?? 512), 1024);

/** The flavor that the run names, or else the default. Undefined if there is none. Throws an Error that names those of the tenant. */
export function jobFlavorOf({ tenant, job_configs }: RunPlan, offered: Flavors): OfferedFlavor | undefined {
  const wanted = job_configs.configs?.[flavorConfig] ?? offered.defaultJobFlavor;
  if (wanted === undefined) return undefined;
  const flavors = flavorsFor(tenant, offered.flavors);
  const found = flavors.find(({ id }) => id === String(wanted));
  if (found !== undefined) return found;
  throw new Error(noSuchFlavor(wanted, flavors.map(({ id }) => id).join(', ')));
}

/** Throws an Error with the remedy if the heap that the command names has no room in the flavor. */
export function checkJobMemory(command: Command, { name, memory }: OfferedFlavor): void {
  const heap = heapOf(command);
  if (heap === undefined || withHeap(heap) <= memory) return;
  throw new Error(
    `the program needs ${withHeap(heap)} MiB with its heap, but flavor ${name} has ${memory}: choose a larger ${flavorConfig}, or lower ${memorySettings.join(' or ')}`,
  );
}
