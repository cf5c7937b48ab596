// The configuration hints for each type of jobs (section 4.6).
import type { Dialect } from '../../../wire/dialect.ts';
import { type JobType, jobTypes } from '../../../wire/jobs.ts';
import type { Catalog } from '../../model/catalog/catalog.ts';
import type { ConfigHint, JobHints, PluginVersion } from '../../model/catalog/plugins.ts';
import { missing } from '../../model/refusal.ts';
import { type Call, type Endpoint, ok } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';

const hint = (name: string, value: string, description: string): ConfigHint => ({ name, value, description });

const mapReduce = [
  hint('mapred.map.tasks', '2', 'How many map tasks a run is split into'),
  hint('mapred.reduce.tasks', '1', 'How many reduce tasks a run is split into'),
  hint('mapred.job.priority', 'NORMAL', 'How urgent the run is'),
  hint('mapred.child.java.opts', '-Xmx200m', 'Options of the virtual machine of each task'),
  hint('mapred.compress.map.output', 'false', 'Whether what the map tasks write is compressed'),
];
const ownClasses = [
  hint('mapred.mapper.class', '', 'The class that maps'),
  hint('mapred.reducer.class', '', 'The class that reduces'),
];
const hive = [
  hint('hive.exec.parallel', 'false', 'Whether stages that do not need each other run side by side'),
  hint('hive.exec.reducers.max', '999', 'How many reduce tasks a query has at most'),
  hint('hive.mapjoin.smalltable.filesize', '25000000', 'Up to how many bytes a table is joined in memory'),
];

const none: readonly ConfigHint[] = [];
/** Those of upstream. */
const hints: Readonly<Record<JobType, JobHints>> = {
  Pig: { configs: mapReduce, takes: ['params', 'args'] },
  Hive: { configs: hive, takes: ['params'] },
  MapReduce: { configs: [...mapReduce, ...ownClasses], takes: [] },
  'MapReduce.Streaming': { configs: [...mapReduce, ...ownClasses], takes: [] },
  Jar: { configs: [...mapReduce, ...ownClasses], takes: [] },
  Java: { configs: none, takes: ['args'] },
  Shell: { configs: none, takes: ['params', 'args'] },
  Spark: { configs: none, takes: ['args'] },
  Storm: { configs: none, takes: ['args'] },
  'Storm.Pyleus': { configs: none, takes: ['args'] },
};

/** The hints for a type of jobs on one version of a plugin. */
const hintsIn = ({ jobHints = {} }: PluginVersion, type: JobType): JobHints => jobHints[type] ?? hints[type];

const runs = ({ jobTypes: types }: PluginVersion, type: JobType): boolean => types?.includes(type) ?? true;

/** The hints for a type of jobs, whichever cluster runs it. Undefined if none does, and there are no others than those of the catalog. */
function hintsFor({ plugins }: Catalog, type: JobType): JobHints | undefined {
  const versions = plugins.flatMap(({ versions: all }) => all).filter((version) => runs(version, type));
  if (versions.length === 0) return plugins.every(({ isExact }) => isExact === true) ? undefined : hints[type];
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
