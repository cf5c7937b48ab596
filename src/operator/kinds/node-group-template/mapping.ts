// NodeGroupTemplate between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { NodeGroupTemplate, NodeGroupTemplateCreate } from '../../../wire/node-group-template.ts';
import type { Spec } from '../../api/definition.ts';
import { asSet, nodeAttributes, settled } from '../node-groups.ts';
import type { nodeGroupTemplate } from './schema.ts';

export type NodeGroupTemplateSpec = Spec<typeof nodeGroupTemplate>;

export const content = (spec: NodeGroupTemplateSpec): unknown => {
  const { pluginName: plugin_name, bigdataVersion: bigdata_version } = spec;
  return { plugin_name, bigdata_version, ...nodeAttributes(spec), node_processes: asSet(spec.nodeProcesses) };
};

export const body = (spec: NodeGroupTemplateSpec, name: string): NodeGroupTemplateCreate => {
  const { pluginName: plugin_name, bigdataVersion: bigdata_version, description } = spec;
  return {
    name,
    plugin_name,
    bigdata_version,
    ...settled({ description }),
    ...nodeAttributes(spec),
  } as NodeGroupTemplateCreate;
};

export const report = (remote: NodeGroupTemplate): Readonly<Record<string, unknown>> =>
  settled({
    pluginName: cleanWord(remote.plugin_name),
    bigdataVersion: cleanWord(remote.bigdata_version),
    volumesPerNode: remote.volumes_per_node,
    volumesSize: remote.volumes_size,
    volumeMountPrefix: cleanWord(remote.volume_mount_prefix),
  });
