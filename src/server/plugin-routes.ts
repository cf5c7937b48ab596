// The routes of plugins: section 4.1 of the interface.
import { convertConfig } from './conversion.ts';
import { accepted, type Call, type Endpoint, ok } from './endpoint.ts';
import type { PluginEntry, PluginVersion } from './plugins.ts';
import { missing } from './refusal.ts';
import { renderOne, type Service } from './service.ts';
import { showPlugin, showVersion } from './view.ts';

/** The plugin in the path. */
function needPlugin({ catalog }: Service, name: string): PluginEntry {
  const plugin = catalog.plugins.find((entry) => entry.name === name);
  if (plugin === undefined) throw missing('plugin', name);
  return plugin;
}

/** The version in the path. */
function needVersion(plugin: PluginEntry, version: string): PluginVersion {
  const found = plugin.versions.find((entry) => entry.version === version);
  if (found === undefined) throw missing(`version of plugin ${plugin.name}`, version);
  return found;
}

function convert(service: Service, call: Call) {
  needVersion(needPlugin(service, call.id), call.version);
  const template = convertConfig(service, call);
  return accepted(renderOne(service, { kind: 'clusterTemplates', tenant: call.tenant }, template));
}

export const pluginEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'plugins',
    handle: ({ catalog }) => ok(JSON.stringify({ plugins: catalog.plugins.map(showPlugin) })),
  },
  {
    method: 'GET',
    path: 'plugins/:id',
    handle: (service, { id }) => ok(JSON.stringify({ plugin: showPlugin(needPlugin(service, id)) })),
  },
  {
    method: 'GET',
    path: 'plugins/:id/:version',
    handle(service, { id, version }) {
      const plugin = needPlugin(service, id);
      return ok(JSON.stringify({ plugin: showVersion(service.dialect, plugin, needVersion(plugin, version)) }));
    },
  },
  { method: 'POST', path: 'plugins/:id/:version/convert-config', reads: 'text', handle: convert },
  { method: 'POST', path: 'plugins/:id/:version/convert-config/:name', reads: 'text', handle: convert },
];
