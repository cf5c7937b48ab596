// Section 4.1: plugins are read, and their configuration files become cluster templates.
import type { z } from 'zod';
import type { ClusterTemplate } from '../../wire/cluster-template.ts';
import { type Plugin, type PluginDetail, plugin, pluginDetail } from '../../wire/plugin.ts';
import { routes } from '../../wire/routes.ts';
import { type Asked, type Requests, readValue } from './collection.ts';
import { largestDetails } from './limits.ts';
import type { Inventory } from './list/inventory.ts';
import type { Permit } from './throttle/budget.ts';
import { rowWriter } from './writes.ts';

/** Which plugin reads a file, and what the template is called; early releases take the name from here only, others from the file, too. */
export interface Conversion {
  readonly plugin: string;
  readonly version: string;
  readonly template?: string;
}

export interface Catalogue {
  plugins(signal?: AbortSignal): Promise<readonly Plugin[]>;
  /** The short form. */
  pluginSummary(name: string, signal?: AbortSignal): Promise<Plugin>;
  plugin(name: string, version: string, signal?: AbortSignal): Promise<PluginDetail>;
  /** The file is sent as it is. */
  convertConfig(conversion: Conversion, file: Uint8Array, permit: Permit): Promise<ClusterTemplate>;
}

export function catalogueOf(requests: Requests, inventory: Inventory): Catalogue {
  const write = rowWriter(requests, inventory);
  const { path, plural, single, answer } = routes.plugins;
  const read = <Schema extends z.ZodType>(schema: Schema, below: readonly string[], asked: Asked) =>
    readValue(
      requests,
      { schema, key: below.length === 0 ? plural : single },
      { segments: [path, ...below], ...asked },
    );
  return {
    plugins: (signal) => read(answer.array(), [], { signal }),
    pluginSummary: (name, signal) => read(plugin, [name], { signal }),
    plugin: (name, version, signal) => read(pluginDetail, [name, version], { signal, most: largestDetails }),
    convertConfig({ plugin: name, version, template }, file, permit) {
      const named = template === undefined ? [] : [template];
      const segments = [path, name, version, 'convert-config', ...named] as const;
      return write(routes.clusterTemplates, { method: 'POST', segments, bytes: file, permit });
    },
  };
}
