// The routes of plugins: section 4.1 of the interface.
import { configurationFile } from './bodies.ts';
import { convertConfig } from './conversion.ts';
import { accepted, type Call, type Endpoint, ok } from './endpoint.ts';
import type { About } from './openapi/about.ts';
import { type CauseKey, groupCauses } from './openapi/causes.ts';
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

const names = {
  id: { name: 'plugin_name', description: 'Name of the plugin' },
  version: { name: 'version', description: 'Version of the distribution' },
  name: { name: 'template_name', description: 'Name of the template to be' },
} as const;

const converting: readonly CauseKey[] = ['notJson', 'invalid', 'otherTarget', 'nameTaken', ...groupCauses];

/** Late upstream has no plugin left that converts, and early upstream wants the name in the path. */
const conversion = (summary: string, causes: NonNullable<About['causes']>): About => ({
  summary,
  description:
    'The file is the JSON of a request for a cluster template, of any type but a form. Its groups are described in full.',
  names,
  body: {
    schema: configurationFile,
    nulls: 'unset',
    filled: ['plugin_name', 'bigdata_version', ...(summary.endsWith('name') ? ['name'] : [])],
  },
  success: { status: 202, one: 'clusterTemplates' },
  causes,
});

export const pluginEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'plugins',
    about: { summary: 'List plugins', success: { status: 200, list: 'plugins' } },
    handle: ({ catalog, dialect }) =>
      ok(JSON.stringify({ plugins: catalog.plugins.map((plugin) => showPlugin(dialect, plugin)) })),
  },
  {
    method: 'GET',
    path: 'plugins/:id',
    about: { summary: 'Show plugin', names, success: { status: 200, one: 'plugins' } },
    handle: (service, { id }) => ok(JSON.stringify({ plugin: showPlugin(service.dialect, needPlugin(service, id)) })),
  },
  {
    method: 'GET',
    path: 'plugins/:id/:version',
    about: { summary: 'Show plugin version', names, success: { status: 200, one: 'pluginDetail' } },
    handle(service, { id, version }) {
      const plugin = needPlugin(service, id);
      return ok(JSON.stringify({ plugin: showVersion(service.dialect, plugin, needVersion(plugin, version)) }));
    },
  },
  {
    method: 'POST',
    path: 'plugins/:id/:version/convert-config',
    reads: 'text',
    about: conversion('Convert file', (dialect) => (dialect === 'neutral' ? converting : ['unnamed'])),
    handle: convert,
  },
  {
    method: 'POST',
    path: 'plugins/:id/:version/convert-config/:name',
    reads: 'text',
    about: conversion('Convert file under a name', (dialect) => (dialect === 'sahara' ? ['noConversion'] : converting)),
    handle: convert,
  },
];
