// Labels of plugins and their versions in late upstream releases: what a tenant can use, and its maturity.
import { z } from 'zod';
import type { PluginEntry } from '../../model/catalog/plugins.ts';
import type { Label, LabelStates, PluginLabelsRecord } from '../../model/records/records.ts';
import { invalidData, invalidReference, Refusal } from '../../model/refusal.ts';
import { readExactBody } from '../bodies/bodies.ts';
import type { Call } from '../endpoints/endpoint.ts';
import type { Service } from '../service.ts';

const labels: Readonly<Record<Label, { readonly mutable: boolean; readonly description: string }>> = {
  enabled: { mutable: true, description: 'Can be used for clusters and jobs' },
  hidden: { mutable: true, description: 'Is not offered in lists for people, and can be used all the same' },
  stable: { mutable: false, description: 'Is known to work' },
  deprecated: { mutable: false, description: 'Will go in a later release: use another one' },
};

const state = z.strictObject({ status: z.boolean().optional() }).optional();
const states = z.strictObject({ hidden: state, stable: state, enabled: state, deprecated: state });

export const pluginChange = z.strictObject({
  plugin_labels: states.optional(),
  version_labels: z.record(z.string(), states).optional(),
});
type States = z.output<typeof states>;

/** The labels of a plugin and its versions for the tenant. None is stable or deprecated. */
function statesOf({ store }: Service, tenant: string, plugin: PluginEntry): Omit<PluginLabelsRecord, 'id' | 'name'> {
  const changed = store.get('pluginLabels', tenant, plugin.name);
  const atFirst = { enabled: true, ...(plugin.hidden && { hidden: true }) };
  const versions = plugin.versions.map(
    ({ version }) => [version, { enabled: true, ...changed?.version_labels[version] }] as const,
  );
  return {
    plugin_labels: { ...atFirst, ...changed?.plugin_labels },
    version_labels: Object.fromEntries(versions),
  };
}

const labelNames = Object.keys(labels) as readonly Label[];

const show = (present: LabelStates) =>
  Object.fromEntries(
    labelNames.flatMap((label) =>
      present[label] === undefined ? [] : [[label, { status: present[label], ...labels[label] }]],
    ),
  );

/** The labels in an answer, which only late releases have. */
export function showLabels(service: Service, tenant: string, plugin: PluginEntry): object {
  if (service.dialect !== 'sahara') return {};
  const { plugin_labels, version_labels } = statesOf(service, tenant, plugin);
  const versions = Object.entries(version_labels).map(([version, present]) => [version, show(present)]);
  return { plugin_labels: show(plugin_labels), version_labels: Object.fromEntries(versions) };
}

/** Throws unless the version is enabled for the tenant. */
export function checkEnabled(
  service: Service,
  tenant: string,
  used: { readonly plugin_name: string; readonly bigdata_version: string },
): void {
  const { plugin_name: name, bigdata_version: version } = used;
  const plugin = service.catalog.plugins.find((entry) => entry.name === name);
  if (service.dialect !== 'sahara' || plugin === undefined) return;
  const { plugin_labels, version_labels } = statesOf(service, tenant, plugin);
  if (plugin_labels.enabled !== true) throw invalidReference(`cannot use plugin ${name}: it is not enabled`);
  if (version_labels[version]?.enabled !== true)
    throw invalidReference(`cannot use version ${version} of plugin ${name}: it is not enabled`);
}

/** The labels after the change. `what`: their owner, for messages. */
function changeStates(what: string, present: LabelStates, change: States): LabelStates {
  const changed: Partial<Record<Label, boolean>> = {};
  for (const label of labelNames) {
    const wanted = change[label];
    if (wanted === undefined) continue;
    if (present[label] === undefined)
      throw invalidData(`cannot change label ${label} of ${what}: it has no such label`);
    if (wanted.status !== undefined) changed[label] = wanted.status;
  }
  return { ...present, ...changed };
}

/** Upstream first checks whether any plugin has the version, and then whether this one has it. */
function checkVersion({ catalog }: Service, { name, versions }: PluginEntry, version: string): void {
  if (versions.some((entry) => entry.version === version)) return;
  const others = catalog.plugins.flatMap((plugin) => plugin.versions);
  if (others.some((entry) => entry.version === version))
    throw invalidData(`cannot change labels of version ${version}: plugin ${name} has no such version`);
  throw new Refusal([400, 'VALIDATION_ERROR'], `version_labels[${version}]: unknown field`);
}

/** Changes the labels for this tenant only. */
export function changeLabels(service: Service, { tenant, body }: Call, plugin: PluginEntry): void {
  const change = readExactBody(service.dialect, pluginChange, body);
  const { plugin_labels, version_labels } = statesOf(service, tenant, plugin);
  const { name } = plugin;
  const versions = Object.entries(change.version_labels ?? {}).map(([version, wanted]) => {
    checkVersion(service, plugin, version);
    return [version, changeStates(`version ${version}`, version_labels[version] ?? {}, wanted)] as const;
  });
  service.store.put('pluginLabels', tenant, {
    id: name,
    name,
    plugin_labels: changeStates(`plugin ${name}`, plugin_labels, change.plugin_labels ?? {}),
    version_labels: { ...version_labels, ...Object.fromEntries(versions) },
  });
}
