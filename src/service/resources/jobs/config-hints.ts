// The configuration hints for each type of jobs (section 4.6), and the plugins that support a type, as in late upstream releases.
import type { Dialect } from '../../../wire/dialect.ts';
import { type JobType, jobTypes } from '../../../wire/jobs.ts';
import { jobRules } from '../../engines/job-types.ts';
import type { Catalog } from '../../model/catalog/catalog.ts';
import type { JobHints, PluginEntry, PluginVersion } from '../../model/catalog/plugins.ts';
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

type WantedTypes = (parameter: 'type' | 'plugin' | 'version', value: string) => boolean;

/** Each parameter can be repeated. Without it, everything matches. */
const wantedBy =
  ({ query }: Call): WantedTypes =>
  (parameter, value) =>
    query[parameter] === undefined || [query[parameter]].flat().includes(value);

function showPlugin(
  { name, title, description, versions }: PluginEntry,
  type: JobType,
  wanted: WantedTypes,
  show: (version: PluginVersion) => object,
) {
  const running = versions.filter((each) => wanted('version', each.version) && runs(each, type));
  if (!wanted('plugin', name) || running.length === 0) return [];
  const shown = running.map((each) => [each.version, show(each)] as const);
  return [{ name, title, description, versions: Object.fromEntries(shown) }];
}

/** With `hints=true`, each version has its configuration hints. */
export function showJobTypes({ catalog, dialect }: Service, call: Call): ReturnType<Endpoint['handle']> {
  const wanted = wantedBy(call);
  const withHints = [call.query['hints'] ?? []].flat()[0]?.toLowerCase() === 'true';
  const types = jobTypes[dialect].filter((type) => wanted('type', type));
  const shown = types.map((name) => {
    const show = (version: PluginVersion) => (withHints ? shownHints(dialect, hintsIn(version, name)) : {});
    return { name, plugins: catalog.plugins.flatMap((plugin) => showPlugin(plugin, name, wanted, show)) };
  });
  return ok(JSON.stringify({ job_types: shown.filter(({ plugins }) => plugins.length > 0) }));
}
