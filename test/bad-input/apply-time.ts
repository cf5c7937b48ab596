// What the API server refuses by itself, with the field and the way out.
import type { Spec } from '../kinds/schema/api.ts';
import { largest, smallest, standalone, uuid } from '../kinds/schema/samples.ts';
import type { ApplyRow } from './row.ts';

const inline = { name: 'head', count: 1, flavorID: '2', nodeProcesses: ['namenode'] };
const cluster = (changes: object) => ({ ...smallest.Cluster, ...changes });
const worker = (changes: object) => ({ ...smallest.NodeGroupTemplate, ...changes });
const template = (...nodeGroups: readonly object[]) => ({ ...smallest.ClusterTemplate, nodeGroups });
const group = (changes: object) => template({ ...inline, ...changes });
const connection = (changes: object) => ({ ...smallest.Connection, ...changes });

const unknown = (kind: string, spec: Spec, field: string): ApplyRow => ({
  name: `an unknown field of a ${kind}`,
  kind,
  spec,
  field: '400',
  says: new RegExp(`strict decoding error: unknown field "spec.${field}"`),
  applied: new RegExp(`\\.spec\\.${field}: field not declared in schema`),
});

const unknownFields: readonly ApplyRow[] = [
  unknown('NodeGroupTemplate', worker({ flavour: 'x' }), 'flavour'),
  unknown('ClusterTemplate', { ...smallest.ClusterTemplate, nodegroups: [] }, 'nodegroups'),
  unknown('Cluster', cluster({ netId: uuid }), 'netId'),
  unknown('Connection', connection({ url: 'http://a' }), 'url'),
];

