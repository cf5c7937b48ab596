// The configuration hints for each type of jobs (section 4.6).
import type { Dialect } from '../../../wire/dialect.ts';
import { type JobType, jobTypes } from '../../../wire/jobs.ts';
import { jobRules } from '../../engines/job-types.ts';
import type { Catalog } from '../../model/catalog/catalog.ts';
import type { JobHints, PluginVersion } from '../../model/catalog/plugins.ts';
import { missing } from '../../model/refusal.ts';
import { type Call, type Endpoint, ok } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';

/** The hints for a type of jobs on one version of a plugin. */
const hintsIn = ({ jobHints = {} }: PluginVersion, type: JobType): JobHints => jobHints[type] ?? jobRules[type].hints;

const runs = ({ jobTypes: types }: PluginVersion, type: JobType): boolean => types?.includes(type) ?? true;

/** The hints for a type of jobs, whichever cluster runs it. Undefined if none does, and there are no others than those of the catalog. */
function hintsFor({ plugins }: Catalog, type: JobType): JobHints | undefined {
  const versions = plugins.flatMap(({ versions: all }) => all).filter((version) => runs(version, type));
  if (versions.length === 0) return plugins.every(({ isExact }) => isExact === true) ? undefined : jobRules[type].hints;
  const found = versions.map((version) => hintsIn(version, type));
  const configs = new Map(found.flatMap((each) => each.configs.map((config) => [config.name, config] as const)));
  return { configs: [...configs.values()], takes: [...new Set(found.flatMap(({ takes }) => takes))] };
}

/** Hints as they are answered. */
function shownHints(dialect: Dialect, { configs, takes }: JobHints): object {
  const args = dialect === 'savanna' ? {} : [];
  const others = takes.map((name) => [name, name === 'params' ? {} : args] as const);
  return { job_config: { configs, ...Object.fromEntries(others) } };
}

export function showConfigHints({ catalog, dialect }: Service, { id }: Call): ReturnType<Endpoint['handle']> {
  const type = jobTypes[dialect].find((each) => each === id);
  const found = type === undefined ? undefined : hintsFor(catalog, type);
  if (found === undefined) throw missing('job type', id);
  return ok(JSON.stringify(shownHints(dialect, found)));
}
