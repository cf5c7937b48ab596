// The flavors of machines as engines know them: how many cores they have, and how much memory and disk.

export interface Flavor {
  readonly id: string;
  readonly name: string;
  readonly cpus: number;
  /** In MiB. */
  readonly memory: number;
  /** In GiB, for what is not in volumes. Only pods are held to it. */
  readonly disk: number;
}

export const usualFlavors: readonly Flavor[] = [
  { id: '1', name: 'tiny', cpus: 1, memory: 1024, disk: 10 },
  { id: '2', name: 'small', cpus: 2, memory: 2048, disk: 20 },
  { id: '3', name: 'medium', cpus: 2, memory: 4096, disk: 40 },
  { id: '4', name: 'large', cpus: 4, memory: 8192, disk: 80 },
  { id: '5', name: 'huge', cpus: 8, memory: 16_384, disk: 160 },
];

/** Throws unless the flavor exists. The message names no other one, because some are for other tenants. */
export function findFlavor<Offered extends Flavor>(flavors: readonly Offered[], id: string): Offered {
  const found = flavors.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new Error(`there is no flavor ${id}: choose another flavor_id, or add it to the file of --flavors-file`);
}
