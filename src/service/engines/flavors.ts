// The flavors of machines that are made on this computer: how many cores they have, and how much memory and disk.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../lib/settings-file.ts';

export interface Flavor {
  readonly id: string;
  readonly name: string;
  readonly cpus: number;
  /** In MiB. */
  readonly memory: number;
  /** In GiB, for what is not in volumes. Only pods are held to it. */
  readonly disk: number;
}

/** Of a flavor that says nothing, in GiB. */
const usualDisk = 20;

export const usualFlavors: readonly Flavor[] = [
  { id: '1', name: 'tiny', cpus: 1, memory: 1024, disk: 10 },
  { id: '2', name: 'small', cpus: 2, memory: 2048, disk: 20 },
  { id: '3', name: 'medium', cpus: 2, memory: 4096, disk: 40 },
  { id: '4', name: 'large', cpus: 4, memory: 8192, disk: 80 },
  { id: '5', name: 'huge', cpus: 8, memory: 16_384, disk: 160 },
];

const flavor = z.strictObject({
  id: z.string().min(1).max(255),
  name: z.string().min(1).max(255),
  cpus: z.int().min(1).max(1024),
  memory: z
    .int()
    .min(256)
    .max(2 ** 24),
  disk: z.int().min(1).max(65_536).default(usualDisk),
});
const schema = z.strictObject({
  flavors: z
    .array(flavor)
    .min(1)
    .superRefine((rows, context) => {
      const ids = rows.map(({ id }) => id);
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          context.addIssue({
            code: 'custom',
            path: [index, 'id'],
            message: 'an earlier flavor has the same id; use another one',
          });
    }),
});

/** Throws an Error that names each wrong field. */
export const parseFlavors = (text: string): readonly Flavor[] => parseSettings(schema, text).flavors;

/** Throws `cannot read flavors FILE: ...`. */
export const readFlavors = (file: string): readonly Flavor[] => readSettings('flavors', file, parseFlavors);

/** Throws unless the flavor exists. */
export function findFlavor(flavors: readonly Flavor[], id: string): Flavor {
  const found = flavors.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new Error(`there is no flavor ${id}: there are ${flavors.map((each) => each.id).join(', ')}`);
}
