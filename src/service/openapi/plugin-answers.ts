// The schemas of answered plugins by dialect. PURE.
import { z } from 'zod';
import type { Dialect } from '../../wire/dialect.ts';
import { plugin, pluginConfig, pluginDetail } from '../../wire/plugin.ts';

const labels = z.record(z.string(), z.object({ status: z.boolean(), mutable: z.boolean(), description: z.string() }));
const labelsIn = (dialect: Dialect) =>
  dialect === 'sahara' ? { plugin_labels: labels, version_labels: z.record(z.string(), labels) } : {};

export const pluginOf = (dialect: Dialect) => plugin.out.extend(labelsIn(dialect));

export function pluginDetailOf(dialect: Dialect) {
  if (dialect === 'neutral') return pluginDetail.out;
  const config = pluginConfig.extend({ config_values: z.array(z.string()).optional() });
  return pluginDetail.out.extend({ ...labelsIn(dialect), configs: z.array(config).optional() });
}
