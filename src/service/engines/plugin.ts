// An engine as the service offers it: a plugin with one version.
import type { PluginEntry } from '../plugins/plugins.ts';
import type { Engine } from './engine.ts';
import { configsOf } from './options.ts';

export function pluginOf({ engine, version }: { readonly engine: Engine; readonly version: string }): PluginEntry {
  const { plugin, title, description, processes, options, jobs, absent = {} } = engine;
  const targets = Map.groupBy(processes, ({ target }) => target);
  const named = [...targets].map(([target, of]) => [target, of.map(({ name }) => name)] as const);
  const jobTypes = jobs.map(({ type }) => type);
  const of = { version, processes: Object.fromEntries(named), configs: configsOf(options), jobTypes, absent };
  return { name: plugin, title, description, versions: [of], isExact: true };
}
