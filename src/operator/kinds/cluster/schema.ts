// What a user may set on a Cluster, and what its status tells.
import { z } from 'zod';
import { age, condition, id, message, ready } from '../../api/columns.ts';
import {
  commonSpec,
  configs,
  externalStatus,
  fixedConnection,
  freeFields,
  recordID,
  reference,
} from '../../api/common.ts';
import type { Column, Definition, Spec } from '../../api/definition.ts';
import { immutable, notBoth, type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import {
  bigdataVersion,
  described,
  description,
  nodeGroupList,
  nodeGroupShape,
  observedPlugin,
  pluginName,
} from '../../api/node-group.ts';
import { fixedName, namesFit } from './name.ts';

/** A group that was given its own nodes keeps them; one by template may change its template. */
const groupRules: readonly Rule[] = immutable(nodeGroupShape, {
  but: ['name', 'count', 'nodeGroupTemplateRef', 'nodeGroupTemplateID'],
  unnamed: 'nodeConfigs',
  remedy: ' while the group exists: add a group under another name',
})
  // Only groups with a flavor of their own have the other fields of a node at all.
  .map((rule) => (rule.field ? rule : { ...rule, rule: `!has(oldSelf.flavorID) || (${rule.rule})` }));

const hasTemplate = 'has(self.clusterTemplateRef) || has(self.clusterTemplateID)';

const needed = (field: string): Rule => ({
  rule: `${hasTemplate} || has(self.${field})`,
  message: `a Cluster without clusterTemplateRef or clusterTemplateID needs ${field}`,
  fieldPath: `.${field}`,
  reason: 'FieldValueRequired',
});

const rules: readonly Rule[] = [
  fixedConnection,
  namesFit,
  notBoth('clusterTemplateRef', 'clusterTemplateID'),
  notBoth('defaultImageID', 'imageRef'),
  needed('pluginName'),
  needed('bigdataVersion'),
  {
    ...needed('nodeGroups'),
    rule: `${hasTemplate} || (has(self.nodeGroups) && self.nodeGroups.size() > 0)`,
  },
  {
    rule: `${hasTemplate} || !has(self.nodeGroups) || self.nodeGroups.all(g, ${described('g')})`,
    message:
      'in a Cluster without a template each node group needs nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    fieldPath: '.nodeGroups',
  },
];

const shape = {
  ...commonSpec,
  name: fixedName.optional(),
  description: description.optional().describe('For people. Cannot change after creation.'),
  clusterTemplateRef: reference('ClusterTemplate')
    .optional()
    .describe('The ClusterTemplate to start from, in the same namespace. Cannot change after creation.'),
  clusterTemplateID: recordID
    .optional()
    .describe(
      'Identifier in the service of a cluster template that has no object here. Instead of clusterTemplateRef. Cannot change after creation.',
    ),
  pluginName: pluginName
    .optional()
    .describe(
      'Plugin of the service that installs the distribution. Unset: that of the template. Cannot change after creation.',
    ),
  bigdataVersion: bigdataVersion
    .optional()
    .describe('Version of the distribution. Unset: that of the template. Cannot change after creation.'),
  defaultImageID: recordID
    .optional()
    .describe(
      'Image for the nodes. Unset: imageRef, or that of the template; one of them there must be. Cannot change after creation.',
    ),
  imageRef: reference('ImageRegistration')
    .optional()
    .describe(
      'The ImageRegistration of the image for the nodes, in the same namespace; the cluster is started when it is Ready. Instead of defaultImageID. Cannot change after creation.',
    ),
  userKeypairID: text(255, {
    pattern: /^[A-Za-z0-9_ -]+$/,
    message: 'must be letters, digits, spaces, - and _',
  })
    .optional()
    .describe(
      'Key pair of the cloud for logging in to the nodes. Required with the Neutral dialect. Cannot change after creation.',
    ),
  clusterConfigs: configs('make a new Cluster with anything else in quotes')
    .optional()
    .describe(
      'Configuration of the whole cluster: target, then name, then a string, an integer or true/false; comes on top of that of the template. Cannot change after creation.',
    ),
  antiAffinity: setOf(text(80), 50)
    .optional()
    .describe(
      'Processes of which no two may run on the same host of the cloud. Unset: as the template has it. Cannot change after creation.',
    ),
  networkManagementNetwork: recordID
    .optional()
    .describe(
      'Identifier of the network that the nodes are attached to. With the Neutral dialect only a template can name it. Cannot change after creation.',
    ),
  nodeGroups: nodeGroupList(groupRules, 'put anything else in quotes, in a group of another name')
    .optional()
    .describe(
      'The groups of nodes. With a template: an entry with only name and count sets the count of that group of the template, any other entry adds a group. Without a template: the whole cluster. Counts may change, entries may come and go: that scales the cluster. What an entry says of its nodes stays as long as the entry.',
    ),
};

const spec = ruled(z.object(shape), [
  ...rules,
  ...immutable(shape, {
    but: ['connectionRef', 'nodeGroups', ...freeFields],
    unnamed: 'clusterConfigs',
    remedy: ' after creation: make a new Cluster',
  }),
]);

const observedGroup = z.object({
  name: z.string().max(1024).describe('Name of the group.'),
  desired: z.int32().describe('Nodes that the spec asks for.'),
  ready: z.int32().describe('Nodes that are there.'),
});

const endpoint = z.object({
  target: z.string().max(1024).describe('What it belongs to, in words of the plugin.'),
  name: z.string().max(1024).describe('What it is.'),
  url: z.string().max(8192).describe('Where it is.'),
});

const instance = z.object({
  nodeGroup: z.string().max(1024).describe('Group that the node belongs to.'),
  name: z.string().max(1024).describe('Name of the machine.'),
  id: z.string().max(1024).optional().describe('Identifier of the machine in the cloud.'),
  internalIP: z.string().max(1024).optional().describe('Address inside the cluster.'),
  managementIP: z.string().max(1024).optional().describe('Address that the service reaches the node by.'),
});

const status = z.object({
  ...externalStatus,
  templateRevision: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The revision of the ClusterTemplate that the cluster was made from. The condition TemplateOutdated says when there is a newer one.',
    ),
  externalStatus: z.string().max(1024).optional().describe("The service's own word for the state of the cluster."),
  statusMessage: z.string().max(32_768).optional().describe("The service's own words about that state."),
  ...observedPlugin,
  nodes: z.string().max(32).optional().describe('Nodes that are there, of those that the spec asks for: 3/5.'),
  nodeGroups: z.array(observedGroup).max(1000).optional().describe('The groups, with their counts.'),
  endpoints: z
    .array(endpoint)
    .max(1000)
    .optional()
    .describe(
      'Addresses of what runs on the cluster: http, https, hdfs, webhdfs, swebhdfs, maprfs, spark and thrift URLs, without user information, query and fragment. Nothing else that the service keeps with them is shown, because that may hold passwords.',
    ),
  instances: z.array(instance).max(50).optional().describe('The nodes; no more than 50 are listed.'),
});

const columns: readonly Column[] = [
  ready,
  { name: 'Status', type: 'string', jsonPath: '.status.externalStatus', description: "The service's own word." },
  { name: 'Nodes', type: 'string', jsonPath: '.status.nodes', description: 'Nodes that are there, of those wanted.' },
  { name: 'Plugin', type: 'string', jsonPath: '.status.pluginName' },
  { name: 'Version', type: 'string', jsonPath: '.status.bigdataVersion' },
  {
    name: 'Outdated',
    type: 'string',
    jsonPath: condition('TemplateOutdated', 'status'),
    wide: true,
    description: 'True while its ClusterTemplate has a newer revision than the one it was made from.',
  },
  id,
  message,
  age,
];

export const cluster = {
  kind: 'Cluster',
  plural: 'clusters',
  singular: 'cluster',
  shortName: 'dpc',
  description: 'A running data-processing cluster, made from a ClusterTemplate or from groups of nodes of its own.',
  spec,
  status,
  columns,
} as const satisfies Definition;

export type ClusterSpec = Spec<typeof cluster>;
