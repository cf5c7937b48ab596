// The options of an engine as data: what users can set for a cluster or a node group, and where it goes.
import type { PluginConfigEntry } from '../model/catalog/configs.ts';
import type { ClusterGroupRecord, ClusterRecord, ConfigMap } from '../model/records/records.ts';
import { shortened } from '../model/texts.ts';

/** A node group of a cluster. */
export interface EngineGroup {
  readonly cluster: ClusterRecord;
  readonly group: ClusterGroupRecord;
}

type OptionValue = string | number | boolean;

export interface EngineOption {
  readonly name: string;
  /** The part of the engine that it belongs to, as `cluster_configs` and `node_configs` name it. */
  readonly target: string;
  /** An empty text leaves it to the engine. */
  readonly default: OptionValue;
  readonly description: string;
  /** Whether it makes sense for single node groups. Each of them can set it anyway. */
  readonly scope: 'node' | 'cluster';
  /** The configuration file that it is an entry of. When absent: the engine uses it in other ways, such as the size of a heap. */
  readonly file?: string;
  /** The least value of a number. */
  readonly least?: number;
  /** The form of a text, and how to describe it. */
  readonly form?: readonly [pattern: RegExp, text: string];
}

type OptionLine = readonly [
  name: string,
  value: OptionValue,
  description: string,
  more?: Pick<EngineOption, 'form' | 'least'>,
];

/** Options with the same target, scope and file. */
export const optionsOf = (
  common: Pick<EngineOption, 'target' | 'scope' | 'file'>,
  lines: readonly OptionLine[],
): readonly EngineOption[] =>
  lines.map(([name, value, description, more]) => ({ name, default: value, description, ...common, ...more }));

/** How long a machine may take to hand over what is on it before it is removed, in seconds. */
export const decommissionTimeout = (
  [target, what]: readonly [target: string, what: string],
  seconds: number,
  afterwards: string,
): EngineOption => ({
  name: `${what} Decommission Timeout`,
  target,
  scope: 'cluster',
  default: seconds,
  description: `Seconds that it may take to hand over its work before it is removed. ${afterwards}`,
  least: 1,
});

/** Sizes of memory, as Java writes them. */
export const memoryForm = [/^[1-9]\d{0,8}[kmg]$/i, 'a number with k, m or g, such as 512m'] as const;

const valueIn = (configs: ConfigMap, { target, name }: EngineOption): OptionValue | undefined =>
  configs[target]?.[name];

/** What the node group has set, or else its cluster, or else the default. */
export const readOption = ({ cluster, group }: EngineGroup, option: EngineOption): OptionValue =>
  valueIn(group.node_configs, option) ?? valueIn(cluster.cluster_configs, option) ?? option.default;

/** 0 without an option. */
export const readNumber = (group: EngineGroup, option: EngineOption | undefined): number =>
  option === undefined ? 0 : Number(readOption(group, option));

/** A number of cores, or memory in MiB, which can also be in GiB with a `g`. Undefined if it is `all`, which stands for what the flavor leaves. */
export function readShare(group: EngineGroup, option: EngineOption | undefined): number | undefined {
  const text = option === undefined ? '' : String(readOption(group, option));
  const [, number, unit = ''] = /^(\d+)([mg]?)$/i.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (unit.toLowerCase() === 'g' ? 1024 : 1);
}

/** The entries of a file, without those that are left to the engine. */
export function entriesOf(
  group: EngineGroup,
  options: readonly EngineOption[],
  file: string,
): readonly (readonly [name: string, value: string])[] {
  return options
    .filter((option) => option.file === file)
    .map((option) => [option.name, String(readOption(group, option))] as const)
    .filter(([, value]) => value !== '');
}

/** In characters. Each group has the settings of its cluster in an object of its own, so one long text is many. */
const longestText = 4096;
/** How much of a wrong value is shown. */
const mostShown = 100;

function problemOf(option: EngineOption, value: OptionValue): string | undefined {
  const text = String(value);
  if (text === String(option.default)) return undefined;
  if (typeof option.default === 'boolean') return /^(true|false)$/.test(text) ? undefined : 'true or false';
  if (typeof option.default === 'number') {
    const least = option.least ?? 0;
    return /^\d{1,12}$/.test(text) && Number(text) >= least ? undefined : `a whole number, ${least} at least`;
  }
  if (text.length > longestText) return `a text of at most ${longestText} characters`;
  // XML files can have none of these, and files in UTF-8 no half of a surrogate pair.
  if (/[\p{Cc}\p{Cs}\u{fffe}\u{ffff}]/u.test(text))
    return 'a text without line breaks and other characters that configuration files cannot have';
  const [pattern, form = ''] = option.form ?? [];
  return pattern === undefined || pattern.test(text) ? undefined : form;
}

/** Throws unless all values are of the types of their options. Whoever calls it has refused unknown options. */
export function checkValues({ cluster_configs, node_groups }: ClusterRecord, options: readonly EngineOption[]): void {
  const places = [
    ['cluster_configs', cluster_configs] as const,
    ...node_groups.map(({ name, node_configs }) => [`node_configs of group ${name}`, node_configs] as const),
  ];
  for (const [place, configs] of places)
    for (const option of options) {
      const value = valueIn(configs, option);
      const wanted = value === undefined ? undefined : problemOf(option, value);
      if (wanted === undefined) continue;
      throw new Error(`${place} have ${option.name} ${shortened(String(value), mostShown)}: give ${wanted}`);
    }
}

/** The options as the plugin lists them. */
export const configsOf = (options: readonly EngineOption[]): readonly PluginConfigEntry[] =>
  options.map(({ name, target, default: default_value, description, scope, file }) => ({
    name,
    description,
    default_value,
    config_type: typeof default_value === 'string' ? 'string' : typeof default_value === 'boolean' ? 'bool' : 'int',
    applicable_target: target,
    is_optional: file !== undefined,
    scope,
    priority: file === undefined ? 1 : 2,
  }));
