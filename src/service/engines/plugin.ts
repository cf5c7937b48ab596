// An engine as the service offers it: a plugin with one version.

import type { ConfigHint, JobHints, PluginEntry } from '../model/catalog/plugins.ts';
import { referenceOptions } from '../model/references.ts';
import type { Engine, EngineJob, JobOption } from './engine.ts';
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
  const options = [...hints.options, ...(s3Path === undefined ? [] : s3aJobOptions), ...referenceOptions];
  return [[type, { configs: options.map(hintOf), takes: hints.takes }]];
}

export function pluginOf({ engine, version }: { readonly engine: Engine; readonly version: string }): PluginEntry {
  const { plugin, title, description, processes, options, jobs, absent = {}, absentJobs = {} } = engine;
  const targets = Map.groupBy(processes, ({ target }) => target);
  const named = [...targets].map(([target, of]) => [target, of.map(({ name }) => name)] as const);
  const jobTypes = jobs.map(({ type }) => type);
  const jobHints = Object.fromEntries(jobs.flatMap(hintsOf));
  const jobNeeds = Object.fromEntries(jobs.flatMap(({ type, needs }) => (needs === undefined ? [] : [[type, needs]])));
  const offered = { processes: Object.fromEntries(named), configs: configsOf(options), jobTypes, jobHints, jobNeeds };
  return { name: plugin, title, description, versions: [{ version, ...offered, absent, absentJobs }], isExact: true };
}
