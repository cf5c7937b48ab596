// References to data sources in the configs, params and args of a run, as in upstream: `datasource://NAME`, or an identifier. PURE.
import { type FlatConfigs, isUuid } from '../../wire/common.ts';
import { sourceBeginning as beginning, sourceSwitches as switches } from '../../wire/job-rules.ts';
import type { Argument, JobConfigs } from '../../wire/jobs.ts';

/** The switches as options of jobs. */
export const referenceOptions = [
  {
    name: switches.name,
    default: false,
    description: 'Whether datasource://NAME in configs, params and args becomes the URL of the data source',
  },
  {
    name: switches.id,
    default: false,
    description: 'Whether identifiers of data sources in configs, params and args become their URLs',
  },
];

/** The config that names the flavor of a run. */
export const flavorConfig = 'edp.flavor';
export const flavorOption = {
  name: flavorConfig,
  default: '',
  description: 'The flavor that bounds the program: its cores, its memory and its disk',
};

/** The config that names the LocalQueue of Kueue in which a run waits. */
export const queueConfig = 'edp.queue';
export const queueOption = {
  name: queueConfig,
  default: '',
  description: 'The queue of Kueue in which the job waits for its resources',
};

/** What is said of a job that names a flavor that does not exist. `names`: those that do. */
export const noSuchFlavor = (wanted: FlatConfigs[string], names: string): string =>
  `configs have ${flavorConfig} ${JSON.stringify(String(wanted).slice(0, 100))}, and there is no such flavor; there are ${names || 'none'}`;

/** Configs that are for the service, and not for the program: the switches of references, flavor, queue, and marks of clients. */
export const isForService = (key: string): boolean =>
  key === flavorConfig ||
  key === queueConfig ||
  Object.values<string>(switches).includes(key) ||
  key.startsWith('edp.dataprocessing.dev/');

interface ConfiguredText {
  /** For messages, for example `args[0]`. */
  readonly field: string;
  readonly text: string;
  /** Whether the interface of the job says that it is a data source. */
  readonly isSource: boolean;
}

/** The texts in which references are looked for. `interface_`: that of the job. */
function valuesIn({ args = [], configs = {}, params = {} }: JobConfigs, interface_: readonly Argument[]) {
  const sources = interface_.filter(({ value_type }) => value_type === 'data_source');
  const places = new Set(sources.map(({ mapping_type, location }) => `${mapping_type} ${location}`));
  const isSource = (type: Argument['mapping_type'], location: string) => places.has(`${type} ${location}`);
  const named = (type: 'configs' | 'params', given: FlatConfigs) =>
    Object.entries(given).map(([key, text]) => ({ field: `${type} ${key}`, text, isSource: isSource(type, key) }));
  const positional = Array.isArray(args)
    ? args.map((text, index) => ({ field: `args[${index}]`, text, isSource: isSource('args', String(index)) }))
    : named('params', args as FlatConfigs);
  const all = [...positional, ...named('configs', configs), ...named('params', params)];
  return all.filter((value): value is ConfiguredText => typeof value.text === 'string');
}

/** Finds data sources that are visible to the tenant. */
export interface SourceIndex {
  byName(name: string): string | undefined;
  byId(id: string): string | undefined;
}

/** The identifiers of data sources by the texts that refer to them. Throws an Error with the field and the remedy if there is no such data source. */
export function findReferences(
  job_configs: JobConfigs,
  interface_: readonly Argument[],
  index: SourceIndex,
): Readonly<Record<string, string>> {
  const isOn = (key: string) => String(job_configs.configs?.[key] ?? '').toLowerCase() === 'true';
  const [byName, byId] = [isOn(switches.name), isOn(switches.id)];
  const found = valuesIn(job_configs, interface_).flatMap((value) => {
    const id = referenceIn(value, { byName: byName || value.isSource, byId: byId || value.isSource }, index);
    return id === undefined ? [] : [[value.text, id] as const];
  });
  return Object.fromEntries(found);
}

interface Switches {
  readonly byName: boolean;
  readonly byId: boolean;
}

/** Undefined if the text is something else. */
function referenceIn(
  { field, text }: ConfiguredText,
  { byName, byId }: Switches,
  index: SourceIndex,
): string | undefined {
  // Any identifier can also be something else.
  if (!text.startsWith(beginning)) return byId && isUuid(text) ? index.byId(text) : undefined;
  const what = text.slice(beginning.length);
  const isId = isUuid(what);
  if (!byName && !(byId && isId))
    throw new Error(`cannot use ${field}: it is ${text}; set ${switches[isId ? 'id' : 'name']} in configs to true`);
  const id = (byName ? index.byName(what) : undefined) ?? (isId ? index.byId(what) : undefined);
  if (id !== undefined) return id;
  throw new Error(`cannot use ${field}: there is no data source ${what}; create it, or correct ${text}`);
}
