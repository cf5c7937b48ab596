// Engines as the service offers them: plugins with their versions.

import type { ConfigHint, JobHints, PluginEntry, PluginVersion } from '../model/catalog/plugins.ts';
import { flavorOption, queueOption, referenceOptions } from '../model/references.ts';
import type { EngineJob, JobOption } from './engine.ts';
import type { OfferedEngine } from './engine-entry.ts';
import { configsOf } from './engine-options.ts';
import { s3aJobOptions } from './s3a/s3a-options.ts';

const hintOf = ({ name, default: value, description }: JobOption): ConfigHint => ({
  name,
  value: String(value),
  description,
});

/** With what the service itself does for all jobs. */
function hintsOf({ type, hints, s3Path }: EngineJob): readonly (readonly [type: string, JobHints])[] {
  if (hints === undefined) return [];
  const options = [
    ...hints.options,
    ...(s3Path === undefined ? [] : s3aJobOptions),
    ...referenceOptions,
    flavorOption,
    queueOption,
  ];
  return [[type, { configs: options.map(hintOf), takes: hints.takes }]];
}

/** By plugin and version: what to do to get it. */
export type AbsentVersions = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const pluginOf = (offered: OfferedEngine): PluginEntry => {
  const { plugin, title, description } = offered.engine;
  return { name: plugin, title, description, versions: [versionOf(offered)], isExact: true };
};

/** One for each plugin. The versions are in the order in which they are given. */
export function pluginsOf(offered: readonly OfferedEngine[], absent: AbsentVersions): readonly PluginEntry[] {
  const plugins = new Map<string, PluginEntry>();
  for (const each of offered) {
    const plugin = pluginOf(each);
    const { versions = [] } = plugins.get(plugin.name) ?? {};
    const absentVersions = absent[plugin.name] ?? {};
    plugins.set(plugin.name, { ...plugin, versions: [...versions, ...plugin.versions], absentVersions });
  }
  return [...plugins.values()];
}

function versionOf({ engine, version }: OfferedEngine): PluginVersion {
  const { processes, options, jobs, absent = {}, absentJobs = {} } = engine;
  const targets = Map.groupBy(processes, ({ target }) => target);
  const named = [...targets].map(([target, of]) => [target, of.map(({ name }) => name)] as const);
  const jobTypes = jobs.map(({ type }) => type);
  const jobHints = Object.fromEntries(jobs.flatMap(hintsOf));
  const jobNeeds = Object.fromEntries(jobs.flatMap(({ type, needs }) => (needs === undefined ? [] : [[type, needs]])));
  const offered = { processes: Object.fromEntries(named), configs: configsOf(options), jobTypes, jobHints, jobNeeds };
  return { version, ...offered, absent, absentJobs };
}
