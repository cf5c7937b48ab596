// The file of flavors: what the administrator lets users name in `flavor_id` and `edp.flavor`.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../lib/settings-file.ts';
import { type Flavor, usualFlavors } from '../engines/flavors.ts';
import type { CloudFlavor } from '../model/catalog/catalog.ts';
import { type FlavoredPod, podSettings } from './pods/flavors/pod-settings.ts';
import { closed, queueName } from './pods/flavors/terms.ts';

export interface OfferedFlavor extends Flavor, CloudFlavor {
  /** What its pods have besides. When absent: nothing. */
  readonly pod?: FlavoredPod | undefined;
  /** The LocalQueue of Kueue in which its machines and jobs wait. When absent: none. */
  readonly queue?: string | undefined;
}

export interface Flavors {
  readonly flavors: readonly OfferedFlavor[];
  /** The flavor of jobs that name none. When absent: a job has what its program needs. */
  readonly defaultJobFlavor?: string | undefined;
  /** The queues that jobs can name. When absent: none. */
  readonly jobQueues?: readonly string[] | undefined;
}

/** Of a flavor that says nothing, in GiB. */
const usualDisk = 20;
const cores = z.int().min(1).max(1024);
/** In MiB. */
const memory = z
  .int()
  .min(256)
  .max(2 ** 24);
/** In GiB. */
const disk = z.int().min(1).max(65_536).default(usualDisk);
const text = z.string().min(1).max(255);

/** The form of earlier versions. */
const listForm = z
  .array(closed({ id: text, name: text, cpus: cores, memory, disk }))
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
  });

const described = closed({
  cores,
  memoryMiB: memory,
  diskGiB: disk,
  tenants: z.array(text).min(1, { error: 'names no tenant; leave it out for all of them' }).max(1000).optional(),
  pod: podSettings.optional(),
  queue: queueName.optional(),
});
const flavorName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/;

const mapForm = z
  .record(z.string(), described)
  .superRefine((flavors, context) => {
    const names = Object.keys(flavors);
    if (names.length === 0) context.addIssue({ code: 'custom', message: 'has no flavor; add one' });
    if (names.length > 1000) context.addIssue({ code: 'custom', message: 'has more than 1000 flavors; remove some' });
    const message = 'is no name of a flavor: use letters, digits, dots, hyphens and underscores, such as large-gpu';
    for (const name of names.filter((each) => !flavorName.test(each)))
      context.addIssue({ code: 'custom', path: [name], message });
  })
  .transform((flavors) =>
    Object.entries(flavors).map(([name, { cores: cpus, memoryMiB, diskGiB, tenants, pod, queue }]): OfferedFlavor => {
      return {
        id: name,
        name,
        cpus,
        memory: memoryMiB,
        disk: diskGiB,
        ...(tenants && { tenants }),
        ...(pod && { pod }),
        ...(queue !== undefined && { queue }),
      };
    }),
  );

/** Reads the form that the value has, so that messages are about that one. */
const eitherForm = z.unknown().transform((value, context): readonly OfferedFlavor[] => {
  const read = Array.isArray(value) ? listForm.safeParse(value) : mapForm.safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

const jobQueues = z.array(queueName).min(1, { error: 'names no queue; leave it out' }).max(1000);

const schema = closed({
  flavors: eitherForm,
  defaultJobFlavor: text.optional(),
  jobQueues: jobQueues.optional(),
}).superRefine(({ flavors, defaultJobFlavor: wanted }, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['defaultJobFlavor'], message });
  if (wanted === undefined) return;
  const found = flavors.find(({ id }) => id === wanted);
  if (found === undefined) refuse(`there is no such flavor; there are ${flavors.map(({ id }) => id).join(', ')}`);
  if (found?.tenants !== undefined) refuse('has tenants, and a default must be there for all; name another flavor');
});

/** Throws an Error that names each wrong field. */
export const parseFlavors = (content: string): Flavors => parseSettings(schema, content);

/** Throws `cannot read flavors FILE: ...`. Without a file, there are the usual flavors. */
export const readFlavors = (file: string | undefined): Flavors =>
  file === undefined ? { flavors: usualFlavors } : readSettings('flavors', file, parseFlavors);
