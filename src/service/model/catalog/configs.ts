// The configurations of the bundled plugins by target: name, default and description.

type Value = PluginConfigEntry['default_value'];
type Line = readonly [string, Value, string];
type Traits = Pick<PluginConfigEntry, 'applicable_target' | 'is_optional' | 'scope' | 'priority'>;

/** The type of a default value. */
export const typeOf = (value: Value): PluginConfigEntry['config_type'] =>
  typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'int';

const entries = (traits: Traits, lines: readonly Line[]): readonly PluginConfigEntry[] =>
  lines.map(([name, default_value, description]) => ({
    name,
    description,
    default_value,
    config_type: typeOf(default_value),
    ...traits,
  }));

/** Settings that the plugin itself uses: they always have a value, and are shown first. */
export const sizes = (applicable_target: string, lines: readonly Line[]) =>
  entries({ applicable_target, is_optional: false, scope: 'node', priority: 1 }, lines);
/** Settings in the files of the distribution, for single nodes or for the whole cluster. */
export const settings = (applicable_target: string, scope: PluginConfigEntry['scope'], lines: readonly Line[]) =>
  entries({ applicable_target, is_optional: true, scope, priority: 2 }, lines);

export const general = entries({ applicable_target: 'general', is_optional: true, scope: 'cluster', priority: 1 }, [
  ['Enable Swift', true, 'Lets jobs read from and write to the object store'],
  ['Enable NTP service', true, 'Keeps the clocks of the nodes together'],
  ['URL of NTP server', '', 'Time server to use in place of the default one'],
  ['Timeout for disk preparing', 300, 'Seconds to wait for the volumes of a node'],
  ['Heat Wait Condition timeout', 3600, 'Seconds to wait for a machine'],
]);

/** Late upstream has these for every plugin. */
const common = [
  ...general.filter(({ name }) => name !== 'Enable Swift'),
  ...entries({ applicable_target: 'general', is_optional: true, scope: 'cluster', priority: 1 }, [
    ['Enable XFS', true, 'Formats volumes with XFS'],
  ]),
];

/** Adds the common configurations that are missing, before the plugin's own. */
export function withCommon(configs: readonly PluginConfigEntry[]): readonly PluginConfigEntry[] {
  const missing = common.filter(
    ({ name, applicable_target }) =>
      !configs.some((config) => config.name === name && config.applicable_target === applicable_target),
  );
  return [...missing, ...configs];
}

export interface PluginConfigEntry {
  readonly name: string;
  readonly description: string;
  readonly default_value: string | boolean | number;
  readonly config_type: 'string' | 'bool' | 'int';
  readonly applicable_target: string;
  readonly is_optional: boolean;
  readonly scope: 'node' | 'cluster';
  readonly priority: number;
}
