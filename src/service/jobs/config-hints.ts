// The configuration hints for each type of jobs (section 4.6), and the plugins that support a type, as in late upstream releases.
import type { Dialect } from '../../wire/dialect.ts';
import { type JobType, jobTypes } from '../../wire/jobs.ts';
import { missing } from '../http/refusal.ts';
import type { PluginEntry } from '../plugins/plugins.ts';
import { type Call, type Endpoint, ok } from '../routes/endpoint.ts';
import type { Service } from '../service.ts';

interface Hint {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

const hint = (name: string, value: string, description: string): Hint => ({ name, value, description });

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

const none: readonly Hint[] = [];
const hints: Readonly<
  Record<JobType, { readonly configs: readonly Hint[]; readonly takes: readonly ('params' | 'args')[] }>
> = {
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

/** The hints for a type of jobs as they are answered. */
export function hintsOf(dialect: Dialect, type: JobType): object {
  const { configs, takes } = hints[type];
  const args = dialect === 'savanna' ? {} : [];
  const others = takes.map((name) => [name, name === 'params' ? {} : args] as const);
  return { job_config: { configs, ...Object.fromEntries(others) } };
}

export function showConfigHints({ dialect }: Service, { id }: Call): ReturnType<Endpoint['handle']> {
  const type = jobTypes[dialect].find((each) => each === id);
  if (type === undefined) throw missing('job type', id);
  return ok(JSON.stringify(hintsOf(dialect, type)));
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
  at: readonly [WantedTypes, object],
) {
  const [wanted, hints] = at;
  const running = versions.filter(
    ({ version, jobTypes: types }) => wanted('version', version) && (types === undefined || types.includes(type)),
  );
  if (!wanted('plugin', name) || running.length === 0) return [];
  return [{ name, title, description, versions: Object.fromEntries(running.map(({ version }) => [version, hints])) }];
}

/** With `hints=true`, each version has its configuration hints. */
export function showJobTypes({ catalog, dialect }: Service, call: Call): ReturnType<Endpoint['handle']> {
  const wanted = wantedBy(call);
  const withHints = [call.query['hints'] ?? []].flat()[0]?.toLowerCase() === 'true';
  const types = jobTypes[dialect].filter((type) => wanted('type', type));
  const shown = types.map((name) => {
    const hints = withHints ? hintsOf(dialect, name) : {};
    return { name, plugins: catalog.plugins.flatMap((plugin) => showPlugin(plugin, name, [wanted, hints])) };
  });
  return ok(JSON.stringify({ job_types: shown.filter(({ plugins }) => plugins.length > 0) }));
}
