// The routes of plugins: section 4.1 of the interface.

import { volumeFull } from '../../../wire/plugin.ts';
import type { PluginEntry, PluginVersion } from '../../model/catalog/plugins.ts';
import { type CauseKey, groupCauses } from '../../model/causes.ts';
import { missing } from '../../model/refusal.ts';
import { configurationFile } from '../bodies/bodies.ts';
import type { About } from '../endpoints/about.ts';
import { accepted, type Call, type Endpoint, ok } from '../endpoints/endpoint.ts';
import { renderOne, type Service } from '../service.ts';
import { convertConfig } from '../templates/conversion.ts';
import { showPlugin, showVersion } from '../views/record-view.ts';

function needPlugin({ catalog }: Service, name: string): PluginEntry {
  const plugin = catalog.plugins.find((entry) => entry.name === name);
  if (plugin === undefined) throw missing('plugin', name);
  return plugin;
}

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

const converting: readonly CauseKey[] = [
  'notJson',
  'invalid',
  'otherTarget',
  'nameTaken',
  ...groupCauses,
  'tooManyRows',
];

/** No plugin of late upstream converts files any more, and early upstream requires the name in the path. */
const conversion = (summary: string, causes: NonNullable<About['causes']>): About => ({
  summary,
  description:
    'The file is the JSON of a request for a cluster template, of any media type except forms. Its groups are described in full.',
  names,
  body: {
    schema: configurationFile,
    nullFields: 'unset',
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
    handle: (service) => {
      const plugins = service.catalog.plugins.map(showPlugin);
      // Clients read this list to check whether the service works.
      return ok(JSON.stringify({ plugins, ...(service.store.volume?.isFull === true && { [volumeFull]: true }) }));
    },
  },
  {
    method: 'GET',
    path: 'plugins/:id',
    about: { summary: 'Show plugin', names, success: { status: 200, one: 'plugins' } },
    handle: (service, { id }) => ok(JSON.stringify({ plugin: showPlugin(needPlugin(service, id)) })),
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
