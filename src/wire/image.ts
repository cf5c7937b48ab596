// Registered images on the wire: sections 2 and 4.2 of the interface.
import { z } from 'zod';
import { boundedList } from './bounds.ts';
import { answer, type Immutable, lenientId, lenientInteger } from './common.ts';

/** An image as answered. The metadata repeats username, description and tags under prefixed keys. */
export const image = answer({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  username: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  minDisk: lenientInteger.optional(),
  minRam: lenientInteger.optional(),
  progress: lenientInteger.optional(),
  metadata: z.record(z.string(), lenientId).optional(),
});
export type Image = Immutable<z.infer<typeof image>>;

/** Body of a registration. Repeating it replaces user name and description. */
export const imageRegister = z.strictObject({ username: z.string(), description: z.string().optional() });
export type ImageRegister = Immutable<z.infer<typeof imageRegister>>;

export const imageTags = z.strictObject({
  tags: boundedList(
    z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/, {
      error: 'is not a tag: letters, digits, hyphens and underscores in dot-separated labels',
    }),
  ),
});
export type ImageTags = Immutable<z.infer<typeof imageTags>>;
