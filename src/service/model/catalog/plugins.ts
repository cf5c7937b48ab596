// What a plugin is: its versions, processes and configurations.
import type { JobType } from '../../../wire/jobs.ts';
import { type PluginConfigEntry, withCommon } from './configs.ts';

export interface PluginVersion {
  readonly version: string;
  readonly processes: Readonly<Record<string, readonly string[]>>;
  readonly configs: readonly PluginConfigEntry[];
  /** Processes that are not offered here, by name, with what to do about it. */
  readonly absent?: Readonly<Record<string, string>>;
  /** The tags that an image must have. When absent: the names of plugin and version. */
  readonly requiredTags?: readonly string[];
  /** The types of jobs that its clusters run. When absent: all. */
  readonly jobTypes?: readonly JobType[];
  /** What a job of the type can be configured with. When absent: what upstream says. */
  readonly jobHints?: Readonly<Partial<Record<JobType, JobHints>>>;
  /** Types of jobs that are not offered here, with what to do about it. */
  readonly absentJobs?: Readonly<Record<string, string>>;
  /** What a request has to contain to run a job of the type. When absent: what it has to in every service. */
  readonly jobNeeds?: Readonly<Partial<Record<JobType, readonly JobNeed[]>>>;
}

export interface ConfigHint {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}
/** What jobs of a type can be configured with: suggestions for `configs`, and what else they take. */
export interface JobHints {
  readonly configs: readonly ConfigHint[];
  readonly takes: readonly ('params' | 'args')[];
}

/** Something that a request has to contain to run a job. A main class of a jar: not if the main is a program in Python. */
export type JobNeed = 'sources' | 'main class' | 'main class of a jar' | 'streaming';

export interface PluginEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** There are no other configurations than those of the versions. */
  readonly isExact?: boolean;
  readonly versions: readonly PluginVersion[];
  /** Versions that are not offered here, with what to do about it. */
  readonly absentVersions?: Readonly<Record<string, string>>;
}

/** The tags that an image must have to be used for a version. */
export const requiredTags = (
  plugin: string,
  { version, requiredTags: tags }: Pick<PluginVersion, 'version' | 'requiredTags'>,
): readonly string[] => tags ?? [plugin, version];

/** The plugin with the configurations that late releases add. */
export function withCommonConfigs(plugin: PluginEntry): PluginEntry {
  if (plugin.isExact === true) return plugin;
  return {
    ...plugin,
    versions: plugin.versions.map((version) => ({ ...version, configs: withCommon(version.configs) })),
  };
}
