// Plugins on the wire, in short and detailed form: sections 2 and 4.1 of the interface. They are only read.
import { z } from 'zod';
import { answer, type Immutable, lenientInteger } from './common.ts';

/** One configuration that a plugin understands. */
export const pluginConfig = z.object({
  name: z.string(),
  description: z.string().optional(),
  default_value: z.unknown().optional(),
  config_type: z.string().optional(),
  applicable_target: z.string().optional(),
  is_optional: z.boolean().optional(),
  scope: z.string().optional(),
  priority: lenientInteger.optional(),
});

const short = {
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  versions: z.array(z.string()).optional(),
};

/** The short form: in lists and by name. */
export const plugin = answer(short);
export type Plugin = Immutable<z.infer<typeof plugin>>;

/** Beside the plugins in their list, and true: the volume of the service is full. Only the bundled service has it. */
export const volumeFull = 'volume_full';

/** The detailed form: by name and version. */
export const pluginDetail = answer({
  ...short,
  node_processes: z.record(z.string(), z.array(z.string())).optional(),
  required_image_tags: z.array(z.string()).optional(),
  configs: z.array(pluginConfig).optional(),
});