export const applyRows: readonly ApplyRow[] = [
  ...unknownFields,
  {
    name: 'an unknown field of a node group',
    kind: 'ClusterTemplate',
    spec: group({ replicas: 3 }),
    field: '400',
    says: /unknown field "spec.nodeGroups\[0\].replicas"/,
    applied: /\.spec\.nodeGroups\[name="head"\]\.replicas: field not declared in schema/,
  },
  {
    name: 'a count in quotes',
    kind: 'ClusterTemplate',
    spec: group({ count: '3' }),
    field: 'spec.nodeGroups[0].count',
    says: /must be of type integer/,
    applied: /\.spec\.nodeGroups\[name="head"\]\.count: expected numeric/,
  },
  {
    name: 'one process where a list belongs',
    kind: 'NodeGroupTemplate',
    spec: worker({ nodeProcesses: 'datanode' }),
    field: 'spec.nodeProcesses',
    says: /must be of type array/,
    applied: /\.spec\.nodeProcesses: expected list/,
  },
  {
    name: 'a version that YAML reads as a number',
    kind: 'NodeGroupTemplate',
    spec: worker({ bigdataVersion: 1.2 }),
    field: 'spec.bigdataVersion',
    says: /must be of type string: "number"/,
    applied: /\.spec\.bigdataVersion: expected string, got &value/,
  },
  {
    name: 'a name where a reference belongs',
    kind: 'Cluster',
    spec: { clusterTemplateRef: 'small' },
    field: 'spec.clusterTemplateRef',
    says: /must be of type object/,
    applied: /\.spec\.clusterTemplateRef: expected map/,
  },
  {
    name: 'neither template nor groups',
    kind: 'Cluster',
    spec: { pluginName: 'vanilla', bigdataVersion: '1.2.1' },
    field: 'spec.nodeGroups',
    says: /Required value: a Cluster without clusterTemplateRef or clusterTemplateID needs nodeGroups/,
  },
  {
    name: 'an empty list of groups and no template',
    kind: 'Cluster',
    spec: { ...standalone, nodeGroups: [] },
    field: 'spec.nodeGroups',
    says: /a Cluster without clusterTemplateRef or clusterTemplateID needs nodeGroups/,
  },
  {
    name: 'a template by name and by identifier',
    kind: 'Cluster',
    spec: cluster({ clusterTemplateID: uuid }),
    field: 'spec.clusterTemplateID',
    says: /give either clusterTemplateRef or clusterTemplateID, not both/,
  },
  {
    name: 'a group with a template and nodes of its own',
    kind: 'ClusterTemplate',
    spec: group({ nodeGroupTemplateRef: { name: 'worker' } }),
    field: 'spec.nodeGroups[0]',
    says: /takes its nodes from there: remove flavorID, nodeProcesses and the other fields of its own, or remove the template/,
  },
  {
    name: 'a group that says nothing of its nodes, in a ClusterTemplate',
    kind: 'ClusterTemplate',
    spec: template({ name: 'head', count: 1 }),
    field: 'spec.nodeGroups[0]',
    says: /give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses/,
  },
  {
    name: 'a group that says nothing of its nodes, in a Cluster without a template',
    kind: 'Cluster',
    spec: { ...standalone, nodeGroups: [{ name: 'head', count: 1 }] },
    field: 'spec.nodeGroups',
    says: /each node group needs nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses/,
  },
  {
    name: 'a group with a flavor and no processes',
    kind: 'ClusterTemplate',
    spec: template({ name: 'head', count: 1, flavorID: '2' }),
    field: 'spec.nodeGroups[0].nodeProcesses',
    says: /Required value: a group without a node group template needs nodeProcesses/,
  },
  {
    name: 'no group in a ClusterTemplate',
    kind: 'ClusterTemplate',
    spec: template(),
    field: 'spec.nodeGroups',
    says: /should have at least 1 items/,
  },
  {
    name: 'fewer than no nodes',
    kind: 'Cluster',
    spec: { ...standalone, nodeGroups: [{ ...inline, count: -1 }] },
    field: 'spec.nodeGroups[0].count',
    says: /Invalid value: -1: .*should be greater than or equal to 0/,
  },
  {
    name: 'more nodes than a number can tell',
    kind: 'Cluster',
    spec: { ...standalone, nodeGroups: [{ ...inline, count: 2 ** 31 }] },
    field: 'spec.nodeGroups[0].count',
    says: /should be less than or equal to 2147483647/,
  },
  {
    name: 'two groups of one name',
    kind: 'ClusterTemplate',
    spec: template(inline, { ...inline, count: 2 }),
    field: 'spec.nodeGroups[1]',
    says: /Duplicate value: {"name":"head"}/,
    applied: /duplicate entries for key \[name="head"\]/,
  },
  {
    name: 'a process twice',
    kind: 'NodeGroupTemplate',
    spec: worker({ nodeProcesses: ['datanode', 'datanode'] }),
    field: 'spec.nodeProcesses[1]',
    says: /Duplicate value: "datanode"/,
    applied: /\.spec\.nodeProcesses: duplicate entries for key/,
  },
  {
    name: 'a group name that is too long for host names',
    kind: 'ClusterTemplate',
    spec: group({ name: 'g'.repeat(31) }),
    field: 'spec.nodeGroups[0].name',
    says: /Too long: may not be more than 30/,
  },
  {
    name: 'a group name that begins with a digit',
    kind: 'ClusterTemplate',
    spec: group({ name: '1st' }),
    field: 'spec.nodeGroups[0].name',
    says: /letters, digits and hyphens in dot-separated labels that begin with a letter/,
  },
  {
    name: 'an object name that is too long',
    kind: 'NodeGroupTemplate',
    called: 'n'.repeat(254),
    spec: worker({}),
    field: 'metadata.name',
    says: /must be no more than 253 (characters|bytes)/,
  },
  {
    name: 'an object name with capitals',
    kind: 'Cluster',
    called: 'ETL_1',
    spec: cluster({}),
    field: 'metadata.name',
    says: /lower case alphanumeric characters/,
  },
  {
    name: 'a list as a configuration',
    kind: 'NodeGroupTemplate',
    spec: worker({ nodeConfigs: { HDFS: { hosts: ['a', 'b'] } } }),
    field: 'spec.nodeConfigs.HDFS.hosts',
    says: /must have at most 0 items/,
  },
  {
    name: 'an object as a configuration',
    kind: 'ClusterTemplate',
    spec: { ...largest.ClusterTemplate, clusterConfigs: { HDFS: { 'dfs.hosts': { a: 1 } } } },
    field: 'spec.clusterConfigs.HDFS.dfs.hosts',
    says: /must have at most 0 items/,
  },
  {
    name: 'a configuration without a target',
    kind: 'NodeGroupTemplate',
    spec: worker({ nodeConfigs: { 'Heap Size': 1024 } }),
    field: 'spec.nodeConfigs.Heap Size',
    says: /must be of type object: "integer"/,
    applied: /\.spec\.nodeConfigs\.Heap Size: expected map/,
  },
  {
    name: 'a password in an endpoint',
    kind: 'Connection',
    spec: connection({ endpoint: 'http://me:secret@host' }),
    field: 'spec.endpoint',
    says: /without user, password, query and fragment/,
  },
  {
    name: 'a token from nowhere',
    kind: 'Connection',
    spec: connection({ auth: { type: 'Token' } }),
    field: 'spec.auth.secretRef',
    says: /Required value: type Token needs secretRef: the Secret that holds the token/,
  },
  {
    name: 'a template by identifier in place of one by name',
    kind: 'Cluster',
    before: smallest.Cluster,
    spec: { clusterTemplateID: uuid },
    field: 'spec',
    says: /clusterTemplateRef cannot change after creation: make a new Cluster/,
  },
];
