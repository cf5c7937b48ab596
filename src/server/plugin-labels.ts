// Labels that late upstream releases put on plugins and their versions: what is known of them, and what users may choose. PURE.
import type { PluginEntry } from './plugins.ts';

const meanings = {
  enabled: { mutable: true, description: 'Can be used for clusters and jobs' },
  hidden: { mutable: true, description: 'Is not offered in lists for people, and can be used all the same' },
  stable: { mutable: false, description: 'Is known to work' },
  deprecated: { mutable: false, description: 'Will go in a later release: use another one' },
} as const;
type Label = keyof typeof meanings;

const shown = (labels: readonly Label[]) =>
  Object.fromEntries(labels.map((label) => [label, { status: true, ...meanings[label] }]));

/** Everything is enabled; few things have another label. */
export const labelsOf = ({ hidden = false, versions }: PluginEntry) => ({
  plugin_labels: shown(hidden ? ['enabled', 'hidden'] : ['enabled']),
  version_labels: Object.fromEntries(versions.map(({ version }) => [version, shown(['enabled'])])),
});
