// Reads plugins from a file in place of the bundled ones. The format is that of the interface, so answers of a real service can be pasted.
import { z } from 'zod';
import { parseSettings, readSettings } from '../../../lib/settings-file.ts';
import { jobTypes } from '../../../wire/jobs.ts';
import { type PluginConfigEntry, typeOf } from '../../model/catalog/configs.ts';
import type { PluginEntry, PluginVersion } from '../../model/catalog/plugins.ts';

const name = z.string().min(1).max(255);
const typesOfAll = [...new Set(Object.values(jobTypes).flat())];
const unlikeType = 'is not of the type that config_type says';

/** Upstream writes null for a text that the plugin does not have. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const config = z
  .strictObject({
    name,
    description: text,
    default_value: z.union([z.string(), z.boolean(), z.int()], {
      error: 'must be a text, a whole number or a truth value',
    }),
    config_type: z.enum(['string', 'bool', 'int']).optional(),
    applicable_target: name,
    is_optional: z.boolean().default(true),
    scope: z.enum(['node', 'cluster']).default('node'),
    priority: z.int().default(2),
    // Upstream writes null if any value is possible.
    config_values: z.null().optional(),
  })
  .transform(
    ({ default_value, config_type = typeOf(default_value), ...rest }): PluginConfigEntry => ({
      name: rest.name,
      description: rest.description,
      default_value,
      config_type,
      applicable_target: rest.applicable_target,
      is_optional: rest.is_optional,
      scope: rest.scope,
      priority: rest.priority,
    }),
  )
  .refine(({ config_type, default_value }) => config_type === typeOf(default_value), {
    path: ['default_value'],
    error: unlikeType,
  });

const version = z
  .strictObject({
    version: name,
    node_processes: z.record(name, z.array(name)),
    required_image_tags: z.array(name).optional(),
    configs: z.array(config).default([]),
    job_types: z.array(z.enum(typesOfAll)).optional(),
  })
  .transform(
    ({ node_processes, required_image_tags, job_types, ...rest }): PluginVersion => ({
      ...rest,
      processes: node_processes,
      ...(required_image_tags && { requiredTags: required_image_tags }),
      ...(job_types && { jobTypes: job_types }),
    }),
  );

/** Reports duplicate names. */
const distinct =
  <Row>(nameOf: (row: Row) => string) =>
  (rows: readonly Row[], context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [index, one] of rows.map(nameOf).entries()) {
      if (seen.has(one)) context.addIssue({ code: 'custom', path: [index], message: `${one} occurs twice` });
      seen.add(one);
    }
  };

const schema = z.strictObject({
  plugins: z
    .array(
      z
        .strictObject({
          name,
          title: name.nullish(),
          description: text,
          versions: z
            .array(version)
            .min(1)
            .superRefine(distinct((one) => one.version)),
        })
        .transform((plugin): PluginEntry => ({ ...plugin, title: plugin.title ?? plugin.name })),
    )
    .min(1)
    .superRefine(distinct((one) => one.name)),
});

/** Throws an Error that names each wrong field. */
export const parsePlugins = (text: string): readonly PluginEntry[] => parseSettings(schema, text).plugins;

/** Throws `cannot read plugins FILE: ...`. */
export const readPlugins = (file: string): readonly PluginEntry[] => readSettings('plugins', file, parsePlugins);
